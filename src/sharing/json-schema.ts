import * as z from 'zod';
import { agreement } from '../ledger/json-schema.ts';

const refusal = z.object({
  why: z.string().describe('The reason as a word, such as unknown-signer.'),
  detail: z.string().describe('The reason as text.'),
});

const statement = z.object({
  kind: z.enum(['pass', 'waiver']).nullable().describe('null if the statement cannot be read.'),
  gate: z.string().nullable(),
  slot: z.number().nullable(),
  signer: z.string().nullable().describe('Who signed it; null if the signers file does not list a valid key.'),
  agent: z.string().nullable(),
  model: z.string().nullable(),
  session: z.enum(['new', 'resumed']).nullable().describe('The session of the reviewer; null for a waiver.'),
  at: z.string().nullable().describe('When the pass or the waiver was given.'),
  current: z.boolean().describe('Whether it is about the current change.'),
  counts: z.boolean().describe('Whether it would count: for other code, whether its signer may vouch.'),
  why_not: z.string().nullable().describe('Why it does not count, as text; null if it counts.'),
});

/** The schema of the JSON document of `passes --json`. */
export const passesSchema = z.object({
  carrier: z.string().nullable().describe('The remote or the address of the store; null if passes are off.'),
  problem: z.string().nullable().describe('Why no pass of another clone counts; null if passes can count.'),
  current: z
    .array(
      z.object({
        gate: z.string(),
        slot: z.number(),
        accepted_by: z.array(z.string()).nullable().describe('Who signed the accepted pass; null if none is accepted.'),
        not_accepted: refusal.nullable().describe('null if a pass is accepted, or if this clone has its own verdict.'),
      }),
    )
    .describe('The reviewers of the current change.'),
  statements: z.array(statement).describe('All statements of the remote, newest first, as they were fetched last.'),
  accepted: z.number().describe('How many passes of other clones counted in runs of this clone.'),
  agreement,
});

/** The schema of the JSON documents of `passes fetch`, `passes push` and `passes prune`. */
export const passesEndSchema = z.object({
  carrier: z.string().nullable().describe('The remote or the address of the store; null if nothing was sent.'),
  passes: z.number().describe('How many passes were sent.'),
  waivers: z.number().describe('How many waivers were sent.'),
  removed: z.number().describe('How many statements were removed.'),
});

/** The schema of the JSON document of `passes verify --json`. */
export const passesVerifySchema = z.object({
  file: z.string().describe('The path as it was given.'),
  signed: z.boolean().describe('Whether the signature fits the file.'),
  key: z.string().nullable().describe('The fingerprint of the key; null if the signature is not valid.'),
  signer: z.string().nullable().describe('Who signed it; null if the signers file does not list a valid key.'),
  counts: z.boolean().describe('Whether the file is valid and its signer may vouch.'),
  why_not: z.string().nullable().describe('Why it does not count, as text; null if it counts.'),
  statement: statement
    .pick({ kind: true, gate: true, slot: true, agent: true, model: true, session: true, at: true })
    .describe('The content of the file.'),
});
