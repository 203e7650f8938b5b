import { agreement } from '@onceover/agents/ledger/json-schema';
import * as z from 'zod';

const refusal = z.object({
  why: z.string().describe('The reason why onceover accepted no pass, as a word, such as unknown-signer.'),
  detail: z.string().describe('The reason why onceover accepted no pass, as text.'),
});

const statement = z.object({
  kind: z
    .enum(['pass', 'waiver'])
    .nullable()
    .describe('Whether the file is a pass or a waiver; null if onceover cannot read the file.'),
  gate: z.string().nullable(),
  slot: z.number().nullable(),
  signer: z
    .string()
    .nullable()
    .describe(
      'The name of the signer. The field is null if the signers file lists no valid key that made the signature.',
    ),
  agent: z.string().nullable(),
  model: z.string().nullable(),
  session: z
    .enum(['new', 'resumed'])
    .nullable()
    .describe('Whether the reviewer passed the code in a new or a resumed session; null for a waiver.'),
  at: z.string().nullable().describe('The time of the pass or waiver.'),
  current: z.boolean().describe('Whether the pass or waiver is about the current change.'),
  counts: z
    .boolean()
    .describe(
      'Whether the pass or waiver counts in this clone. If the pass or waiver is about other code, the field only says whether passes of its signer count.',
    ),
  why_not: z
    .string()
    .nullable()
    .describe('The reason why the pass or waiver does not count, as text; null if it counts.'),
});

/** The schema of the JSON document of `passes --json`. */
export const passesSchema = z.object({
  carrier: z
    .string()
    .nullable()
    .describe(
      'The git remote, or the address of the store, over which clones share passes; null if passes are not shared.',
    ),
  problem: z
    .string()
    .nullable()
    .describe('The reason why no pass of another clone can count; null if passes can count.'),
  current: z
    .array(
      z.object({
        gate: z.string(),
        slot: z.number(),
        accepted_by: z
          .array(z.string())
          .nullable()
          .describe('The people who signed the accepted pass; null if no pass is accepted.'),
        not_accepted: refusal
          .nullable()
          .describe(
            'Why onceover accepted no pass; null if a pass is accepted, or if this clone has a verdict of its own.',
          ),
      }),
    )
    .describe('Each reviewer of the current change, with the pass of another clone that onceover accepted for it.'),
  statements: z
    .array(statement)
    .describe('All signed passes and waivers that were on the remote at the last fetch, newest first.'),
  accepted: z.number().describe('The number of passes of other clones that counted in runs of this clone.'),
  agreement,
});

/** The schema of the JSON documents of `passes fetch`, `passes push` and `passes prune`. */
export const passesEndSchema = z.object({
  carrier: z
    .string()
    .nullable()
    .describe('The git remote or the address of the store to which onceover sent passes; null if nothing was sent.'),
  passes: z.number().describe('The number of passes that the command sent.'),
  waivers: z.number().describe('The number of waivers that the command sent.'),
  removed: z.number().describe('The number of passes and waivers that the command removed.'),
});

/** The schema of the JSON document of `passes verify --json`. */
export const passesVerifySchema = z.object({
  file: z.string().describe('The path of the signed file, as it was given to the command.'),
  signed: z.boolean().describe('Whether the signature belongs to the content of the file.'),
  key: z
    .string()
    .nullable()
    .describe('The fingerprint of the key that signed the file; null if the signature is not valid.'),
  signer: z
    .string()
    .nullable()
    .describe(
      'The name of the signer. The field is null if the signers file lists no valid key that made the signature.',
    ),
  counts: z.boolean().describe('Whether the file is valid, and passes of its signer count.'),
  why_not: z
    .string()
    .nullable()
    .describe('The reason why the pass or waiver does not count, as text; null if it counts.'),
  statement: statement
    .pick({ kind: true, gate: true, slot: true, agent: true, model: true, session: true, at: true })
    .describe('The pass or waiver in the file.'),
});
