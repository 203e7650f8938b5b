import type { RunStatus } from '@onceover/agents/ledger/entries';
import { grouped } from '@onceover/base/kernel/collections';
import type { GateId } from '@onceover/base/kernel/ids';
import type { Snapshot } from '@onceover/base/kernel/repository';
import type { Settings } from '@onceover/repo/config/settings';
import type { ReportedFinding } from '../../findings/types.ts';
import { isOpen } from '../../findings/types.ts';
import { NO_AGENT, type ReviewGate } from '../../gate-types.ts';
import type { CheckOutcome, GateOutcome, GateReason, RunNotice, RunOutcome, SlotOutcome } from '../../result/types.ts';
import type { GateState, SlotState } from '../decide/gate-state.ts';
import { type CheckState, hasFailedUnchanged } from '../decide/plan-run.ts';
import type { RanSlots, RunFacts } from '../ports.ts';

export type CheckResult = GateOutcome & {
  readonly status: 'pass' | 'fail' | 'error';
  readonly check: CheckOutcome;
};

/** The checks and reviewers that ran or were skipped in a run. */
export type RunActions = RanSlots & {
  /** The iteration number; `null` if nothing ran or the run ended before its reviews. */
  readonly iteration: number | null;
  readonly checks: ReadonlyMap<GateId, CheckResult>;
  /** The review gates whose reviewers ran or were skipped, with the content at that time. */
  readonly gates: ReadonlyMap<GateId, ReviewGate>;
  /** Whether reviews were left out because a check failed. */
  readonly stopped: boolean;
  /** Whether checks were left out because no reviewer has an agent that can run. */
  readonly lacksAgents: boolean;
};

export const NO_ACTIONS: RunActions = {
  iteration: null,
  slots: [],
  interrupted: false,
  binary: [],
  absent: [],
  checks: new Map(),
  gates: new Map(),
  stopped: false,
  lacksAgents: false,
};

type GateFactsAfterRun = Pick<RunFacts, 'checks' | 'reviews' | 'orphans' | 'seesAll'> & {
  readonly snapshot: Pick<Snapshot, 'entries' | 'unnameable'>;
};

/** Judges a run. The exit code is 0 only if every gate and check passes and no finding is open. */
export function judgeRun(
  facts: GateFactsAfterRun,
  actions: RunActions,
  settings: Pick<Settings, 'maxRetries' | 'certify' | 'unchangedGates'>,
): Pick<RunOutcome, 'status' | 'exitCode' | 'gates' | 'findings' | 'settled' | 'notices'> {
  const slots = grouped(actions.slots, ({ gate }) => gate.id);
  const judgeGates = (passesIf: 'holds' | 'certified'): readonly GateOutcome[] => [
    ...facts.checks.map((state) => judgeCheck(state, actions)),
    ...removedChecks(facts, actions),
    ...facts.reviews.map((state) => {
      const ran = slotOutcomes(slots.get(state.gate.id) ?? []);
      return judgeGate({ state, ran, passes: state[passesIf] }, actions, settings);
    }),
    ...removedReviews(facts, actions, slots),
  ];
  const uncertifiedGates = judgeGates('holds');
  // No reviewer can see a changed file whose name is not valid UTF-8, so the run cannot pass.
  const isUnseen = facts.seesAll && facts.snapshot.unnameable.length > 0;
  // With the setting `certify`, skipped reviewers must review before a run passes. If the run fails anyway, they need
  // not (requirement RUN-SLOTS).
  const canPass = facts.orphans.length === 0 && !isUnseen && uncertifiedGates.every(isPassing);
  const gates = settings.certify && canPass ? judgeGates('certified') : uncertifiedGates;
  const findings = reportedFindings(facts, actions);
  const status = statusOf(gates, findings, facts, isUnseen);
  const unreportedFindings = settledFindings(facts, findings);
  return {
    status,
    exitCode: exitCodeOf(status, gates),
    gates,
    findings,
    settled: unreportedFindings,
    notices: orphanNotices(facts),
  };
}

function isPassing({ status }: GateOutcome): boolean {
  return status === 'pass' || status === 'holds';
}

function judgeCheck(
  { gate, holds }: CheckState,
  { checks, iteration, interrupted, lacksAgents }: RunActions,
): GateOutcome {
  const ran = checks.get(gate.id);
  if (ran !== undefined) {
    // The check passed, but not on the current tree, so its pass does not count.
    return holds || ran.status !== 'pass' ? ran : { ...ran, status: 'error', why: 'changed-meanwhile' };
  }
  const base = { id: gate.id, kind: gate.kind, slots: [], check: null };
  if (holds) return { ...base, status: 'holds', why: 'unchanged-since-pass' };
  if (iteration === null && checks.size === 0) return { ...base, status: 'not_run', why: 'check-to-run' };
  if (interrupted) return { ...base, status: 'not_run', why: 'interrupted' };
  if (lacksAgents) return { ...base, status: 'not_run', why: 'no-agent' };
  // The run skipped the check because it had passed on the tree at the start, but the tree has changed since.
  return { ...base, status: 'error', why: 'changed-meanwhile' };
}

