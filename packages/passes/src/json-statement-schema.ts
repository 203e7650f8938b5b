import { usage } from '@onceover/base/kernel/json-schema';
import * as z from 'zod';
import { PREDICATE_TYPES, STATEMENT_TYPE } from './types.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const blob = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .nullable();
const mode = z.string().regex(/^[0-7]{6}$/);
const time = z.string();

const subject = z
  .array(
    z.strictObject({
      name: z
        .string()
        .describe('For a pass, the gate and the number of the reviewer, as gate@slot. For a waiver, the gate.'),
      digest: z
        .strictObject({ sha256: digest.describe('The SHA-256 digest under which the statement is stored.') })
        .describe('The digest of the content or finding that the statement is about.'),
    }),
  )
  .length(1);

/** The JSON schema of a signed pass: an in-toto Statement v1. */
export const passStatementSchema = z.strictObject({
  _type: z.literal(STATEMENT_TYPE).describe('The type that the in-toto format requires for every Statement v1.'),
  subject: subject.describe(
    'A list with one item: the gate with the number of the reviewer, and the content that the reviewer passed.',
  ),
  predicateType: z.literal(PREDICATE_TYPES.pass).describe('The address that stands for this kind of statement.'),
  predicate: z
    .strictObject({
      gate: z.string(),
      slot: z.int().min(1).describe('The number of the reviewer.'),
      content: digest.describe('The SHA-256 digest of the changed files of the gate.'),
      scope: z
        .string()
        .describe(
          'The part of the change that was reviewed. The value is always "full", because only passes on a whole change count in other clones.',
        ),
      prompt_digest: digest.describe('The SHA-256 digest of the prompt of the review.'),
      references_digest: digest
        .nullable()
        .describe('The SHA-256 digest of the reference files in the prompt; null if there are none.'),
      context_digest: digest
        .nullable()
        .describe('The SHA-256 digest of the lists of files in the prompt; null if there are none.'),
      settings: z
        .record(z.string(), z.string())
        .describe('The settings that influence the verdict and differ from their default, each as JSON.'),
      settings_digest: digest.describe("The SHA-256 digest of the agent's settings, such as its model."),
      files: z
        .array(
          z.strictObject({
            path: z.string().describe('The path of the file in the repository.'),
            mode: mode.describe('The mode of the file in git.'),
            base_mode: mode
              .nullable()
              .describe('The mode of the file at the base of the change; null if the mode did not change.'),
            base_blob: blob.describe(
              "The git id of the file's content at the base of the change; null if the file is new.",
            ),
            head_blob: blob.describe("The git id of the file's content in the change; null if the file is deleted."),
          }),
        )
        .min(1)
        .describe('The changed files of the gate.'),
      agent: z.string(),
      model: z.string().nullable(),
      agent_version: z.string().nullable().describe('The version of the agent; null if it is not known.'),
      onceover_version: z.string().describe('The version of onceover that signed the statement.'),
      session: z
        .enum(['new', 'resumed'])
        .describe('Whether the reviewer passed the content in a new or a resumed session.'),
      files_opened: z
        .array(z.string())
        .nullable()
        .describe('The files that the reviewer opened; null if the agent does not report them.'),
      usage,
      duration_ms: z.number().min(0),
      passed_at: time.describe('The UTC time of the pass, such as 2026-01-31T12:00:00.000Z.'),
      transcript_digest: digest.describe('The SHA-256 digest of the prompt and the answer.'),
      waived: z
        .array(digest)
        .describe(
          'The fingerprints of the findings that people waived. The waiver of each finding must be signed too.',
        ),
    })
    .describe('What the reviewer passed, and how.'),
});

/** The JSON schema of a signed waiver: an in-toto Statement v1. */
export const waiverStatementSchema = z.strictObject({
  _type: z.literal(STATEMENT_TYPE).describe('The type that the in-toto format requires for every Statement v1.'),
  subject: subject.describe('A list with one item: the gate and the fingerprint of the waived finding.'),
  predicateType: z.literal(PREDICATE_TYPES.waiver).describe('The address that stands for this kind of statement.'),
  predicate: z
    .strictObject({
      gate: z.string(),
      finding: digest.describe(
        'The SHA-256 digest of the gate, the file, the quoted code and the number of its occurrence. This digest identifies the finding.',
      ),
      file: z.string().describe('The file that the finding is about.'),
      issue: z.string().describe('The problem that the reviewer reported.'),
      why: z.string().describe('The reason that the person gave for the waiver.'),
      by: z.string().describe('The name of the person who waived the finding.'),
      onceover_version: z.string().describe('The version of onceover that signed the statement.'),
      waived_at: time.describe('The UTC time of the waiver, such as 2026-01-31T12:00:00.000Z.'),
    })
    .describe('The waiver: who waived which finding, and why.'),
});
