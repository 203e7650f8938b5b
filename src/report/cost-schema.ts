import * as z from 'zod';
import { RUN_STATUSES } from '../domain/run.ts';
import { usage } from './run-schema.ts';

export const paid = z.object({
  looks: z
    .number()
    .describe('Looks of reviewers and turns of fixers, those of review loops and of workflows among them.'),
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

export const notPaid = z
  .object({ looks: z.number(), tokens: z.number() })
  .describe('Looks that were left out or made cheaper, and about how many tokens that spared.');

const asked = {
  since: z.string().nullable(),
  branch: z.string().nullable().describe('The branch that was asked about; null: all.'),
};

const ratio = z.number().nullable().describe('Null: nothing to compare with.');
const characters = z.object({ sent: z.number(), fresh: z.number(), ratio });
const estimate = z.object({ sent: z.number(), fresh_estimate: z.number(), ratio });

const compared = z
  .object({
    dispatches: z.number().describe('Those that were answered, without what goes before the reviews of code.'),
    resumed: z.number(),
    dispatches_without_usage: z.number(),
    characters,
    input_tokens: estimate.describe('As agents told them, where the opening of the session is known.'),
    weighted_input_tokens: estimate.describe('The same: written to a cache 1.25, read from one 0.1.'),
  })
  .describe('What was sent, and what the same dispatches would have sent fresh each time.');

const state = z.enum(['holds', 'does_not_hold', 'nothing_to_judge']);
const loop = { feature: z.string(), phase: z.string(), stage: z.string(), run: z.string() };

const rate = z.object({
  count: z.number(),
  of: z.number(),
  rate: ratio,
  threshold: z.number(),
  exceeded: z.boolean().nullable().describe('Null: not judged yet.'),
  action: z.string().nullable().describe('What to do where it is exceeded.'),
});

const rates = z.object({
  features: z.number().describe('Features that went through loops; the rates are judged from three on.'),
  judged: z.boolean(),
  resume_fallback: rate.describe('Resumes that failed, of all that were tried.'),
  delta_guard: rate.describe('Looks at a document again that were fresh as too much had changed.'),
  lazy_load_warning: rate.describe('Fresh dispatches that did not confirm that they read what they must.'),
});

const loops = {
  paid,
  not_paid: notPaid,
  compared,
  resumed_prompts_shorter: z
    .object({
      state,
      of: z.number(),
      not_so: z.array(
        z.object({
          ...loop,
          role: z.string(),
          iteration: z.number(),
          final_validation: z.boolean(),
          prompt_chars: z.number(),
        }),
      ),
    })
    .describe('Whether every resumed prompt has fewer characters than the one that opened its session.'),
  five_iterations_under_half: z
    .object({ state, of: z.number(), not_so: z.array(z.object({ ...loop, characters })) })
    .describe('Whether every loop of five iterations sent under half the characters of fresh dispatches.'),
  rates,
};

/** The document of `cost --json`. */
export const costSchema = z.object({
  ...asked,
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
  loops: z
    .object({
      ...loops,
      features: z
        .array(z.object({ feature: z.string(), paid, not_paid: notPaid, compared }))
        .describe('The dearest first.'),
    })
    .describe('Review loops of all features.'),
  workflows: z
    .array(z.object({ job: z.string().describe('Its name.'), step: z.string().describe('Its id.'), paid }))
    .describe('Reviews of what steps of workflows have made, the dearest first.'),
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

/** The document of `cost FEATURE --json`. */
export const featureCostSchema = z.object({
  feature: z.string().describe('Its folder, from the root of the repository.'),
  ...asked,
  ...loops,
  rates: rates.describe('Of this feature alone.'),
  rates_of_all_features: rates,
  phases: z
    .array(
      z.object({
        phase: z.string(),
        run: z.string().describe('Which playing of the phase: a rerun is another.'),
        at: z.string().describe('When its first dispatch ended.'),
        paid,
        compared,
        dispatches: z.array(
          z.object({
            at: z.string(),
            branch: z.string().nullable().describe('Null: HEAD was detached.'),
            started_by: z.enum(['person', 'agent']),
            stage: z.string(),
            role: z.string(),
            iteration: z.number(),
            final_validation: z.boolean(),
            dispatch: z.enum(['fresh', 'resumed']),
            template: z.string().nullable().describe('Null: what goes before the reviews of code.'),
            why: z.string(),
            fell_back: z.boolean(),
            guarded: z.boolean(),
            reads_unconfirmed: z.boolean(),
            status: z.enum(['pass', 'fail', 'done', 'error']),
            agent: z.string(),
            model: z.string().nullable(),
            dispatches: z.number().describe('How often it was asked for this.'),
            prompt_chars: z.number().describe('Characters of all that was sent.'),
            fresh_chars: z.number().describe('Characters that a fresh prompt would have had.'),
            usage,
            cost_usd: z.number().nullable(),
            cost_source: z.enum(['agent', 'list']).nullable().describe('list: an estimate at list prices.'),
            duration_ms: z.number(),
          }),
        ),
      }),
    )
    .describe('Each playing of a phase, in the order of time.'),
  unreadable_entries: z.number(),
});
