import * as z from 'zod';
import { RUN_STATUSES } from '../domain/run.ts';

const paid = z.object({
  looks: z.number().describe('Looks of reviewers and turns of fixers.'),
  resumed: z.number(),
  dispatches: z.number().describe('With those that asked once more, and those for each part of a large diff.'),
  input_tokens: z.number().describe('The part that came from no cache.'),
  cached_input_tokens: z.number(),
  cache_write_tokens: z.number(),
  output_tokens: z.number(),
  looks_without_usage: z.number().describe('Looks whose agent told no tokens.'),
  told_usd: z.number().describe('What agents told.'),
  list_price_usd: z.number().describe('An estimate at list prices, for looks whose agent told none.'),
  looks_without_price: z.number().describe('Looks of which no price is known.'),
  duration_ms: z.number(),
});

const notPaid = z
  .object({ looks: z.number(), tokens: z.number() })
  .describe('Looks that were left out or made cheaper, and about how many tokens that spared.');

/** The document of `cost --json`. */
export const costSchema = z.object({
  since: z.string().nullable(),
  branch: z.string().nullable().describe('The branch that was asked about; null: all.'),
  runs: z.number(),
  idle_runs: z.number().describe('Runs that found nothing to do.'),
  fixes: z.number().describe('Turns of fixers.'),
  paid,
  not_paid: z.object({
    pass: notPaid,
    slot: notPaid,
    session: notPaid,
    prefix: notPaid,
    baseline: z.string().describe('What the estimates are measured against.'),
  }),
  looked_again: z.object({
    resumed: z.number(),
    fresh_as_delta_too_large: z.number(),
    fresh_as_session_lost: z.number(),
    fresh_as_resume_dearer: z.number(),
  }),
  gates: z.array(z.object({ gate: z.string().nullable().describe('Null: what fixers did.'), paid, not_paid: notPaid })),
  agents: z.array(z.object({ agent: z.string(), model: z.string().nullable(), paid })),
  days: z.array(z.object({ day: z.string().describe('YYYY-MM-DD, UTC.'), runs: z.number(), paid, not_paid: notPaid })),
  checks: z.array(z.object({ gate: z.string(), runs: z.number(), duration_ms: z.number() })),
  last_runs: z
    .array(
      z.object({
        at: z.string(),
        branch: z.string().nullable().describe('Null: HEAD was detached.'),
        scope: z.string(),
        iteration: z.number().nullable().describe('Null: nothing ran.'),
        status: z.enum(RUN_STATUSES),
        exit_code: z.union([z.literal(0), z.literal(1), z.literal(3)]),
        started_by: z.enum(['person', 'agent']),
        duration_ms: z.number(),
        paid,
        not_paid: notPaid,
      }),
    )
    .describe('Newest first, at most ten.'),
  unreadable_entries: z.number(),
});
