import { type CachePrices, USUAL_PRICES } from '@onceover/agents/economy/cache-rules';
import { usageDocument } from '@onceover/agents/ledger/describe';
import type { LedgerEntry, LedgerLoop, LoopDispatch } from '@onceover/agents/ledger/entries';
import { type Beside, grownBy, isResumed, savedByResuming, withSessionStarts } from '@onceover/agents/ledger/savings';
import type { PriceList, Usage } from '@onceover/base/kernel/agent';
import { byCodePoint, grouped } from '@onceover/base/kernel/collections';
import { money } from '@onceover/base/kernel/json';
import { ITERATION_CAP, type LoopTemplate, PHASE_STAGES, REVIEWER_ROLES } from '@onceover/base/kernel/review-loops';
import type { FeatureDocument, PhaseCall } from './json-schema.ts';
import {
  type CostRow,
  type CostSelection,
  costRows,
  type LoopRow,
  paidFor,
  phaseRunOf,
  selectEntries,
} from './rows.ts';

/** If there are calls about fewer features than this, the rates are not compared with their limits. */
const ENOUGH_FEATURES = 3;

/** The rates that `cost --details` shows, each with its highest accepted value and the advice if it is higher. */
export const RATES = {
  resume_fallback: {
    title: 'resumes that failed',
    limit: 0.2,
    action:
      'Resumed sessions fail too often. Run "onceover doctor --resume" to test each agent, and report the result.',
  },
  delta_guard: {
    title: 'deltas too large',
    limit: 0.5,
    action:
      'Fixes change more of a document than a resumed reviewer may see. Set "delta_guard: effective" in onceover.yml to count the files that a new session has to read for every reviewer, or accept new sessions.',
  },
  lazy_load_warning: {
    title: 'reads not confirmed',
    limit: 0.2,
    action:
      'Reviewers skip documents that they must read, or do not confirm that they read them. Check the order to read them in the roles (.onceover/roles/).',
  },
} as const;

/**
 * A loop of five rounds must send less than this share of what a new session in every round would have sent
 * (requirement NFR3).
 */
const NFR3_LIMIT = 0.5;

/**
 * Compares what review loops sent with what a new session in every round would have sent, and returns the rates in
 * `RATES`. `dispatches` are the answered calls to agents, in the order in which they were sent. `unansweredCalls`
 * count only for the rate of failed resumes.
 */
export function loopCost(dispatches: readonly LoopDispatch[], unansweredCalls: readonly LoopDispatch[] = []) {
  const calls = withSessionStarts(dispatches);
  const resumedCalls = calls.filter(({ one, opening }) => isResumed(one) && opening !== null);
  const notShorter = resumedCalls.filter(({ one, opening }) => one.promptChars >= (opening?.promptChars ?? 0));
  const long = longLoops(dispatches);
  return {
    compared: {
      dispatches: dispatches.length,
      resumed: dispatches.filter(isResumed).length,
      dispatches_without_usage: dispatches.filter(({ usage }) => usage === null).length,
      characters: charactersOf(dispatches),
      input_tokens: tokensOf(calls, { write: 1, read: 1 }),
      weighted_input_tokens: tokensOf(calls, USUAL_PRICES),
    },
    resumed_prompts_shorter: promise(
      resumedCalls.length,
      notShorter.map(({ one: { feature, phase, stage, run, role, iteration, isFinalValidation, promptChars } }) => ({
        ...{ feature, phase, stage, run, role, iteration },
        final_validation: isFinalValidation,
        prompt_chars: promptChars,
      })),
    ),
    five_iterations_under_half: promise(
      long.length,
      long.filter(({ characters: { sent, fresh } }) => fresh > 0 && sent / fresh >= NFR3_LIMIT),
    ),
    rates: ratesOf(dispatches, unansweredCalls),
  };
}

/**
 * Returns whether review loops meet a requirement. `of` is the number of cases; `violations` lists those that do not
 * meet it.
 */
function promise<T>(of: number, violations: T[]) {
  const outcome = violations.length === 0 ? 'holds' : 'does_not_hold';
  return { state: of === 0 ? 'nothing_to_judge' : outcome, of, not_so: violations } as const;
}

