import type { Settings } from '../../config/settings.ts';
import { grouped } from '../../kernel/collections.ts';
import type { GateId } from '../../kernel/ids.ts';
import type { RunStatus } from '../../ledger/entries.ts';
import type { GateState, SlotState } from '../decide/gate-state.ts';
import type { CheckState } from '../decide/plan-run.ts';
import type {
  CheckOutcome,
  GateOutcome,
  GateReason,
  ReportedFinding,
  RunNotice,
  RunOutcome,
  SlotOutcome,
} from '../run-types.ts';
import { isOpen, type KnownFinding, NO_AGENT, type ReviewGate } from '../types.ts';

/** The actions of a review gate: the content that its reviewers saw, and the result of each slot. */
export type GateActions = {
  readonly kind: ReviewGate['kind'];
  readonly content: string;
  readonly slots: readonly SlotOutcome[];
};

export type CheckActions = {
  readonly status: 'pass' | 'fail' | 'error';
  readonly why: GateReason;
  readonly outcome: CheckOutcome;
};

/** The state of all gates after the run, and the actions of the run. */
export type RunResult = {
  readonly checks: readonly CheckState[];
  readonly reviews: readonly GateState[];
  readonly orphans: readonly KnownFinding[];
  readonly hasEntries: boolean;
  /** Number of changed files whose names are not valid UTF-8, so that no reviewer can see them. */
  readonly unnameable?: number;
  readonly iteration: number | null;
  /**
   * Ids of the findings that this run closed. They cannot be found by iteration number, because other branches and
   * worktrees use the same numbers.
   */
  readonly closed?: ReadonlySet<string>;
  readonly actions: ReadonlyMap<GateId, GateActions>;
  readonly checkActions: ReadonlyMap<GateId, CheckActions>;
  /** Whether reviews were left out because a check failed. */
  readonly stopped: boolean;
  readonly interrupted: boolean;
  readonly settings: Pick<Settings, 'maxRetries' | 'certify'>;
};

/** Judges a run. The exit code is 0 only if every gate and check passes and no finding is open. */
export function judgeRun(
  result: RunResult,
): Pick<RunOutcome, 'status' | 'exitCode' | 'gates' | 'findings' | 'notices'> {
  const uncertified = judgeGates(result, 'holds');
  const { settings, orphans, unnameable = 0 } = result;
  // With `certify`, skipped slots must review before a run passes. A run that fails anyway does not need them
  // (requirement RUN-SLOTS).
  const canPass = orphans.length === 0 && unnameable === 0 && uncertified.every(isPassing);
  const gates = settings.certify && canPass ? judgeGates(result, 'certified') : uncertified;
  const findings = reportedFindings(result);
  const status = statusOf(gates, findings, result);
  return { status, exitCode: exitCodeOf(status, gates), gates, findings, notices: orphanNotices(result) };
}

function judgeGates(result: RunResult, passesIf: 'holds' | 'certified'): readonly GateOutcome[] {
  return [
    ...result.checks.map((state) => judgeCheck(state, result)),
    ...removedChecks(result),
    ...result.reviews.map((state) => judgeGate(state, result, state[passesIf])),
    ...removedReviews(result),
  ];
}

function isPassing({ status }: GateOutcome): boolean {
  return status === 'pass' || status === 'holds';
}

function judgeCheck({ gate, holds }: CheckState, { checkActions, iteration, interrupted }: RunResult): GateOutcome {
  const action = checkActions.get(gate.id);
  const base = { id: gate.id, kind: gate.kind, slots: [], check: action?.outcome ?? null };
  if (action !== undefined && action.status !== 'pass') return { ...base, status: action.status, why: action.why };
  if (holds) {
    return action === undefined
      ? { ...base, status: 'holds', why: 'unchanged-since-pass' }
      : { ...base, status: 'pass', why: 'passed' };
  }
  // The check passed on a tree that is not the current one.
  if (action !== undefined) return { ...base, status: 'error', why: 'changed-meanwhile' };
  if (iteration === null) return { ...base, status: 'not_run', why: 'check-to-run' };
  if (interrupted) return { ...base, status: 'not_run', why: 'interrupted' };
  // The run skipped the check because it had passed on the tree at the start, but the tree has changed since.
  return { ...base, status: 'error', why: 'changed-meanwhile' };
}

/**
 * Returns failed checks whose entry points have no changes any more. A check may itself have reverted the changes, so
 * it does not count as passed.
 */
function removedChecks({ checks, checkActions }: RunResult): readonly GateOutcome[] {
  const current = new Set(checks.map(({ gate }) => gate.id));
  return [...checkActions].flatMap(([id, { status, why, outcome }]): GateOutcome[] =>
    status === 'pass' || current.has(id) ? [] : [{ id, kind: 'check', status, why, slots: [], check: outcome }],
  );
}

/** Returns review gates that no longer apply, if one of their slots did not pass in this run. */
function removedReviews({ reviews, actions }: RunResult): readonly GateOutcome[] {
  const current = new Set(reviews.map(({ gate }) => gate.id));
  return [...actions].flatMap(([id, { kind, slots }]): GateOutcome[] => {
    const passed = slots.every(({ status }) => status === 'pass' || status === 'skipped_prior_pass');
    return passed || current.has(id)
      ? []
      : [{ id, kind, status: 'error', why: 'changed-meanwhile', slots, check: null }];
  });
}

