import type { PriceList, Usage } from '../kernel/agent.ts';
import { byCodePoint, grouped } from '../kernel/collections.ts';
import { ITERATION_CAP, type PhaseStage, REVIEWER_ROLES } from '../kernel/review-loops.ts';
import type { LedgerEntry, LedgerLoop, LoopDispatch } from '../ledger/entries.ts';
import { type Beside, grownBy, isResumed, savedByResuming, withSessionStarts } from '../ledger/savings.ts';
import { type CostSelection, costRows, mostExpensive, paidFor, phaseRunOf, selectEntries } from './rows.ts';
import type {
  Compared,
  CostRow,
  FeatureCost,
  FeatureReport,
  LongestLoop,
  LoopCost,
  LoopRow,
  LoopsCost,
  PhaseRunId,
  Rate,
  SavedTokens,
} from './types.ts';

/** With fewer features the rates are not judged. */
const ENOUGH_FEATURES = 3;

/** The highest accepted part of the resumes, of the document iterations, and of the new sessions. */
const THRESHOLDS = { fallbacks: 0.2, guards: 0.5, lazyLoads: 0.2 } as const;

/** A loop of five iterations must send less than this part of five new sessions (NFR3). */
const NFR3_LIMIT = 0.5;

/** The price of a token that is written to a cache or read from it, relative to an uncached token. */
const CACHE_WEIGHTS = { write: 1.25, read: 0.1 } as const;

/**
 * Compares review loops with new sessions in every round, and returns the watched rates. `dispatches` are in the order
 * of sending. `unanswered` calls count only as failed resumes.
 */
export function loopCost(dispatches: readonly LoopDispatch[], unanswered: readonly LoopDispatch[] = []): LoopCost {
  const features = new Set(dispatches.map(({ feature }) => feature)).size;
  const resumed = dispatches.filter(isResumed);
  const beside = withSessionStarts(dispatches);
  const long = longLoops(dispatches);
  const guardable = dispatches.filter(({ phase, role, why }) => {
    return phase !== 'implement' && role !== 'implementer' && why !== 'first-look';
  });
  const fresh = dispatches.filter((one) => !isResumed(one));
  const rate = (name: keyof typeof THRESHOLDS, count: number, of: number) => rateOf(count, of, THRESHOLDS[name]);
  const fellBack = [...dispatches, ...unanswered].filter((one) => one.fellBack).length;
  const opened = beside.filter(({ one, opening }) => isResumed(one) && opening !== null);
  return {
    features,
    dispatches: dispatches.length,
    resumed: resumed.length,
    characters: charactersOf(dispatches),
    tokens: tokensOf(beside, inputTokens),
    weighted: tokensOf(beside, weightedTokens),
    untold: dispatches.filter(({ spent }) => spent.usage === null).length,
    opened: opened.length,
    notShorter: opened.filter(({ one, opening }) => opening !== null && !isShorter(one, opening)).map(({ one }) => one),
    longLoops: long.length,
    notHalved: long.filter(({ characters }) => (characters.ratio ?? 0) >= NFR3_LIMIT),
    fallbacks: rate('fallbacks', fellBack, resumed.length + fellBack),
    guards: rate('guards', guardable.filter(({ guarded }) => guarded).length, guardable.length),
    lazyLoads: rate('lazyLoads', fresh.filter(({ warned }) => warned).length, fresh.length),
    isJudged: features >= ENOUGH_FEATURES,
  };
}

/** Returns the input tokens of a call, weighted by their price. */
function weightedTokens({ inputTokens: plain, cacheWriteTokens, cachedInputTokens }: Usage): number {
  return plain + CACHE_WEIGHTS.write * cacheWriteTokens + CACHE_WEIGHTS.read * cachedInputTokens;
}

function inputTokens({ inputTokens: plain, cacheWriteTokens, cachedInputTokens }: Usage): number {
  return plain + cacheWriteTokens + cachedInputTokens;
}

function isShorter({ spent }: LoopDispatch, opening: LoopDispatch): boolean {
  return spent.promptChars < opening.spent.promptChars;
}

function charactersOf(dispatches: readonly LoopDispatch[]): Compared {
  return compared(
    dispatches.reduce((sum, { spent }) => sum + spent.promptChars, 0),
    dispatches.reduce((sum, { spent }) => sum + spent.freshChars, 0),
  );
}

/** Estimates a new session by the first call of the resumed session, plus the growth of its prompt. */
function tokensOf(beside: readonly Beside<LoopDispatch>[], weigh: (usage: Usage) => number): Compared {
  let [sent, fresh] = [0, 0];
  for (const { one, opening } of beside) {
    const { usage } = one.spent;
    const opened = opening?.spent.usage ?? null;
    if (usage === null || opening === null || opened === null) continue;
    sent += weigh(usage);
    fresh += weigh(opened) + (isResumed(one) ? grownBy(one, opening) : 0);
  }
  return compared(sent, fresh);
}

/** Returns the loops that reached the iteration cap. */
function longLoops(dispatches: readonly LoopDispatch[]): readonly LongestLoop[] {
  const reviews = dispatches.filter(({ role }) => role !== 'implementer');
  const loops = grouped(reviews, ({ feature, phase, stage, run }) => JSON.stringify([feature, phase, stage, run]));
  return [...loops.values()].flatMap((loop) => {
    const [first] = loop;
    if (first === undefined || Math.max(...loop.map(({ iteration }) => iteration)) < ITERATION_CAP) return [];
    const { feature, phase, stage, run } = first;
    return [{ feature, phase, stage, run, characters: charactersOf(loop) }];
  });
}

