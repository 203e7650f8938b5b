import { RUN_STATUSES } from '@onceover/agents/ledger/entries';
import { agreement } from '@onceover/agents/ledger/json-schema';
import { usage } from '@onceover/base/kernel/json-schema';
import * as z from 'zod';

export const paid = z.object({
  looks: z.number().describe('The number of reviews and fixes, including those of review loops and workflows.'),
  resumed: z.number(),
  dispatches: z
    .number()
    .describe('The number of calls to agents, including retries and one call for each part of a large diff.'),
  input_tokens: z.number().describe('The number of input tokens that did not come from a cache.'),
  cached_input_tokens: z.number(),
  cache_write_tokens: z.number(),
  output_tokens: z.number(),
  looks_without_usage: z.number().describe('The number of reviews whose agent reported no tokens.'),
  told_usd: z.number().describe('Dollars that agents reported.'),
  list_price_usd: z.number().describe('Estimate at list prices, for reviews whose agent reported no price.'),
  looks_without_price: z.number().describe('The number of reviews without a known price.'),
  duration_ms: z.number(),
});

export type Paid = z.infer<typeof paid>;

export const notPaid = z
  .object({ looks: z.number(), tokens: z.number() })
  .describe('The number of reviews that were skipped or made cheaper, with an estimate of the tokens saved.');

export type SavedTokens = z.infer<typeof notPaid>;

const selectionFields = {
  since: z.string().nullable(),
  branch: z.string().nullable().describe('The selected branch; null if all branches are included.'),
};

const ratio = z
  .number()
  .nullable()
  .describe('The first of the two numbers divided by the second; null if there is nothing to compare.');

const characters = z.object({ sent: z.number(), fresh: z.number(), ratio });

const estimate = z.object({ sent: z.number(), fresh_estimate: z.number(), ratio });

const comparison = z
  .object({
    dispatches: z
      .number()
      .describe('The number of calls with an answer, without the steps before the reviews of code.'),
    resumed: z.number(),
    dispatches_without_usage: z.number(),
    characters,
    input_tokens: estimate.describe(
      'The number of input tokens that agents reported, in sessions whose first prompt is known, compared with new sessions.',
    ),
    weighted_input_tokens: estimate.describe(
      'The same tokens, weighted by price: tokens written to a cache count 1.25, tokens read from a cache 0.1.',
    ),
  })
  .describe('The amounts that onceover sent, compared with the amounts that new sessions would have needed.');

const state = z.enum(['holds', 'does_not_hold', 'nothing_to_judge']);

const loop = { feature: z.string(), phase: z.string(), stage: z.string(), run: z.string() };

const rate = z.object({
  count: z.number(),
  of: z.number(),
  rate: ratio,
  threshold: z.number(),
  exceeded: z.boolean().nullable().describe('Whether the limit is exceeded; null if there is not enough data yet.'),
  action: z.string().nullable().describe('What to do if the limit is exceeded.'),
});

const rates = z.object({
  features: z
    .number()
    .describe('The number of features with review loops. With fewer than three, the rates are not evaluated.'),
  judged: z.boolean(),
  resume_fallback: rate.describe('How often resuming a session failed, of all attempts.'),
  delta_guard: rate.describe('How many later reviews of a document got a new session because too much had changed.'),
  delta_guard_by_role: z
    .array(z.object({ role: z.string(), count: z.number(), of: z.number(), rate: ratio }))
    .describe(
      'The same for each role, in all phases. Final validations are left out, because no limit applies to them.',
    ),
  lazy_load_warning: rate.describe('How many new sessions did not confirm that they read the required files.'),
});

const loops = {
  paid,
  not_paid: notPaid,
  compared: comparison,
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
    .describe('Whether every resumed prompt is shorter than the prompt that opened its session.'),
  five_iterations_under_half: z
    .object({ state, of: z.number(), not_so: z.array(z.object({ ...loop, characters })) })
    .describe(
      'Whether each loop of five rounds sent less than half of the characters that new sessions would have sent.',
    ),
  rates,
};

