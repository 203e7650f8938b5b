import type * as z from 'zod';
import { money } from '../kernel/json.ts';
import { usageDocument } from '../ledger/describe.ts';
import { describeAction } from './describe-loops.ts';
import type { featureCostSchema, paid as paidSchema } from './json-schema.ts';
import {
  type Compared,
  type FeatureReport,
  type LoopCost,
  type LoopRow,
  type LoopsCost,
  type Paid,
  type PromiseCheck,
  promiseResult,
} from './types.ts';

export type PaidDocument = z.infer<typeof paidSchema>;

/** The document of `cost FEATURE --json`. */
export type FeatureDocument = z.infer<typeof featureCostSchema>;

/** The part that `cost --json` and `cost FEATURE --json` have in common. */
type LoopsDocument = Pick<
  FeatureDocument,
  'paid' | 'not_paid' | 'compared' | 'resumed_prompts_shorter' | 'five_iterations_under_half' | 'rates'
>;

type DispatchDocument = FeatureDocument['phases'][number]['dispatches'][number];

export function paidDocument(paid: Paid): PaidDocument {
  return {
    looks: paid.looks,
    resumed: paid.resumed,
    dispatches: paid.dispatches,
    input_tokens: paid.inputTokens,
    cached_input_tokens: paid.cachedInputTokens,
    cache_write_tokens: paid.cacheWriteTokens,
    output_tokens: paid.outputTokens,
    looks_without_usage: paid.untold,
    told_usd: money(paid.toldUsd),
    list_price_usd: money(paid.listUsd),
    looks_without_price: paid.unpriced,
    duration_ms: paid.durationMs,
  };
}

export function loopsDocument({ paid, spared, compared }: LoopsCost): LoopsDocument {
  const { opened, notShorter, longLoops, notHalved } = compared;
  return {
    paid: paidDocument(paid),
    not_paid: spared,
    compared: comparedDocument(compared),
    resumed_prompts_shorter: {
      state: stateOf(opened, notShorter.length),
      of: opened,
      not_so: notShorter.map(({ feature, phase, stage, run, role, iteration, isFinalValidation, spent }) => ({
        ...{ feature, phase, stage, run, role, iteration },
        final_validation: isFinalValidation,
        prompt_chars: spent.promptChars,
      })),
    },
    five_iterations_under_half: {
      state: stateOf(longLoops, notHalved.length),
      of: longLoops,
      not_so: notHalved.map(({ characters, ...loop }) => ({ ...loop, characters: rounded(characters) })),
    },
    rates: ratesDocument(compared),
  };
}

function stateOf(of: number, broken: number) {
  return STATES[promiseResult(of, broken)];
}

const STATES = {
  holds: 'holds',
  'does-not-hold': 'does_not_hold',
  'nothing-to-judge': 'nothing_to_judge',
} as const;

function ratesDocument(cost: LoopCost): FeatureDocument['rates'] {
  const rate = (which: PromiseCheck) => {
    const { isExceeded, ...facts } = rounded(cost[which]);
    const exceeded = cost.isJudged ? isExceeded : null;
    return { ...facts, exceeded, action: exceeded === true ? describeAction(which) : null };
  };
  return {
    features: cost.features,
    judged: cost.isJudged,
    resume_fallback: rate('fallbacks'),
    delta_guard: rate('guards'),
    lazy_load_warning: rate('lazyLoads'),
  };
}

export function comparedDocument(cost: LoopCost): FeatureDocument['compared'] {
  return {
    dispatches: cost.dispatches,
    resumed: cost.resumed,
    dispatches_without_usage: cost.untold,
    characters: rounded(cost.characters),
    input_tokens: estimate(cost.tokens),
    weighted_input_tokens: estimate(cost.weighted),
  };
}

function estimate(compared: Compared) {
  const { sent, fresh, ratio } = rounded(compared);
  return { sent: Math.round(sent), fresh_estimate: Math.round(fresh), ratio };
}

/** Rounds a ratio or rate to four decimals. */
function rounded<T extends { readonly ratio: number | null } | { readonly rate: number | null }>(one: T): T {
  const round = (part: number | null) => (part === null ? null : Number(part.toFixed(4)));
  return 'ratio' in one ? { ...one, ratio: round(one.ratio) } : { ...one, rate: round(one.rate) };
}

export function featureDocument(report: FeatureReport): FeatureDocument {
  return {
    feature: report.feature,
    since: report.since,
    branch: report.branch,
    ...loopsDocument(report),
    rates_of_all_features: ratesDocument(report.all),
    phases: report.playings.map(({ phase, run, at, paid, compared, rows }) => ({
      phase,
      run,
      at,
      paid: paidDocument(paid),
      compared: comparedDocument(compared),
      dispatches: rows.map(dispatchDocument),
    })),
    unreadable_entries: report.unreadable,
  };
}

function dispatchDocument({ loop, price, ...row }: LoopRow): DispatchDocument {
  return {
    at: row.at,
    branch: row.branch,
    started_by: row.startedBy,
    stage: loop.stage,
    role: loop.role,
    iteration: loop.iteration,
    final_validation: loop.isFinalValidation,
    dispatch: row.dispatch,
    template: loop.template,
    why: loop.why,
    fell_back: loop.fellBack,
    guarded: loop.guarded,
    reads_unconfirmed: loop.warned,
    status: loop.status,
    agent: row.agent,
    model: row.model,
    dispatches: row.dispatches,
    prompt_chars: loop.promptChars,
    fresh_chars: loop.freshChars,
    usage: usageDocument(row.usage),
    cost_usd: price === null ? null : money(price.usd),
    cost_source: price?.from ?? null,
    duration_ms: row.durationMs,
  };
}
