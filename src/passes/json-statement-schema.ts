import * as z from 'zod';
import { usage } from '../kernel/json-schema.ts';
import { PREDICATE_TYPES, STATEMENT_TYPE } from './types.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const blob = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .nullable();
const mode = z.string().regex(/^[0-7]{6}$/);
const time = z.string().describe('A UTC time such as 2026-01-31T12:00:00.000Z.');

const subject = z.array(z.strictObject({ name: z.string(), digest: z.strictObject({ sha256: digest }) })).length(1);

/** The published form of a signed pass: an in-toto Statement v1. */
export const passStatementSchema = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: subject.describe('The gate and reviewer, as gate@slot, and the content that the reviewer passed.'),
  predicateType: z.literal(PREDICATE_TYPES.pass),
  predicate: z.strictObject({
    gate: z.string(),
    slot: z.int().min(1).describe('The number of the reviewer.'),
    content: digest.describe('SHA-256 over the changed files of the gate.'),
    scope: z.string().describe('"full": only passes on a whole change count in other clones.'),
    prompt_digest: digest,
    settings_digest: digest.describe('SHA-256 over the settings on which the verdict depends.'),
    files: z
      .array(z.strictObject({ path: z.string(), mode, base_mode: mode.nullable(), base_blob: blob, head_blob: blob }))
      .min(1)
      .describe('The changed files of the gate. base_mode is null if the mode is the same at the base.'),
    agent: z.string(),
    model: z.string().nullable(),
    agent_version: z.string().nullable(),
    onceover_version: z.string(),
    session: z.enum(['new', 'resumed']),
    files_opened: z.array(z.string()).nullable().describe('null if the agent does not report them.'),
    usage,
    duration_ms: z.number().min(0),
    passed_at: time,
    transcript_digest: digest.describe('SHA-256 over the prompt and the answer.'),
    waived: z.array(digest).describe('Identities of findings that people waived. Each needs a signed waiver.'),
  }),
});

/** The published form of a signed waiver: an in-toto Statement v1. */
export const waiverStatementSchema = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: subject.describe('The gate, and the identity of the finding.'),
  predicateType: z.literal(PREDICATE_TYPES.waiver),
  predicate: z.strictObject({
    gate: z.string(),
    finding: digest.describe('SHA-256 over the gate, the file, the quoted code and its occurrence.'),
    file: z.string(),
    issue: z.string(),
    why: z.string(),
    by: z.string().describe('The name of the person who waived the finding.'),
    onceover_version: z.string(),
    waived_at: time,
  }),
});