/** The schema of the JSON document of `cost --json`. */
export const costSchema = z.object({
  ...selectionFields,
  runs: z.number(),
  idle_runs: z.number().describe('The number of runs that had nothing to do.'),
  fixes: z.number().describe('The number of fixes by agents.'),
  resume_tests: paid.describe(
    'The cost of tests whether an agent can resume sessions. The figures in `paid` include this cost.',
  ),
  proofs: paid.describe('The cost of calls by "onceover prove". The figures in `paid` do not include this cost.'),
  paid,
  not_paid: z.object({
    pass: notPaid,
    slot: notPaid,
    session: notPaid,
    prefix: notPaid,
    reading: notPaid,
    baseline: z.string().describe('What the estimates are compared with.'),
  }),
  looked_again: z.object({
    resumed: z.number(),
    fresh_as_delta_too_large: z.number(),
    fresh_as_session_lost: z.number(),
    fresh_as_resume_dearer: z.number(),
  }),
  caches: z
    .array(
      z.object({
        agent: z.string(),
        model: z.string().nullable(),
        life_minutes: z
          .number()
          .describe('The number of minutes for which the provider keeps a session in its cache, as onceover assumed.'),
        life_from: z
          .enum(['table', 'measured'])
          .describe(
            'Where the number of minutes comes from: from the table of cache rules in onceover, or from a measurement.',
          ),
        resumed: z
          .number()
          .describe(
            'The number of resumed sessions for which the reported tokens show whether the session was still cached.',
          ),
        hits: z.number().describe('The number of resumed sessions that were still cached.'),
      }),
    )
    .describe(
      'How long the providers keep sessions in their caches, as onceover assumed in the latest call of each agent and model.',
    ),
  gates: z.array(
    z.object({
      gate: z.string().nullable().describe('The id of the gate; null in the row for fixes by agents.'),
      paid,
      not_paid: notPaid,
    }),
  ),
  loops: z
    .object({
      ...loops,
      features: z
        .array(z.object({ feature: z.string(), paid, not_paid: notPaid, compared: comparison }))
        .describe('One item for each feature, the most expensive first.'),
    })
    .describe('Review loops of all features.'),
  workflows: z
    .array(
      z.object({
        job: z.string().describe('The name of the job.'),
        step: z.string().describe('The id of the step.'),
        paid,
      }),
    )
    .describe('Reviews of workflow steps, the most expensive first.'),
  agents: z.array(z.object({ agent: z.string(), model: z.string().nullable(), paid })),
  days: z.array(
    z.object({ day: z.string().describe('The day in UTC, as YYYY-MM-DD.'), runs: z.number(), paid, not_paid: notPaid }),
  ),
  checks: z.array(z.object({ gate: z.string(), runs: z.number(), duration_ms: z.number() })),
  last_runs: z
    .array(
      z.object({
        at: z.string(),
        branch: z.string().nullable().describe('The branch; null if HEAD was detached.'),
        scope: z.string(),
        iteration: z.number().nullable().describe('The number of the run; null if nothing ran.'),
        status: z.enum(RUN_STATUSES),
        exit_code: z.union([z.literal(0), z.literal(1), z.literal(3)]),
        started_by: z.enum(['person', 'agent']),
        duration_ms: z.number(),
        paid,
        not_paid: notPaid,
      }),
    )
    .describe('The last runs, newest first, at most ten.'),
  shared: z
    .object({
      accepted: z
        .number()
        .describe('How many passes of other clones this clone accepted, so that no reviewer was called.'),
      agreement,
    })
    .describe('The passes of other clones that this clone accepted.'),
  unreadable_entries: z.number(),
});

export type CostDocument = z.infer<typeof costSchema>;

/** The schema of the JSON document of `cost FEATURE --json`. */
export const featureCostSchema = z.object({
  feature: z.string().describe('The folder of the feature, relative to the repository root.'),
  ...selectionFields,
  ...loops,
  rates: rates.describe('The rates of this feature.'),
  rates_of_all_features: rates,
  phases: z
    .array(
      z.object({
        phase: z.string(),
        run: z.string().describe('Id of this execution of the phase. A rerun has another id.'),
        at: z.string().describe('The time at which its first call ended.'),
        paid,
        compared: comparison,
        dispatches: z.array(
          z.object({
            at: z.string(),
            branch: z.string().nullable().describe('The branch; null if HEAD was detached.'),
            started_by: z.enum(['person', 'agent']),
            stage: z.string(),
            role: z.string(),
            iteration: z.number(),
            final_validation: z.boolean(),
            dispatch: z.enum(['fresh', 'resumed']),
            template: z
              .string()
              .nullable()
              .describe('The template of the prompt; null for a step before the reviews of code.'),
            why: z.string(),
            fell_back: z.boolean(),
            guarded: z.boolean(),
            reads_unconfirmed: z.boolean(),
            status: z.enum(['pass', 'fail', 'done', 'error']),
            agent: z.string(),
            model: z.string().nullable(),
            dispatches: z.number().describe('Number of calls, including retries.'),
            prompt_chars: z.number().describe('Characters sent.'),
            fresh_chars: z.number().describe('Characters that the prompt of a new session would have had.'),
            usage,
            cost_usd: z.number().nullable(),
            cost_source: z
              .enum(['agent', 'list'])
              .nullable()
              .describe('The source of the price. agent: the agent reported it. list: an estimate at list prices.'),
            duration_ms: z.number(),
          }),
        ),
      }),
    )
    .describe('Each execution of a phase, oldest first.'),
  unreadable_entries: z.number(),
});

export type FeatureDocument = z.infer<typeof featureCostSchema>;

export type PhaseCall = FeatureDocument['phases'][number]['dispatches'][number];
