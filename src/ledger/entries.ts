import type { Usage } from '../kernel/agent.ts';
import type { Result } from '../kernel/result.ts';
import {
  LOOP_DISPATCH_REASONS,
  LOOP_TEMPLATES,
  type LoopTemplate,
  PHASE_ROLES,
  PHASE_STAGES,
  PHASES,
} from '../kernel/review-loops.ts';
import {
  hasShape,
  isAmount,
  isBoolean,
  isCount,
  isOneOf,
  isOrdinal,
  isString,
  isTime,
  listOf,
  orNull,
  readShape,
  type Shaped,
  USAGE,
  withKeyOrder,
} from '../kernel/shape.ts';

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

export const LEVERS = ['pass', 'slot', 'session', 'prefix'] as const;

/** One of the four savings: by skipped gates, skipped reviewers, resumed sessions and shared prompts. */
export type Lever = (typeof LEVERS)[number];

/** Estimated tokens saved. */
export type Saved = Readonly<Record<Lever, number>>;

const DATED = {
  /** The end time. */
  at: isTime,
  durationMs: isAmount,
  startedBy: isOneOf(['person', 'agent']),
  /** `null`: HEAD was detached. */
  branch: orNull(isString),
};

const DISPATCHED = {
  agent: isString,
  /** `null`: neither the settings nor the agent named a model. */
  model: orNull(isString),
  dispatch: isOneOf(['fresh', 'resumed']),
  /** The number of calls: more than one after an unreadable answer, or for a diff in parts. */
  asks: isAmount,
  usage: orNull(hasShape<Usage>(USAGE)),
};

const SLOT = {
  gate: isString,
  slot: isOrdinal,
  status: isOneOf(['pass', 'fail', 'error']),
  /** Why the session was new or resumed. */
  why: isString,
  durationMs: isAmount,
  ...DISPATCHED,
};

export type LedgerSlot = Shaped<typeof SLOT>;

const CHECK = { gate: isString, status: isOneOf(['pass', 'fail', 'error']), durationMs: isAmount };

const SPARED = {
  gate: isString,
  lever: isOneOf(LEVERS),
  /** The number of reviews. */
  looks: isAmount,
  tokens: isAmount,
};

/** A saving at a gate, in estimated tokens. */
export type SavedUsage = Shaped<typeof SPARED>;

const RUN = {
  kind: isOneOf(['run']),
  ...DATED,
  scope: isString,
  /** `null`: nothing ran. */
  iteration: orNull(isOrdinal),
  status: isOneOf(RUN_STATUSES),
  exitCode: (value: unknown): value is 0 | 1 | 3 => value === 0 || value === 1 || value === 3,
  /** The reviewers that ran. */
  slots: listOf<LedgerSlot>(SLOT),
  /** The checks that ran. */
  checks: listOf<Shaped<typeof CHECK>>(CHECK),
  spared: listOf<SavedUsage>(SPARED),
};

/** A run, even one with nothing to do. */
export type LedgerRun = Shaped<typeof RUN>;

const FIX = { kind: isOneOf(['fix']), ...DATED, ...DISPATCHED };

/** A fix by an agent. */
export type LedgerFix = Shaped<typeof FIX>;

const LOOP = {
  kind: isOneOf(['loop']),
  ...DATED,
  feature: isString,
  phase: isOneOf(PHASES),
  stage: isOneOf(PHASE_STAGES),
  /** The run of the phase. A rerun has another one. */
  run: isString,
  role: isOneOf(PHASE_ROLES),
  iteration: isCount,
  isFinalValidation: isBoolean,
  /** `null`: a step before the reviews of code, which has its own prompt. */
  template: orNull(isOneOf(LOOP_TEMPLATES)),
  why: isOneOf(LOOP_DISPATCH_REASONS),
  fellBack: isBoolean,
  guarded: isBoolean,
  warned: isBoolean,
  /** done: the implementer answered. error: no agent gave a valid answer. */
  status: isOneOf(['pass', 'fail', 'done', 'error']),
  ...DISPATCHED,
  /** Characters of the prompts that were sent, and of the prompt of a new session. */
  promptChars: isAmount,
  freshChars: isAmount,
};

/** A call of a review loop, or of a step before the reviews of code, with all its retries. */
export type LedgerLoop = Shaped<typeof LOOP>;

/** A call of a review loop, without the facts that only the ledger keeps. */
export type LoopDispatch = Omit<
  LedgerLoop,
  keyof typeof DATED | 'kind' | 'template' | 'status' | 'agent' | 'model' | 'dispatch'
> & { readonly template: LoopTemplate };

const STEP = {
  kind: isOneOf(['step']),
  ...DATED,
  job: isString,
  /** The session of the workflow. */
  session: isString,
  step: isString,
  /** done: a reviewer answered. error: no reviewer gave a valid answer. */
  status: isOneOf(['done', 'error']),
  ...DISPATCHED,
};

/** A review of the outputs of a workflow step, with all its retries. */
export type LedgerStep = Shaped<typeof STEP>;

/** The tokens and the money of a run, a fix, a call of a phase, or a review of a workflow step. */
export type LedgerEntry = LedgerRun | LedgerFix | LedgerLoop | LedgerStep;

/** Returns an entry as the text of its file. */
export function ledgerText(entry: LedgerEntry): string {
  const shape = { run: RUN, fix: FIX, loop: LOOP, step: STEP }[entry.kind];
  return `${JSON.stringify(withKeyOrder<object>(entry, shape))}\n`;
}

/** Parses an entry; `null` if the value is not a valid entry. */
export function readLedgerEntry(value: unknown): LedgerEntry | null {
  return (
    readShape<LedgerRun>(value, RUN) ??
    readShape<LedgerFix>(value, FIX) ??
    readShape<LedgerLoop>(value, LOOP) ??
    readShape<LedgerStep>(value, STEP)
  );
}

/** The cost records of this clone. */
export interface Ledger {
  add(entry: LedgerEntry): Promise<Result<void>>;
  /** Returns all entries, oldest first, and the number of unreadable ones. */
  all(): Promise<Result<{ readonly entries: readonly LedgerEntry[]; readonly unreadable: number }>>;
}
