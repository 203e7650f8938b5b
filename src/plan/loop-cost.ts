import { grouped } from '../domain/grouped.ts';
import type { Compared, LongLoop, LoopCost, LoopDispatch, Rate } from '../domain/loop-cost.ts';
import { dispatchBy } from '../domain/loop-template.ts';
import type { FixTurn, IterationEntry, PhaseMark } from '../domain/phase.ts';
import { newTokens, type Usage } from '../domain/usage.ts';
import { estimateTokens } from './estimate.ts';
import { ITERATION_CAP } from './phase-roles.ts';

/** Features after which the rates say something. */
const ENOUGH_FEATURES = 3;

/** What calls for action: more than this part of the resumes, document iterations and fresh dispatches. */
const THRESHOLDS = { fallbacks: 0.2, guards: 0.5, lazyLoads: 0.2 } as const;

/** A loop of five iterations sends less than this part of five fresh ones. */
const NFR3_LIMIT = 0.5;

/** What a token costs when it is written to a cache or read from it, beside one that is not cached. */
const CACHE_WEIGHTS = { write: 1.25, read: 0.1 } as const;

/** The dispatches of a recorded round, with the fix that followed it. */
export function dispatchesOf(
  entry: IterationEntry,
  fix: { readonly turn: FixTurn | null; readonly marks: readonly PhaseMark[] } | null,
  { feature, run }: Pick<LoopDispatch, 'feature' | 'run'>,
): readonly LoopDispatch[] {
  const { phase, stage, iteration, isFinalValidation } = entry;
  const common = { feature, run, phase, stage, iteration };
  const reviews = entry.looks.map(({ role, template, why, spent }) => {
    return { ...common, isFinalValidation, role, template, why, spent, ...noted(entry.marks, role) };
  });
  const turn = fix?.turn ?? null;
  if (fix === null || turn === null) return reviews;
  const { template, why, spent } = turn;
  const role = 'implementer';
  return [...reviews, { ...common, isFinalValidation: false, role, template, why, spent, ...noted(fix.marks, role) }];
}

function noted(
  marks: readonly PhaseMark[],
  role: LoopDispatch['role'],
): Pick<LoopDispatch, 'fellBack' | 'guarded' | 'warned'> {
  const has = (kind: PhaseMark['kind']) => marks.some((mark) => mark.kind === kind && mark.role === role);
  return { fellBack: has('resume-fallback'), guarded: has('delta-guard'), warned: has('lazy-load-warning') };
}

/**
 * What loops cost beside fresh dispatches, and the rates that are watched; dispatches in the order in which they were
 * sent. Those that nobody answered count only as resumes that failed.
 */
export function loopCost(dispatches: readonly LoopDispatch[], unanswered: readonly LoopDispatch[] = []): LoopCost {
  const features = new Set(dispatches.map(({ feature }) => feature)).size;
  const resumed = dispatches.filter(isResumed);
  const beside = withOpenings(dispatches);
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

/**
 * What resuming spared: what opening the session took from no cache, and what its prompt would have grown by, less what
 * the resumed dispatch took.
 */
export function sparedByResuming<T extends LoopDispatch>(
  dispatches: readonly T[],
): readonly { readonly one: T; readonly tokens: number }[] {
  return withOpenings(dispatches)
    .filter(({ one }) => isResumed(one))
    .map(({ one, opening }) => {
      const used = one.spent.usage;
      const opened = opening?.spent.usage ?? null;
      if (used === null || opening === null || opened === null) return { one, tokens: 0 };
      return { one, tokens: Math.max(0, newTokens(opened) + grownBy(one, opening) - newTokens(used)) };
    });
}

/** All input of a dispatch, weighed by what a cache makes of its price. */
function weightedTokens({ inputTokens: plain, cacheWriteTokens, cachedInputTokens }: Usage): number {
  return plain + CACHE_WEIGHTS.write * cacheWriteTokens + CACHE_WEIGHTS.read * cachedInputTokens;
}

function inputTokens({ inputTokens: plain, cacheWriteTokens, cachedInputTokens }: Usage): number {
  return plain + cacheWriteTokens + cachedInputTokens;
}

type Beside<T> = { readonly one: T; readonly opening: T | null };

/** Each dispatch with the fresh one that its role was last opened with in the same playing of the phase. */
function withOpenings<T extends LoopDispatch>(dispatches: readonly T[]): readonly Beside<T>[] {
  const openings = new Map<string, T>();
  return dispatches.map((one) => {
    const key = JSON.stringify([one.feature, one.phase, one.run, one.role]);
    if (!isResumed(one)) openings.set(key, one);
    return { one, opening: openings.get(key) ?? null };
  });
}

function isResumed({ template }: LoopDispatch): boolean {
  return dispatchBy(template) === 'resumed';
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

/** A resumed dispatch, fresh, would have cost what its opening did, and what its prompt has grown by. */
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

/** About how many tokens a fresh prompt has more than the one that opened the session. */
function grownBy({ spent }: LoopDispatch, opening: LoopDispatch): number {
  const grown = spent.freshChars - opening.spent.freshChars;
  return Math.sign(grown) * estimateTokens(Math.abs(grown));
}

/** Loops with five counted iterations. */
function longLoops(dispatches: readonly LoopDispatch[]): readonly LongLoop[] {
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
