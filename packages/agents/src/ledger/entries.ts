import type { CacheNote, Usage } from '@onceover/base/kernel/agent';
import {
  LOOP_DISPATCH_REASONS,
  LOOP_TEMPLATES,
  type LoopTemplate,
  PHASE_ROLES,
  PHASE_STAGES,
  PHASES,
} from '@onceover/base/kernel/review-loops';
import {
  CACHE_NOTE,
  hasShape,
  isAmount,
  isBoolean,
  isCount,
  isOneOf,
  isOrdinal,
  isString,
  isStrings,
  isTime,
  listOf,
  orMissing,
  orNull,
  readShape,
  type Shaped,
  USAGE,
  withKeyOrder,
} from '@onceover/base/kernel/shape';
import type { ProbeCost } from '../dispatch/resume-probe.ts';

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

export const LEVERS = ['pass', 'slot', 'session', 'prefix', 'reading'] as const;

/**
 * A kind of saving: skipped gates (`pass`), skipped reviewers (`slot`), resumed sessions, shared prompts (`prefix`), or
 * files that one session opened for several reviewers (`reading`).
 */
export type Lever = (typeof LEVERS)[number];

/** An estimate of the saved tokens, by kind of saving. */
export type Saved = Readonly<Record<Lever, number>>;

const DATED = {
  /** The time at which the run or the call ended. */
  at: isTime,
  durationMs: isAmount,
  startedBy: isOneOf(['person', 'agent']),
  /** The branch; `null` if HEAD was detached. */
  branch: orNull(isString),
};

const DISPATCHED = {
  agent: isString,
  /** The model; `null` if neither the settings nor the agent named one. */
  model: orNull(isString),
  dispatch: isOneOf(['fresh', 'resumed']),
  /** The number of calls to the agent. It is more than one after a retry, or if a diff was sent in parts. */
  asks: isAmount,
  usage: orNull(hasShape<Usage>(USAGE)),
};

/** The assumption about the provider's cache of the reviewer's session; left out if there was no session. */
const CACHED = { cache: orMissing(hasShape<CacheNote>(CACHE_NOTE)) };

/**
 * The numbers of files that were opened in a new session: by the reviewer itself, by another session that read for it,
 * and by both (`again`).
 */
const READS = { opened: isAmount, reading: orMissing(isAmount), again: orMissing(isAmount) };

const SLOT = {
  gate: isString,
  slot: isOrdinal,
  status: isOneOf(['pass', 'fail', 'error']),
  /** The reason why the reviewer got a new or a resumed session. */
  why: isString,
  durationMs: isAmount,
  ...DISPATCHED,
  ...CACHED,
  /**
   * The files that were opened. Missing for resumed sessions, and if the agent does not report the files that it opens.
   */
  reads: orMissing(hasShape<Shaped<typeof READS>>(READS)),
};

export type LedgerSlot = Shaped<typeof SLOT>;

const CHECK = { gate: isString, status: isOneOf(['pass', 'fail', 'error']), durationMs: isAmount };

const SPARED = {
  gate: isString,
  lever: isOneOf(LEVERS),
  /** The number of reviews that were not needed, or were cheaper, because of this saving. */
  looks: isAmount,
  tokens: isAmount,
};

/** A saving at a gate, in estimated tokens. */
export type SavedUsage = Shaped<typeof SPARED>;

const ACCEPTED = {
  gate: isString,
  slot: isOrdinal,
  /** The people who signed the pass, as the signers file names them. */
  signers: isStrings,
  /** The agent whose review passed. */
  agent: isString,
};

/** A pass of another clone that counted in a run, so that the reviewer did not run. */
export type AcceptedSlot = Shaped<typeof ACCEPTED>;

const AUDIT = {
  ...ACCEPTED,
  /** Whether the reviewer of this clone also passed the content that the other clone passed. */
  agreed: isBoolean,
};

/** A pass of another clone that this clone checked by reviewing the same content again. */
export type AuditedSlot = Shaped<typeof AUDIT>;

const RUN = {
  kind: isOneOf(['run']),
  ...DATED,
  scope: isString,
  /** The number of the run; `null` if nothing ran. */
  iteration: orNull(isOrdinal),
  status: isOneOf(RUN_STATUSES),
  exitCode: (value: unknown): value is 0 | 1 | 3 => value === 0 || value === 1 || value === 3,
  /** The reviewers that ran. */
  slots: listOf<LedgerSlot>(SLOT),
  /** The checks that ran. */
  checks: listOf<Shaped<typeof CHECK>>(CHECK),
  spared: listOf<SavedUsage>(SPARED),
  /** The passes of other clones that counted. Missing if there were none, and in entries of older versions. */
  accepted: orMissing(listOf<AcceptedSlot>(ACCEPTED)),
  audits: orMissing(listOf<AuditedSlot>(AUDIT)),
};