/**
 * Returns failed checks whose files are no longer part of the change. They still count, because a check may have
 * reverted the files itself.
 */
function removedChecks({ checks }: GateFactsAfterRun, actions: RunActions): readonly GateOutcome[] {
  const current = new Set(checks.map(({ gate }) => gate.id));
  return [...actions.checks.values()].filter(({ id, status }) => status !== 'pass' && !current.has(id));
}

/**
 * Returns an error for each review gate that no longer exists after the run although one of its reviewers did not pass.
 */
function removedReviews(
  { reviews }: GateFactsAfterRun,
  actions: RunActions,
  ran: ReadonlyMap<GateId, RunActions['slots']>,
): readonly GateOutcome[] {
  const current = new Set(reviews.map(({ gate }) => gate.id));
  return [...actions.gates].flatMap(([id, { kind }]): GateOutcome[] => {
    const slots = slotOutcomes(ran.get(id) ?? []);
    const hasPassed = slots.every(({ status }) => status === 'pass' || status === 'skipped_prior_pass');
    return hasPassed || current.has(id)
      ? []
      : [{ id, kind, status: 'error', why: 'changed-meanwhile', slots, check: null }];
  });
}

/**
 * Returns the results of a gate's reviewers. A run can have two iterations; if a reviewer ran in one and was skipped in
 * the other, its result comes from the one in which it ran.
 */
function slotOutcomes(slots: RunActions['slots']): readonly SlotOutcome[] {
  const results = new Map<number, SlotOutcome>();
  for (const { outcome, isStopped } of slots) {
    const counts = outcome.status !== 'skipped_prior_pass' || !results.has(outcome.slot);
    if (!isStopped && counts) results.set(outcome.slot, outcome);
  }
  return [...results.values()].sort((a, b) => a.slot - b.slot);
}

function judgeGate(
  { state, ran, passes }: { state: GateState; ran: readonly SlotOutcome[]; passes: boolean },
  actions: RunActions,
  { maxRetries, unchangedGates }: Pick<Settings, 'maxRetries' | 'unchangedGates'>,
): GateOutcome {
  const { gate } = state;
  const reviewedGate = actions.gates.get(gate.id);
  const base = {
    id: gate.id,
    kind: gate.kind,
    check: null,
    slots: state.slots.map((slot) => ran.find((outcome) => outcome.slot === slot.slot) ?? idleSlot(slot)),
  };
  // An error in this run keeps the gate from passing, even if an earlier review passed on the same content.
  if (passes && !ran.some(({ status }) => status === 'error')) {
    const status = reviewedGate === undefined ? 'holds' : 'pass';
    if (state.slots.some(({ covers }) => covers === 'waived')) return { ...base, status, why: 'waived' };
    if (reviewedGate !== undefined) return { ...base, status, why: 'passed' };
    if (state.slots.some(({ covers }) => covers === 'accepted')) return { ...base, status, why: 'accepted' };
    // A review that someone only marked as passed was not confirmed by a reviewer, so the result has to say so.
    const isMarked = state.slots.some(({ covers }) => covers === 'marked');
    return { ...base, status, why: isMarked ? 'marked-as-passed' : 'unchanged-since-pass' };
  }
  const isOverLimit = state.failing > maxRetries;
  if (state.findings.some((finding) => isOpen(finding.state))) {
    if (reviewedGate !== undefined) return { ...base, status: 'fail', why: 'open-findings' };
    const rests = unchangedGates === 'rest' && hasFailedUnchanged(state);
    return {
      ...base,
      status: 'fail',
      why: isOverLimit ? 'retry-limit' : rests ? 'unchanged-since-fail' : 'open-findings',
    };
  }
  if (reviewedGate === undefined) {
    const waiting = isOverLimit ? 'retry-limit' : 'slots-to-run';
    const why = actions.interrupted ? 'interrupted' : actions.stopped ? 'stopped-by-check' : waiting;
    return { ...base, status: 'not_run', why };
  }
  if (actions.interrupted) return { ...base, status: 'error', why: 'interrupted' };
  return {
    ...base,
    status: 'error',
    why: reviewedGate.content === gate.content ? 'could-not-judge' : 'changed-meanwhile',
  };
}

/** The `SlotOutcome` fields of a reviewer that was not called in this run. */
export const NO_CALL = {
  dispatch: 'none',
  usage: null,
  durationMs: null,
  trouble: null,
  earlier: null,
  shared: null,
} as const;

