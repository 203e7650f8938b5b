import type { Usage } from '../kernel/agent.ts';
import type { GateId } from '../kernel/ids.ts';
import type { Result } from '../kernel/result.ts';
import type {
  LoopDispatchReason,
  LoopTemplate,
  PhaseName,
  PhaseRole,
  PhaseStage,
  Spent,
} from '../kernel/review-loops.ts';

export const RUN_STATUSES = [
  'no_changes',
  'no_applicable_gates',
  'passed',
  'passed_with_warnings',
  'failed',
  'error',
  'retry_limit_exceeded',
  'lock_conflict',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** Estimated tokens saved: by skipped gates, skipped reviewers, resumed sessions and shared prompts. */
export type Saved = {
  readonly pass: number;
  readonly slot: number;
  readonly session: number;
  readonly prefix: number;
};

/** A recorded call of a review loop, with all its retries. */
export type LoopDispatch = Spent & {
  readonly feature: string;
  readonly phase: PhaseName;
  readonly stage: PhaseStage;
  /** The run of the phase. A rerun has another one. */
  readonly run: string;
  readonly role: PhaseRole;
  readonly iteration: number;
  readonly isFinalValidation: boolean;
  readonly template: LoopTemplate;
  readonly why: LoopDispatchReason;
  readonly fellBack: boolean;
  readonly guarded: boolean;
  readonly warned: boolean;
};

/** One of the four savings. */
export type Lever = keyof Saved;

/** The tokens and the money of a run, a fix, a call of a phase, or a review of a workflow step. */
export type LedgerEntry = LedgerRun | LedgerFix | LedgerLoop | LedgerStep;

/** A run, even one with nothing to do. */
export type LedgerRun = Dated & {
  readonly kind: 'run';
  readonly scope: string;
  /** `null`: nothing ran. */
  readonly iteration: number | null;
  readonly status: RunStatus;
  readonly exitCode: 0 | 1 | 3;
  /** The reviewers that ran. */
  readonly slots: readonly LedgerSlot[];
  /** The checks that ran. */
  readonly checks: readonly LedgerCheck[];
  readonly spared: readonly SavedUsage[];
};

/** A fix by an agent. */
export type LedgerFix = Dated & Dispatched & { readonly kind: 'fix' };

/** A call of a review loop, or of a step before the reviews of code. */
export type LedgerLoop = Dated &
  Dispatched &
  Omit<LoopDispatch, 'template'> & {
    readonly kind: 'loop';
    /** `null`: a step before the reviews of code, which has its own prompt. */
    readonly template: LoopTemplate | null;
    /** done: the implementer answered. error: no agent gave a valid answer. */
    readonly status: 'pass' | 'fail' | 'done' | 'error';
  };

/** A review of the outputs of a workflow step, with all its retries. */
export type LedgerStep = Dated &
  Dispatched & {
    readonly kind: 'step';
    readonly job: string;
    /** The session of the workflow. */
    readonly session: string;
    readonly step: string;
    /** done: a reviewer answered. error: no reviewer gave a valid answer. */
    readonly status: 'done' | 'error';
  };

type Dated = {
  /** The end time. */
  readonly at: string;
  readonly durationMs: number;
  readonly startedBy: 'person' | 'agent';
  /** `null`: HEAD was detached. */
  readonly branch: string | null;
};

type Dispatched = {
  readonly agent: string;
  /** `null`: neither the settings nor the agent named a model. */
  readonly model: string | null;
  readonly dispatch: 'fresh' | 'resumed';
  /** The number of calls: more than one after an unreadable answer, or for a diff in parts. */
  readonly asks: number;
  readonly usage: Usage | null;
};

export type LedgerSlot = Dispatched & {
  readonly gate: GateId;
  readonly slot: number;
  readonly status: 'pass' | 'fail' | 'error';
  /** Why the session was new or resumed. */
  readonly why: string;
  readonly durationMs: number;
};

export type LedgerCheck = {
  readonly gate: GateId;
  readonly status: 'pass' | 'fail' | 'error';
  readonly durationMs: number;
};

/** A saving at a gate: the number of reviews, and the estimated tokens. */
export type SavedUsage = {
  readonly gate: GateId;
  readonly lever: Lever;
  readonly looks: number;
  readonly tokens: number;
};

/** The cost records of this clone. */
export interface Ledger {
  add(entry: LedgerEntry): Promise<Result<void>>;
  /** Returns all entries, oldest first, and the number of unreadable ones. */
  all(): Promise<Result<{ readonly entries: readonly LedgerEntry[]; readonly unreadable: number }>>;
}