function compared(sent: number, fresh: number): Compared {
  return { sent, fresh, ratio: fresh === 0 ? null : sent / fresh };
}

function rateOf(count: number, of: number, threshold: number): Rate {
  const rate = of === 0 ? null : count / of;
  return { count, of, rate, threshold, isExceeded: rate !== null && rate > threshold };
}

/** A call with the time of its ledger entry. */
type Recorded = LoopDispatch & { readonly at: string };

/**
 * Returns the calls of review loops in the order of sending. Calls without an answer are apart, because a new session
 * would have sent them too. Calls before the reviews of code belong to no loop and are left out.
 */
export function dispatchesIn(entries: readonly LedgerLoop[]): {
  readonly answered: readonly Recorded[];
  readonly unanswered: readonly Recorded[];
} {
  const sent = [...entries].sort(bySending).flatMap((entry): readonly (Recorded & Pick<LedgerLoop, 'status'>)[] => {
    const { at, feature, run, phase, stage, role, iteration, isFinalValidation, template, why, status } = entry;
    if (template === null) return [];
    const { fellBack, guarded, warned, asks, promptChars, freshChars, usage } = entry;
    const where = { feature, run, phase, stage, role, iteration, isFinalValidation };
    return [
      {
        ...{ at, status, ...where, template, why, fellBack, guarded, warned },
        spent: { asks, promptChars, freshChars, usage },
      },
    ];
  });
  const of = (isError: boolean) =>
    sent.filter(({ status }) => (status === 'error') === isError).map(({ status: _, ...dispatch }) => dispatch);
  return { answered: of(false), unanswered: of(true) };
}

/** Returns what these calls cost together. */
export function loopsCost(rows: readonly LoopRow[]): LoopsCost {
  const { answered, unanswered } = dispatchesIn(rows.map(({ loop }) => loop));
  return {
    paid: paidFor(rows),
    spared: savedIn(savedByResuming(answered)),
    compared: loopCost(answered, unanswered),
  };
}

/** Returns the cost per feature, the most expensive first. */
export function featureCosts(rows: readonly LoopRow[]): readonly FeatureCost[] {
  return [...grouped(rows, ({ loop }) => loop.feature)]
    .map(([feature, own]) => ({ feature, ...loopsCost(own) }))
    .sort((a, b) => mostExpensive(a.paid, b.paid) || byCodePoint(a.feature, b.feature));
}

/** Returns the cost of one feature; `null` if the ledger has no phase of it. */
export function summariseFeature(
  feature: string,
  { entries, unreadable }: { readonly entries: readonly LedgerEntry[]; readonly unreadable: number },
  selection: CostSelection,
  priceOf: PriceList,
): FeatureReport | null {
  if (!featuresIn(entries).includes(feature)) return null;
  const rows = costRows(selectEntries(entries, selection), priceOf).filter(isLoop);
  const own = rows.filter(({ loop }) => loop.feature === feature);
  return {
    feature,
    since: selection.since?.toISOString() ?? null,
    branch: selection.branch,
    ...loopsCost(own),
    playings: phaseRuns(own),
    all: loopsCost(rows).compared,
    unreadable,
  };
}

/** Returns the features with phases in the ledger, by name. */
export function featuresIn(entries: readonly LedgerEntry[]): readonly string[] {
  const features = entries.flatMap((entry) => (entry.kind === 'loop' ? [entry.feature] : []));
  return [...new Set(features)].sort(byCodePoint);
}

export function isLoop(row: CostRow): row is LoopRow {
  return row.kind === 'loop';
}

function phaseRuns(rows: readonly LoopRow[]): readonly PhaseRunId[] {
  return [...grouped(rows, ({ loop }) => phaseRunOf(loop)).values()].flatMap((own) => {
    const sorted = [...own].sort((a, b) => bySending(a.loop, b.loop));
    const [first] = sorted;
    if (first === undefined) return [];
    const { phase, run, at } = first.loop;
    return [{ phase, run, at, ...loopsCost(sorted), rows: sorted }];
  });
}

function savedIn(spared: readonly { readonly tokens: number }[]): SavedTokens {
  return { looks: spared.length, tokens: spared.reduce((sum, { tokens }) => sum + tokens, 0) };
}

/** Orders calls by time, and calls of the same time by their place in the loop. */
function bySending(a: LedgerLoop, b: LedgerLoop): number {
  return (
    byCodePoint(a.at, b.at) ||
    positionOf(a.stage, STAGES) - positionOf(b.stage, STAGES) ||
    a.iteration - b.iteration ||
    Number(a.isFinalValidation) - Number(b.isFinalValidation) ||
    positionOf(a.role, REVIEWER_ROLES) - positionOf(b.role, REVIEWER_ROLES)
  );
}

const STAGES: readonly PhaseStage[] = ['domain', 'phase', 'implement'];

/** Returns the position in a list. Names that are not in the list come last. */
function positionOf(name: string, order: readonly string[]): number {
  const position = order.indexOf(name);
  return position === -1 ? order.length : position;
}