function judgeGate(state: GateState, result: RunResult, passes: boolean): GateOutcome {
  const { gate } = state;
  const action = result.actions.get(gate.id);
  const base = {
    id: gate.id,
    kind: gate.kind,
    check: null,
    slots: state.slots.map((slot) => action?.slots.find((one) => one.slot === slot.slot) ?? idleSlot(slot)),
  };
  // An error in this run keeps the gate from passing, even if an earlier review passed on the same content.
  const hasError = action?.slots.some(({ status }) => status === 'error') === true;
  if (passes && !hasError) {
    if (action !== undefined) return { ...base, status: 'pass', why: 'passed' };
    // A mark is not verified, so the result says that the gate passes because of a mark.
    const isMarked = state.slots.some(({ covers }) => covers === 'marked');
    return { ...base, status: 'holds', why: isMarked ? 'marked-as-passed' : 'unchanged-since-pass' };
  }
  const isOverLimit = state.failing > result.settings.maxRetries;
  if (state.findings.some((one) => isOpen(one.state))) {
    return { ...base, status: 'fail', why: action === undefined && isOverLimit ? 'retry-limit' : 'open-findings' };
  }
  if (action === undefined) {
    const waiting = isOverLimit ? 'retry-limit' : 'slots-to-run';
    const why = result.interrupted ? 'interrupted' : result.stopped ? 'stopped-by-check' : waiting;
    return { ...base, status: 'not_run', why };
  }
  if (result.interrupted) return { ...base, status: 'error', why: 'interrupted' };
  return { ...base, status: 'error', why: action.content === gate.content ? 'could-not-judge' : 'changed-meanwhile' };
}

/** The fields of a slot that made no call in this run. */
export const NO_CALL = { dispatch: 'none', usage: null, durationMs: null, trouble: null } as const;

/** Returns the outcome of a slot whose gate did not run. */
function idleSlot({ slot, covers, passIteration, latest }: SlotState): SlotOutcome {
  return {
    ...NO_CALL,
    slot,
    agent: latest === null || latest.adapter === NO_AGENT ? null : latest.adapter,
    status: covers === 'rests' ? 'skipped_prior_pass' : covers === null ? 'not_run' : 'pass',
    why: IDLE_REASONS[covers ?? 'not-passed'],
    passIteration,
    sawOlder: covers === 'rests',
  };
}

const IDLE_REASONS = {
  passed: 'covers',
  waived: 'waived',
  marked: 'marked-as-passed',
  rests: 'passed-before',
  'not-passed': 'not-passed',
} as const;

/** Returns the open findings, warnings, waived findings, and the findings that this run closed. */
function reportedFindings({ reviews, orphans, closed }: RunResult): readonly ReportedFinding[] {
  const current = reviews
    .flatMap(({ findings }) => findings)
    .filter(({ finding, state }) => state !== 'gone' && (state !== 'closed' || closed?.has(finding.id) === true));
  const orphaned = orphans.map((finding): ReportedFinding => {
    return { finding, state: finding.resolution?.how === 'fixed' ? 'fixed_claimed' : 'open' };
  });
  return [...current, ...orphaned].sort((a, b) => Number(a.finding.id.slice(1)) - Number(b.finding.id.slice(1)));
}

/** Returns notices about open findings of removed slots and gates, which no reviewer can close. */
function orphanNotices({ reviews, orphans }: RunResult): readonly RunNotice[] {
  const ofSlots = reviews.flatMap(({ gate, findings }) => {
    const orphaned = findings.filter(({ finding, state }) => isOpen(state) && finding.slot > gate.numReviews);
    return [...grouped(orphaned, ({ finding }) => finding.slot)].map(
      ([slot, own]) =>
        ({ kind: 'orphan-slot', gate: gate.id, slot, ids: own.map(({ finding }) => finding.id) }) as const,
    );
  });
  const ofGates = [...grouped(orphans, (finding) => finding.gate)].map(
    ([gate, own]) => ({ kind: 'orphan-gate', gate, ids: own.map(({ id }) => id) }) as const,
  );
  return [...ofSlots, ...ofGates];
}

function statusOf(gates: readonly GateOutcome[], findings: readonly ReportedFinding[], result: RunResult): RunStatus {
  if (gates.some(({ why }) => why === 'retry-limit')) return 'retry_limit_exceeded';
  const hasFailed =
    result.orphans.length > 0 ||
    gates.some(({ status, why }) => status === 'fail' || (status === 'not_run' && !COULD_NOT_RUN.includes(why)));
  if (hasFailed) return 'failed';
  if (gates.some(({ status }) => status === 'error' || status === 'not_run')) return 'error';
  if ((result.unnameable ?? 0) > 0) return 'error';
  if (!result.hasEntries) return 'no_changes';
  if (gates.length === 0) return 'no_applicable_gates';
  return findings.some(({ state }) => state === 'warning') ? 'passed_with_warnings' : 'passed';
}

/** Reasons why a gate could not run. A gate that did not run for any other reason makes the run fail. */
const COULD_NOT_RUN: readonly GateReason[] = ['interrupted', 'stopped-by-check'];

const PASSED: readonly RunStatus[] = ['no_changes', 'no_applicable_gates', 'passed', 'passed_with_warnings'];

function exitCodeOf(status: RunStatus, gates: readonly GateOutcome[]): 0 | 1 | 3 {
  if (status === 'failed' || status === 'retry_limit_exceeded') return 1;
  return PASSED.includes(status) && gates.every(isPassing) ? 0 : 3;
}
