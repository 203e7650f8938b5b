import { isOpen, type KnownFinding } from '../domain/finding.ts';
import type { GateId, ReviewGate } from '../domain/gate.ts';
import { grouped } from '../domain/grouped.ts';
import type {
  CheckOutcome,
  GateOutcome,
  GateReason,
  RunNotice,
  RunOutcome,
  RunStatus,
  SlotOutcome,
  ToldFinding,
} from '../domain/run.ts';
import type { Settings } from '../domain/settings.ts';
import { NO_AGENT } from '../domain/slot.ts';
import type { CheckState } from './decide-run.ts';
import type { GateState, SlotState } from './gate-state.ts';

/** What was done with a gate in this run; a gate that is not named was left alone. */
export type GateDeed = {
  readonly kind: ReviewGate['kind'];
  /** The content that its reviewers were shown. */
  readonly content: string;
  readonly slots: readonly SlotOutcome[];
};

export type CheckDeed = {
  readonly status: 'pass' | 'fail' | 'error';
  readonly why: GateReason;
  readonly outcome: CheckOutcome;
};

/** What is there after the run, and what the run did. */
export type RunResult = {
  readonly checks: readonly CheckState[];
  readonly reviews: readonly GateState[];
  readonly orphans: readonly KnownFinding[];
  readonly hasEntries: boolean;
  /** Changed files that cannot even be named: nobody has looked at them. */
  readonly unnameable?: number;
  readonly iteration: number | null;
  /** Findings that this run closed: an iteration's number may be that of another branch or working tree too. */
  readonly closed?: ReadonlySet<string>;
  readonly deeds: ReadonlyMap<GateId, GateDeed>;
  readonly checkDeeds: ReadonlyMap<GateId, CheckDeed>;
  /** Reviews were left out because a check failed. */
  readonly stopped: boolean;
  readonly interrupted: boolean;
  readonly settings: Pick<Settings, 'maxRetries' | 'certify'>;
};

type Judged = Pick<RunOutcome, 'status' | 'exitCode' | 'gates' | 'findings' | 'notices'>;

/** What the run came to: exit code 0 only if every gate and check holds and nothing is open. */
export function judgeRun(result: RunResult): Judged {
  const uncertified = judgeGates(result, 'holds');
  // Who rests looks once more before a run passes: where it does not, that is asked of nobody (RUN-SLOTS).
  const certifies = result.settings.certify && canPass(uncertified, result);
  const gates = certifies ? judgeGates(result, 'certified') : uncertified;
  const findings = toldFindings(result);
  const notices = orphanNotices(result);
  const status = statusOf(gates, findings, result);
  return { status, exitCode: exitCodeOf(status, gates), gates, findings, notices };
}

function judgeGates(result: RunResult, isDone: 'holds' | 'certified'): readonly GateOutcome[] {
  return [
    ...result.checks.map((state) => judgeCheck(state, result)),
    ...goneChecks(result),
    ...result.reviews.map((state) => judgeGate(state, result, state[isDone])),
    ...goneReviews(result),
  ];
}

function canPass(gates: readonly GateOutcome[], { orphans, unnameable }: RunResult): boolean {
  return orphans.length === 0 && (unnameable ?? 0) === 0 && gates.every(isFine);
}

function isFine({ status }: GateOutcome): boolean {
  return status === 'pass' || status === 'holds';
}

function judgeCheck({ gate, holds }: CheckState, { checkDeeds, iteration, interrupted }: RunResult): GateOutcome {
  const deed = checkDeeds.get(gate.id);
  const base = { id: gate.id, kind: gate.kind, slots: [], check: deed?.outcome ?? null };
  if (deed !== undefined && deed.status !== 'pass') return { ...base, status: deed.status, why: deed.why };
  if (holds) {
    return deed === undefined
      ? { ...base, status: 'holds', why: 'unchanged-since-pass' }
      : { ...base, status: 'pass', why: 'passed' };
  }
  // It passed, and what it passed is no longer what is there.
  if (deed !== undefined) return { ...base, status: 'error', why: 'changed-meanwhile' };
  if (iteration === null) return { ...base, status: 'not_run', why: 'check-to-run' };
  if (interrupted) return { ...base, status: 'not_run', why: 'interrupted' };
  // It held when the run began.
  return { ...base, status: 'error', why: 'changed-meanwhile' };
}

/** Checks that failed and whose entry points have no changes any more, perhaps by their own doing: that is no pass. */
function goneChecks({ checks, checkDeeds }: RunResult): readonly GateOutcome[] {
  const isThere = new Set(checks.map(({ gate }) => gate.id));
  return [...checkDeeds].flatMap(([id, { status, why, outcome }]): GateOutcome[] =>
    status === 'pass' || isThere.has(id) ? [] : [{ id, kind: 'check', status, why, slots: [], check: outcome }],
  );
}

/** Gates that are not in question any more, and of which somebody who was asked has not passed what it was shown. */
function goneReviews({ reviews, deeds }: RunResult): readonly GateOutcome[] {
  const isThere = new Set(reviews.map(({ gate }) => gate.id));
  return [...deeds].flatMap(([id, { kind, slots }]): GateOutcome[] => {
    const hasPassed = slots.every(({ status }) => status === 'pass' || status === 'skipped_prior_pass');
    return hasPassed || isThere.has(id)
      ? []
      : [{ id, kind, status: 'error', why: 'changed-meanwhile', slots, check: null }];
  });
}

