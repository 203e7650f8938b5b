import * as z from 'zod';
import { usage } from '../kernel/json-schema.ts';
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
      name: z.string().describe('The gate, for a pass with the number of the reviewer: gate@slot.'),
      digest: z
        .strictObject({ sha256: digest.describe('The digest under which the statement is stored.') })
        .describe('The digest of the subject.'),
    }),
  )
  .length(1);

/** The JSON schema of a signed pass: an in-toto Statement v1. */
export const passStatementSchema = z.strictObject({
  _type: z.literal(STATEMENT_TYPE).describe('The type of every in-toto Statement v1.'),
  subject: subject.describe('The gate and reviewer, as gate@slot, and the content that the reviewer passed.'),
  predicateType: z.literal(PREDICATE_TYPES.pass).describe('The kind of the statement.'),
  predicate: z
    .strictObject({
      gate: z.string(),
      slot: z.int().min(1).describe('The number of the reviewer.'),
      content: digest.describe('SHA-256 over the changed files of the gate.'),
      scope: z.string().describe('"full": only passes on a whole change count in other clones.'),
      prompt_digest: digest.describe('SHA-256 of the prompt of the review.'),
      settings_digest: digest.describe('SHA-256 over the settings on which the verdict depends.'),
      files: z
        .array(
          z.strictObject({
            path: z.string().describe('The path in the repository.'),
            mode: mode.describe('The file mode in git.'),
            base_mode: mode.nullable().describe('The file mode at the base; null if it is the same.'),
            base_blob: blob.describe('The id of the file at the base in git; null if the file is new.'),
            head_blob: blob.describe('The id of the file in the change; null if the file is deleted.'),
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
      transcript_digest: digest.describe('SHA-256 over the prompt and the answer.'),
      waived: z.array(digest).describe('Identities of findings that people waived. Each needs a signed waiver.'),
    })
    .describe('The verdict of the reviewer.'),
});

/** The JSON schema of a signed waiver: an in-toto Statement v1. */
export const waiverStatementSchema = z.strictObject({
  _type: z.literal(STATEMENT_TYPE).describe('The type of every in-toto Statement v1.'),
  subject: subject.describe('The gate, and the identity of the finding.'),
  predicateType: z.literal(PREDICATE_TYPES.waiver).describe('The kind of the statement.'),
  predicate: z
    .strictObject({
      gate: z.string(),
      finding: digest.describe('SHA-256 over the gate, the file, the quoted code and its occurrence.'),
      file: z.string().describe('The file of the finding.'),
      issue: z.string().describe('The problem that the reviewer reported.'),
      why: z.string().describe('The reason for the waiver.'),
      by: z.string().describe('The name of the person who waived the finding.'),
      onceover_version: z.string().describe('The version of onceover that signed the statement.'),
      waived_at: time.describe('The UTC time of the waiver, such as 2026-01-31T12:00:00.000Z.'),
    })
    .describe('The decision of the person.'),
});