function ratesOf(
  dispatches: readonly LoopDispatch[],
  unansweredCalls: readonly LoopDispatch[],
): FeatureDocument['rates'] {
  const features = new Set(dispatches.map(({ feature }) => feature)).size;
  const hasEnoughFeatures = features >= ENOUGH_FEATURES;
  const rate = (rateName: keyof typeof RATES, count: number, of: number) => {
    const { limit, action } = RATES[rateName];
    const isExceeded = hasEnoughFeatures ? of > 0 && count / of > limit : null;
    return {
      count,
      of,
      rate: share(count, of),
      threshold: limit,
      exceeded: isExceeded,
      action: isExceeded ? action : null,
    };
  };
  const fellBack = [...dispatches, ...unansweredCalls].filter((dispatch) => dispatch.fellBack).length;
  const fresh = dispatches.filter((dispatch) => !isResumed(dispatch));
  const later = dispatches.filter(({ why, isFinalValidation }) => why !== 'first-look' && !isFinalValidation);
  const byRole = [...grouped(later, ({ role }) => role)].map(([role, calls]) => {
    const count = calls.filter(({ guarded }) => guarded).length;
    return { role, count, of: calls.length, rate: share(count, calls.length) };
  });
  const guardable = dispatches.filter(
    ({ phase, role, why }) => phase !== 'implement' && role !== 'implementer' && why !== 'first-look',
  );
  return {
    features,
    judged: hasEnoughFeatures,
    resume_fallback: rate('resume_fallback', fellBack, dispatches.length - fresh.length + fellBack),
    delta_guard: rate('delta_guard', guardable.filter(({ guarded }) => guarded).length, guardable.length),
    delta_guard_by_role: byRole.sort((a, b) => byCodePoint(a.role, b.role)),
    lazy_load_warning: rate('lazy_load_warning', fresh.filter(({ warned }) => warned).length, fresh.length),
  };
}

function charactersOf(dispatches: readonly LoopDispatch[]) {
  const sentChars = dispatches.reduce((sum, { promptChars }) => sum + promptChars, 0);
  const fresh = dispatches.reduce((sum, { freshChars }) => sum + freshChars, 0);
  return { sent: sentChars, fresh, ratio: share(sentChars, fresh) };
}

/**
 * Returns the input tokens of the calls, and an estimate of the same for new sessions. A new session is assumed to need
 * as many tokens as the first call of the real session, plus the growth of the prompt since.
 */
function tokensOf(calls: readonly Beside<LoopDispatch>[], { write, read }: CachePrices) {
  const weigh = (usage: Usage) => usage.inputTokens + write * usage.cacheWriteTokens + read * usage.cachedInputTokens;
  let [sentTokens, fresh] = [0, 0];
  for (const { one, opening } of calls) {
    if (one.usage === null || opening === null || opening.usage === null) continue;
    sentTokens += weigh(one.usage);
    fresh += weigh(opening.usage) + (isResumed(one) ? grownBy(one, opening) : 0);
  }
  return { sent: Math.round(sentTokens), fresh_estimate: Math.round(fresh), ratio: share(sentTokens, fresh) };
}

/** Returns the quotient `part / whole`, rounded to four decimals; `null` if `whole` is 0. */
function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Number((part / whole).toFixed(4));
}

/**
 * Returns the review loops that reached the maximum number of rounds, each with the number of characters that it sent.
 */
function longLoops(dispatches: readonly LoopDispatch[]) {
  const reviews = dispatches.filter(({ role }) => role !== 'implementer');
  const loops = grouped(reviews, ({ feature, phase, stage, run }) => JSON.stringify([feature, phase, stage, run]));
  return [...loops.values()].flatMap((loop) => {
    const [first] = loop;
    if (first === undefined || Math.max(...loop.map(({ iteration }) => iteration)) < ITERATION_CAP) return [];
    const { feature, phase, stage, run } = first;
    return [{ feature, phase, stage, run, characters: charactersOf(loop) }];
  });
}

/**
 * Returns the calls of review loops in the order in which they were sent. Steps before the reviews, such as
 * `--simplify`, are left out. Calls without an answer are returned separately: they saved nothing, because new sessions
 * would have sent them too.
 */
