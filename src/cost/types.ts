import type { Usage } from '../kernel/agent.ts';
import type { GateId } from '../kernel/ids.ts';
import type { LedgerLoop, LedgerRun, LedgerSlot, LedgerStep, Lever, LoopDispatch } from '../ledger/entries.ts';

/** A review, a fix, a call of a phase, or a review of a workflow step, with its cost. */
export type CostRow = ReviewRow | FixRow | LoopRow | StepRow;

export type ReviewRow = Costed &
  Pick<LedgerSlot, 'gate' | 'slot' | 'status' | 'why'> & {
    readonly kind: 'look';
    readonly run: Pick<LedgerRun, 'scope' | 'iteration'>;
  };

type FixRow = Costed & { readonly kind: 'fix' };

export type LoopRow = Costed & { readonly kind: 'loop'; readonly loop: LedgerLoop };

type StepRow = Costed & Pick<LedgerStep, 'job' | 'step' | 'status'> & { readonly kind: 'step' };

type Costed = {
  readonly at: string;
  readonly startedBy: 'person' | 'agent';
  readonly branch: string | null;
  readonly agent: string;
  readonly model: string | null;
  readonly dispatch: 'fresh' | 'resumed';
  readonly dispatches: number;
  readonly usage: Usage | null;
  /** `null`: unknown. */
  readonly price: Price | null;
  readonly durationMs: number;
};

/** A price that the agent reported, or the list price of its model. */
type Price = { readonly usd: number; readonly from: 'agent' | 'list' };

/** The sum of several rows. A "look" is one row. */
export type Paid = {
  readonly looks: number;
  readonly resumed: number;
  readonly dispatches: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Rows without a token count. */
  readonly untold: number;
  /** Reported by agents. */
  readonly toldUsd: number;
  /** At list prices, for rows without a reported price. */
  readonly listUsd: number;
  /** Rows without a price. */
  readonly unpriced: number;
  readonly durationMs: number;
};

/** Returns all tokens, including cached ones. */
export function paidTokens({ inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens }: Paid): number {
  return inputTokens + cachedInputTokens + cacheWriteTokens + outputTokens;
}

export type SavedTokens = { readonly looks: number; readonly tokens: number };

/** The cost and the savings of the selected runs and phases. */
export type CostReport = {
  readonly since: string | null;
  /** `null`: every branch. */
  readonly branch: string | null;
  readonly runs: number;
  /** Runs with nothing to do. */
  readonly idleRuns: number;
  readonly fixes: number;
  readonly paid: Paid;
  readonly spared: Readonly<Record<Lever, SavedTokens>>;
  /** Counts of reviews that had a session to resume, by outcome. */
  readonly again: RepeatCount;
  readonly gates: readonly GateCost[];
  /** The cost of review loops, in total and by feature, the most expensive first. */
  readonly loops: LoopsCost;
  readonly features: readonly FeatureCost[];
  /** The cost of reviews of workflow steps, the most expensive first. */
  readonly steps: readonly StepCost[];
  readonly agents: readonly AgentCost[];
  /** Oldest first. */
  readonly days: readonly DayCost[];
  readonly checks: readonly CheckCost[];
  /** Newest first. */
  readonly lastRuns: readonly RunCost[];
  readonly unreadable: number;
};

export type RepeatCount = {
  readonly resumed: number;
  /** New session because too much had changed. */
  readonly guarded: number;
  /** New session because the old one was lost. */
  readonly fellBack: number;
  /** New session because resuming would have cost more. */
  readonly dearer: number;
};

/** `gate` is `null` for fixes by agents. */
export type GateCost = { readonly gate: GateId | null; readonly paid: Paid; readonly spared: SavedTokens };

/** The cost of review loops, compared with new sessions in every round. */
export type LoopsCost = { readonly paid: Paid; readonly spared: SavedTokens; readonly compared: LoopCost };

export type FeatureCost = LoopsCost & { readonly feature: string };

/** The cost of the phases of one feature, in total and per run of a phase. */
export type FeatureReport = FeatureCost &
  Pick<CostReport, 'since' | 'branch' | 'unreadable'> & {
    readonly playings: readonly PhaseRunId[];
    /** All features, by which the rates are judged. */
    readonly all: LoopCost;
  };

/** One run of a phase, with its calls in the order of sending. */
export type PhaseRunId = LoopsCost &
  Pick<LedgerLoop, 'phase' | 'run' | 'at'> & {
    readonly rows: readonly LoopRow[];
  };

export type StepCost = Pick<LedgerStep, 'job' | 'step'> & { readonly paid: Paid };

export type AgentCost = { readonly agent: string; readonly model: string | null; readonly paid: Paid };

export type DayCost = {
  readonly day: string;
  readonly runs: number;
  readonly paid: Paid;
  readonly spared: SavedTokens;
};

export type CheckCost = { readonly gate: GateId; readonly runs: number; readonly durationMs: number };

export type RunCost = Pick<
  LedgerRun,
  'at' | 'branch' | 'scope' | 'iteration' | 'status' | 'exitCode' | 'startedBy' | 'durationMs'
> & { readonly paid: Paid; readonly spared: SavedTokens };

/** Compares the prompts that were sent with those of new sessions. */
export type Compared = {
  readonly sent: number;
  readonly fresh: number;
  /** `null`: there is nothing to compare with. */
  readonly ratio: number | null;
};

/** How often something happened, and how often it could have. */
export type Rate = {
  readonly count: number;
  readonly of: number;
  readonly rate: number | null;
  readonly threshold: number;
  readonly isExceeded: boolean;
};

export type LoopCost = {
  readonly features: number;
  readonly dispatches: number;
  readonly resumed: number;
  readonly characters: Compared;
  /** Input tokens as agents reported them; new sessions are estimated. */
  readonly tokens: Compared;
  /** Input tokens weighted by the price of cache writes and reads. */
  readonly weighted: Compared;
  /** Calls without a token count. */
  readonly untold: number;
  /** Resumed prompts whose first prompt is known, and those that are not shorter than it (NFR1). */
  readonly opened: number;
  readonly notShorter: readonly LoopDispatch[];
  /** Loops that reached the iteration cap, and those that sent at least half of new sessions (NFR3). */
  readonly longLoops: number;
  readonly notHalved: readonly LongestLoop[];
  readonly fallbacks: Rate;
  readonly guards: Rate;
  readonly lazyLoads: Rate;
  /** Whether there are enough features to judge the rates. */
  readonly isJudged: boolean;
};

/** A rate that is watched over all features. */
export type PromiseCheck = keyof Pick<LoopCost, 'fallbacks' | 'guards' | 'lazyLoads'>;

/** Whether review loops keep a promise. */
export type PromiseResult = 'holds' | 'does-not-hold' | 'nothing-to-judge';

/** Returns 'holds' if none of the cases broke the promise. */
export function promiseResult(of: number, broken: number): PromiseResult {
  if (of === 0) return 'nothing-to-judge';
  return broken === 0 ? 'holds' : 'does-not-hold';
}

export type LongestLoop = Pick<LoopDispatch, 'feature' | 'phase' | 'stage' | 'run'> & { readonly characters: Compared };