/** The entry of a run in the ledger (the log of all calls). A run with nothing to do has an entry too. */
export type LedgerRun = Omit<Shaped<typeof RUN>, 'accepted' | 'audits'> & {
  readonly accepted?: readonly AcceptedSlot[] | undefined;
  readonly audits?: readonly AuditedSlot[] | undefined;
};

const FIX = { kind: isOneOf(['fix']), ...DATED, ...DISPATCHED };

/** The entry of an agent's fix in the ledger (the log of all calls). */
export type LedgerFix = Shaped<typeof FIX>;

const LOOP = {
  kind: isOneOf(['loop']),
  ...DATED,
  feature: isString,
  phase: isOneOf(PHASES),
  stage: isOneOf(PHASE_STAGES),
  /** The id of this run of the phase. If the phase is started again from the beginning, it gets another id. */
  run: isString,
  role: isOneOf(PHASE_ROLES),
  iteration: isCount,
  isFinalValidation: isBoolean,
  /**
   * The template of the prompt; `null` for a step before the code reviews, whose prompt does not come from a template.
   */
  template: orNull(isOneOf(LOOP_TEMPLATES)),
  why: isOneOf(LOOP_DISPATCH_REASONS),
  fellBack: isBoolean,
  guarded: isBoolean,
  warned: isBoolean,
  /** `done`: the implementer answered. `error`: no agent gave a valid answer. */
  status: isOneOf(['pass', 'fail', 'done', 'error']),
  ...DISPATCHED,
  ...CACHED,
  /**
   * The lengths in characters of the prompts that were sent (`promptChars`) and of the prompt that a new session would
   * have needed.
   */
  promptChars: isAmount,
  freshChars: isAmount,
};

/**
 * The ledger entry (logged cost) of a call in a review loop, or of a step before code reviews. It includes all retries.
 */
export type LedgerLoop = Shaped<typeof LOOP>;

/** A call in a review loop, without the fields that are only needed in the ledger. */
export type LoopDispatch = Omit<
  LedgerLoop,
  keyof typeof DATED | 'kind' | 'template' | 'status' | 'agent' | 'model' | 'dispatch' | 'cache'
> & { readonly template: LoopTemplate };

const STEP = {
  kind: isOneOf(['step']),
  ...DATED,
  job: isString,
  /** The id of the workflow session. */
  session: isString,
  step: isString,
  /** `done`: a reviewer answered. `error`: no reviewer gave a valid answer. */
  status: isOneOf(['done', 'error']),
  ...DISPATCHED,
};

/** The ledger entry (logged cost) of a review of a workflow step's outputs. It includes all retries. */
export type LedgerStep = Shaped<typeof STEP>;

const PROBE = { kind: isOneOf(['probe']), ...DATED, ...DISPATCHED };

/** The ledger entry (logged cost) of a test that finds out whether an agent can resume sessions. */
export type LedgerProbe = Shaped<typeof PROBE>;

/**
 * Returns the ledger entry (logged cost) of a resume test. It names no branch, because the result is valid for all
 * branches.
 */
export function probeEntry(cost: ProbeCost, startedBy: LedgerProbe['startedBy'], now: Date): LedgerProbe {
  const { agent, model, asks, usage } = cost;
  const durationMs = Math.round(cost.durationMs);
  const call = { agent, model, dispatch: 'fresh', asks, usage } as const;
  return { kind: 'probe', at: now.toISOString(), durationMs, startedBy, branch: null, ...call };
}

const PROOF = { ...PROBE, kind: isOneOf(['proof']) };

/**
 * The ledger entry (logged cost) of a call in a proof (`onceover prove`, which tests reviewers with planted mistakes).
 * Totals leave it out, because it reviewed no real change.
 */
export type LedgerProof = Shaped<typeof PROOF>;

/**
 * An entry of the ledger, the log of costs: the tokens and cost of a run, a fix, a call in a phase, a review of a
 * workflow step, a resume test, or a proof.
 */
export type LedgerEntry = LedgerRun | LedgerFix | LedgerLoop | LedgerStep | LedgerProbe | LedgerProof;

const SHAPES = { run: RUN, fix: FIX, loop: LOOP, step: STEP, probe: PROBE, proof: PROOF };

/** Returns an entry as the text of its file. */
export function ledgerText(entry: LedgerEntry): string {
  return `${JSON.stringify(withKeyOrder<object>(entry, SHAPES[entry.kind]))}\n`;
}

/** Returns the ledger entry (logged cost) in a parsed JSON value; `null` if it is not valid. */
export function readLedgerEntry(value: unknown): LedgerEntry | null {
  const candidates = Object.values(SHAPES).map((shape) => readShape<object>(value, shape));
  return (candidates.find((entry) => entry !== null) ?? null) as LedgerEntry | null;
}