export function dispatchesIn(entries: readonly LedgerLoop[]) {
  const calls = [...entries]
    .sort(bySending)
    .filter((entry): entry is LedgerLoop & { readonly template: LoopTemplate } => entry.template !== null);
  return {
    answered: calls.filter(({ status }) => status !== 'error'),
    unanswered: calls.filter(({ status }) => status === 'error'),
  };
}

/** Returns the total cost of these calls, and a comparison with a new session for every call. */
export function loopsCost(rows: readonly LoopRow[]) {
  const { answered, unanswered } = dispatchesIn(rows);
  const savings = savedByResuming(answered);
  return {
    paid: paidFor(rows),
    not_paid: { looks: savings.length, tokens: savings.reduce((sum, { tokens }) => sum + tokens, 0) },
    ...loopCost(answered, unanswered),
  };
}

/**
 * Returns the cost of a feature: in total, and for each time that a phase ran. Returns `null` if the ledger (the log of
 * all calls) has no such feature.
 */
export function summariseFeature(
  feature: string,
  { entries, unreadable }: { readonly entries: readonly LedgerEntry[]; readonly unreadable: number },
  selection: CostSelection,
  priceOf: PriceList,
): { readonly report: FeatureDocument; readonly rows: readonly LoopRow[] } | null {
  if (!featuresIn(entries).includes(feature)) return null;
  const loopRows = costRows(selectEntries(entries, selection), priceOf).filter(isLoop);
  const featureRows = loopRows.filter((row) => row.feature === feature);
  const phases = [...grouped(featureRows, phaseRunOf).values()].map((rows) => [...rows].sort(bySending));
  const report = {
    feature,
    since: selection.since?.toISOString() ?? null,
    branch: selection.branch,
    ...loopsCost(featureRows),
    rates_of_all_features: loopsCost(loopRows).rates,
    phases: phases.flatMap((rows) => rows.slice(0, 1).map((first) => phaseCost(first, rows))),
    unreadable_entries: unreadable,
  };
  return { report, rows: phases.flat() };
}

/** Returns the features with phases in the ledger (the log of all calls), sorted by name. */
export function featuresIn(entries: readonly LedgerEntry[]): readonly string[] {
  const features = entries.flatMap((entry) => (entry.kind === 'loop' ? [entry.feature] : []));
  return [...new Set(features)].sort(byCodePoint);
}

export function isLoop(row: CostRow): row is LoopRow {
  return row.kind === 'loop';
}

function phaseCost({ phase, run, at }: LoopRow, rows: readonly LoopRow[]): FeatureDocument['phases'][number] {
  const { paid, compared } = loopsCost(rows);
  return { phase, run, at, paid, compared, dispatches: rows.map(callDocument) };
}

function callDocument({ price, ...row }: LoopRow): PhaseCall {
  const { at, branch, stage, role, iteration, dispatch, template, why, guarded, status, agent, model } = row;
  return {
    ...{ at, branch, stage, role, iteration, dispatch, template, why, guarded, status, agent, model },
    started_by: row.startedBy,
    final_validation: row.isFinalValidation,
    fell_back: row.fellBack,
    reads_unconfirmed: row.warned,
    dispatches: row.asks,
    prompt_chars: row.promptChars,
    fresh_chars: row.freshChars,
    usage: usageDocument(row.usage),
    cost_usd: price === null ? null : money(price.usd),
    cost_source: price?.from ?? null,
    duration_ms: row.durationMs,
  };
}

/** Sorts calls by time, and calls of the same time by their place in the review loop. */
function bySending(a: LedgerLoop, b: LedgerLoop): number {
  return (
    byCodePoint(a.at, b.at) ||
    positionOf(a.stage, PHASE_STAGES) - positionOf(b.stage, PHASE_STAGES) ||
    a.iteration - b.iteration ||
    Number(a.isFinalValidation) - Number(b.isFinalValidation) ||
    positionOf(a.role, REVIEWER_ROLES) - positionOf(b.role, REVIEWER_ROLES)
  );
}

/** Returns the position of a name in a list. Names that are not in the list come last. */
function positionOf(name: string, order: readonly string[]): number {
  const position = order.indexOf(name);
  return position === -1 ? order.length : position;
}
