import type { GateId } from './gate.ts';
import type { LedgerLoop, LedgerRun, LedgerSlot, LedgerStep, Lever } from './ledger.ts';
import type { LoopCost } from './loop-cost.ts';
import type { Usage } from './usage.ts';

/** One look of a reviewer, one turn of a fixer, one dispatch of a review loop, or one review of a workflow's step, with what it cost. */
export type CostRow = LookRow | FixRow | LoopRow | StepRow;

export type LookRow = Costed &
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
  /** Null: it is not known. */
  readonly price: Price | null;
  readonly durationMs: number;
};

/** What the agent told, or what the list prices of its model say. */
type Price = { readonly usd: number; readonly from: 'agent' | 'list' };

/** The list price of what was used; null where the model or its price is not known. */
export type PriceList = (used: {
  readonly agent: string;
  readonly model: string;
  readonly usage: Usage;
  readonly at: Date;
}) => number | null;

/** What several looks cost together. */
export type Paid = {
  readonly looks: number;
  readonly resumed: number;
  readonly dispatches: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Looks whose agent told no tokens. */
  readonly untold: number;
  /** What agents told. */
  readonly toldUsd: number;
  /** What the list prices say where the agent told nothing. */
  readonly listUsd: number;
  /** Looks of which no price is known. */
  readonly unpriced: number;
  readonly durationMs: number;
};

/** All tokens that were paid for, those from caches among them. */
export function paidTokens({ inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens }: Paid): number {
  return inputTokens + cachedInputTokens + cacheWriteTokens + outputTokens;
}

export type SparedTokens = { readonly looks: number; readonly tokens: number };

/** What was paid and what was not, of the runs and loops that somebody asked about. */
export type CostReport = {
  readonly since: string | null;
  /** Null: every branch. */
  readonly branch: string | null;
  readonly runs: number;
  /** Runs that found nothing to do. */
  readonly idleRuns: number;
  readonly fixes: number;
  readonly paid: Paid;
  readonly spared: Readonly<Record<Lever, SparedTokens>>;
  /** How looks that had a session to go on with went. */
  readonly again: Again;
  readonly gates: readonly GateCost[];
  /** What review loops cost, all together and by feature, the dearest first. */
  readonly loops: LoopsCost;
  readonly features: readonly FeatureCost[];
  /** What reviews of workflows' steps cost, the dearest first. */
  readonly steps: readonly StepCost[];
  readonly agents: readonly AgentCost[];
  /** Oldest first. */
  readonly days: readonly DayCost[];
  readonly checks: readonly CheckCost[];
  /** Newest first. */
  readonly lastRuns: readonly RunCost[];
  readonly unreadable: number;
};

export type Again = {
  readonly resumed: number;
  /** Fresh because too much had changed. */
  readonly guarded: number;
  /** Fresh because the session was lost. */
  readonly fellBack: number;
  /** Fresh because resuming would have been dearer. */
  readonly dearer: number;
};

/** The gate is null for what fixers did. */
export type GateCost = { readonly gate: GateId | null; readonly paid: Paid; readonly spared: SparedTokens };
/** What review loops cost, and what they sent beside fresh dispatches each time. */
export type LoopsCost = { readonly paid: Paid; readonly spared: SparedTokens; readonly compared: LoopCost };
export type FeatureCost = LoopsCost & { readonly feature: string };

/** What the review loops of one feature cost, one by one and together. */
export type FeatureReport = FeatureCost &
  Pick<CostReport, 'since' | 'branch' | 'unreadable'> & {
    readonly playings: readonly Playing[];
    /** All features: what is watched is judged by them. */
    readonly all: LoopCost;
  };

/** One playing of a phase, with what it sent in the order of time. */
export type Playing = LoopsCost &
  Pick<LedgerLoop, 'phase' | 'run' | 'at'> & {
    readonly rows: readonly LoopRow[];
  };

export type StepCost = Pick<LedgerStep, 'job' | 'step'> & { readonly paid: Paid };
export type AgentCost = { readonly agent: string; readonly model: string | null; readonly paid: Paid };
export type DayCost = {
  readonly day: string;
  readonly runs: number;
  readonly paid: Paid;
  readonly spared: SparedTokens;
};
export type CheckCost = { readonly gate: GateId; readonly runs: number; readonly durationMs: number };
export type RunCost = Pick<
  LedgerRun,
  'at' | 'branch' | 'scope' | 'iteration' | 'status' | 'exitCode' | 'startedBy' | 'durationMs'
> & { readonly paid: Paid; readonly spared: SparedTokens };