/** Returns the outcome of a reviewer that neither ran nor was skipped in this run, from its earlier records. */
function idleSlot({ slot, covers, shared, passIteration, latest, difference }: SlotState): SlotOutcome {
  const isCurrent = latest?.own != null && difference === null;
  const endStatus = isCurrent && (latest.status === 'fail' || latest.status === 'error') ? latest.status : 'not_run';
  return {
    ...NO_CALL,
    slot,
    agent: latest === null || latest.adapter === NO_AGENT ? null : latest.adapter,
    status: covers === 'rests' ? 'skipped_prior_pass' : covers === null ? endStatus : 'pass',
    why: IDLE_REASONS[covers ?? 'not-passed'],
    passIteration,
    sawOlder: covers === 'rests',
    shared,
    earlier:
      covers === null && latest !== null && (latest.status === 'fail' || latest.status === 'error')
        ? { iteration: latest.iteration, isCurrent, error: latest.own?.error ?? null }
        : null,
  };
}

const IDLE_REASONS = {
  passed: 'covers',
  waived: 'waived',
  accepted: 'accepted',
  marked: 'marked-as-passed',
  rests: 'passed-before',
  'not-passed': 'not-passed',
} as const;

/** Returns the open findings, warnings, waived findings, and the findings that this run closed. */
function reportedFindings({ reviews, orphans }: GateFactsAfterRun, { slots }: RunActions): readonly ReportedFinding[] {
  // Find the closed findings by id. Iteration numbers are not enough, because other branches and worktrees use the same
  // ones.
  const closedIds = new Set(slots.flatMap((slot) => slot.closed));
  const current = reviews
    .flatMap(({ findings }) => findings)
    .filter(({ finding, state }) => state !== 'gone' && (state !== 'closed' || closedIds.has(finding.id)));
  const orphanFindings = orphans.map((finding): ReportedFinding => {
    return { finding, state: finding.resolution?.how === 'fixed' ? 'fixed_claimed' : 'open' };
  });
  return [...current, ...orphanFindings].sort((a, b) => Number(a.finding.id.slice(1)) - Number(b.finding.id.slice(1)));
}

const MOST_SETTLED = 500;

/**
 * Returns the gates' findings that are not in the report of this run, newest first: those that earlier runs closed, and
 * those that no longer apply.
 */
function settledFindings(
  { reviews }: GateFactsAfterRun,
  currentFindings: readonly ReportedFinding[],
): readonly ReportedFinding[] {
  const reportedIds = new Set(currentFindings.map(({ finding }) => finding.id));
  return reviews
    .flatMap(({ findings }) => findings)
    .filter(({ finding, state }) => (state === 'closed' || state === 'gone') && !reportedIds.has(finding.id))
    .sort((a, b) => Number(b.finding.id.slice(1)) - Number(a.finding.id.slice(1)))
    .slice(0, MOST_SETTLED);
}

/** Returns notices about open findings of removed reviewers and gates, which no reviewer can close. */
function orphanNotices({ reviews, orphans }: GateFactsAfterRun): readonly RunNotice[] {
  const ofSlots = reviews.flatMap(({ gate, findings }) => {
    const orphanFindings = findings.filter(({ finding, state }) => isOpen(state) && finding.slot > gate.numReviews);
    return [...grouped(orphanFindings, ({ finding }) => finding.slot)].map(
      ([slot, slotFindings]) =>
        ({ kind: 'orphan-slot', gate: gate.id, slot, ids: slotFindings.map(({ finding }) => finding.id) }) as const,
    );
  });
  const ofGates = [...grouped(orphans, (finding) => finding.gate)].map(
    ([gate, gateFindings]) => ({ kind: 'orphan-gate', gate, ids: gateFindings.map(({ id }) => id) }) as const,
  );
  return [...ofSlots, ...ofGates];
}

function statusOf(
  gates: readonly GateOutcome[],
  findings: readonly ReportedFinding[],
  { orphans, snapshot }: GateFactsAfterRun,
  isUnseen: boolean,
): RunStatus {
  if (gates.some(({ why }) => why === 'retry-limit')) return 'retry_limit_exceeded';
  const hasFailed =
    orphans.length > 0 ||
    gates.some(({ status, why }) => status === 'fail' || (status === 'not_run' && !COULD_NOT_RUN.includes(why)));
  if (hasFailed) return 'failed';
  if (isUnseen || gates.some(({ status }) => status === 'error' || status === 'not_run')) return 'error';
  if (snapshot.entries.length === 0) return 'no_changes';
  if (gates.length === 0) return 'no_applicable_gates';
  return findings.some(({ state }) => state === 'warning') ? 'passed_with_warnings' : 'passed';
}

/** If a gate did not run for one of these reasons, the run ends with an error; for any other reason, the run fails. */
const COULD_NOT_RUN: readonly GateReason[] = ['interrupted', 'stopped-by-check', 'no-agent'];

const PASSED: readonly RunStatus[] = ['no_changes', 'no_applicable_gates', 'passed', 'passed_with_warnings'];

function exitCodeOf(status: RunStatus, gates: readonly GateOutcome[]): 0 | 1 | 3 {
  if (status === 'failed' || status === 'retry_limit_exceeded') return 1;
  return PASSED.includes(status) && gates.every(isPassing) ? 0 : 3;
}