function judgeGate(state: GateState, result: RunResult, isDone: boolean): GateOutcome {
  const { gate } = state;
  const deed = result.deeds.get(gate.id);
  const base = {
    id: gate.id,
    kind: gate.kind,
    check: null,
    slots: state.slots.map((slot) => deed?.slots.find((one) => one.slot === slot.slot) ?? standingSlot(slot)),
  };
  // Whoever was asked decides, also where another look passed the same before.
  const isUnsure = deed?.slots.some(({ status }) => status === 'error') === true;
  if (isDone && !isUnsure) {
    return deed === undefined
      ? { ...base, status: 'holds', why: heldBy(state) }
      : { ...base, status: 'pass', why: 'passed' };
  }
  if (state.findings.some((one) => isOpen(one.state))) {
    const isOver = deed === undefined && state.failing > result.settings.maxRetries;
    return { ...base, status: 'fail', why: isOver ? 'retry-limit' : 'open-findings' };
  }
  if (deed === undefined) return { ...base, status: 'not_run', why: notRunWhy(state, result) };
  if (result.interrupted) return { ...base, status: 'error', why: 'interrupted' };
  if (deed.content !== gate.content) return { ...base, status: 'error', why: 'changed-meanwhile' };
  return { ...base, status: 'error', why: 'could-not-judge' };
}

/** A mark is the word of whoever set it, and is told as that. */
function heldBy({ slots }: GateState): GateReason {
  return slots.some(({ covers }) => covers === 'marked') ? 'marked-as-passed' : 'unchanged-since-pass';
}

function notRunWhy(state: GateState, result: RunResult): GateReason {
  if (result.interrupted) return 'interrupted';
  if (result.stopped) return 'stopped-by-check';
  return state.failing > result.settings.maxRetries ? 'retry-limit' : 'slots-to-run';
}

/** A slot of a gate that was left alone, as it stands. */
function standingSlot({ slot, covers, passIteration, latest }: SlotState): SlotOutcome {
  return {
    slot,
    // A record is named after somebody also where nobody was there.
    agent: latest === null || latest.adapter === NO_AGENT ? null : latest.adapter,
    status: covers === 'rests' ? 'skipped_prior_pass' : covers === null ? 'not_run' : 'pass',
    dispatch: 'none',
    why: STANDING[covers ?? 'not-passed'],
    passIteration,
    sawOlder: covers === 'rests',
    usage: null,
    durationMs: null,
    trouble: null,
  };
}

const STANDING = {
  passed: 'covers',
  waived: 'waived',
  marked: 'marked-as-passed',
  rests: 'passed-before',
  'not-passed': 'not-passed',
} as const;

/** What is open, warns or is waived, and what this run has closed. */
function toldFindings(result: RunResult): readonly ToldFinding[] {
  const standing = result.reviews.flatMap(({ findings }) => findings);
  const told = standing.filter(
    ({ finding, state }) => state !== 'gone' && (state !== 'closed' || result.closed?.has(finding.id) === true),
  );
  const orphans = result.orphans.map(
    (finding): ToldFinding => ({
      finding,
      state: finding.resolution?.how === 'fixed' ? 'fixed_claimed' : 'open',
    }),
  );
  return [...told, ...orphans].sort((a, b) => Number(a.finding.id.slice(1)) - Number(b.finding.id.slice(1)));
}

function orphanNotices({ reviews, orphans }: RunResult): readonly RunNotice[] {
  const notices: RunNotice[] = [];
  for (const { gate, findings } of reviews) {
    const orphaned = findings.filter(({ finding, state }) => isOpen(state) && finding.slot > gate.numReviews);
    for (const [slot, own] of grouped(orphaned, ({ finding }) => finding.slot)) {
      notices.push({ kind: 'orphan-slot', gate: gate.id, slot, ids: own.map(({ finding }) => finding.id) });
    }
  }
  for (const [gate, own] of grouped(orphans, (finding) => finding.gate)) {
    notices.push({ kind: 'orphan-gate', gate, ids: own.map(({ id }) => id) });
  }
  return notices;
}

function statusOf(gates: readonly GateOutcome[], findings: readonly ToldFinding[], result: RunResult): RunStatus {
  if (gates.some(({ why }) => why === 'retry-limit')) return 'retry_limit_exceeded';
  const hasFailed =
    result.orphans.length > 0 ||
    gates.some(({ status, why }) => status === 'fail' || (status === 'not_run' && !NOT_JUDGED.includes(why)));
  if (hasFailed) return 'failed';
  if (gates.some(({ status }) => status === 'error' || status === 'not_run')) return 'error';
  if ((result.unnameable ?? 0) > 0) return 'error';
  if (!result.hasEntries) return 'no_changes';
  if (gates.length === 0) return 'no_applicable_gates';
  return findings.some(({ state }) => state === 'warning') ? 'passed_with_warnings' : 'passed';
}

/** Reasons of a gate that was not run which say that nobody could look, rather than that something is to be done. */
const NOT_JUDGED: readonly GateReason[] = ['interrupted', 'stopped-by-check'];

function exitCodeOf(status: RunStatus, gates: readonly GateOutcome[]): 0 | 1 | 3 {
  switch (status) {
    case 'no_changes':
    case 'no_applicable_gates':
    case 'passed':
    case 'passed_with_warnings':
      return gates.every(isFine) ? 0 : 3;
    case 'failed':
    case 'retry_limit_exceeded':
      return 1;
    case 'error':
    case 'lock_conflict':
      return 3;
  }
}
