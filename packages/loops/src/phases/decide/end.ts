import type { PhaseState, PhaseStep, RoleState } from '../state.ts';
import {
  END_STATUSES,
  type LoopAnswer,
  type LoopIssue,
  type PhaseEnd,
  type PhaseEndReason,
  type PhaseStatus,
  type RoleIssue,
} from '../types.ts';

/** Whether an answer passes: approved, and without a blocker or warning. */
export function isPass({ approved, issues }: LoopAnswer): boolean {
  return approved && !issues.some(isBlocking);
}

/**
 * Returns the blockers and warnings in an answer. If a reviewer rejected without naming any, its summary counts as a
 * blocker.
 */
export function blockingIssues(answer: LoopAnswer): readonly LoopIssue[] {
  const blocking = answer.issues.filter(isBlocking);
  if (blocking.length > 0 || answer.approved) return blocking;
  const description = answer.summary.trim() || 'Not approved; the reviewer gave no reason.';
  return [{ severity: 'blocker', description }];
}

function isBlocking({ severity }: LoopIssue): boolean {
  return severity !== 'suggestion';
}

type EndDetails = Partial<Pick<PhaseEnd, 'paths' | 'failure'>>;

/** Returns how a phase ended. Its open issues are those of every reviewer whose last verdict was a rejection. */
export function phaseEnd(
  { roles }: PhaseState,
  why: PhaseEndReason,
  { paths = [], failure = null }: EndDetails = {},
): PhaseEnd {
  const open = (Object.entries(roles) as [RoleIssue['role'], RoleState][])
    .filter(([, { status }]) => status === 'failed')
    .flatMap(([role, { answer }]) => blockingIssues(answer).map((issue) => ({ role, issue })));
  // If there are open issues, they must be fixed even if some reviewers gave no verdict. So the status is not `error`.
  const status = UNJUDGED.has(why) && open.length > 0 ? 'needs_work' : END_STATUSES[why];
  return { status, why, open, paths, failure };
}

const UNJUDGED: ReadonlySet<unknown> = new Set<PhaseEndReason>(['reviewer-failed', 'budget']);

/** Whether a phase ended with an error or without all verdicts. `status` and `why` may come from parsed JSON. */
export function isCutOff({ status, why }: { readonly status: unknown; readonly why: unknown }): boolean {
  return status === ('error' satisfies PhaseStatus) || UNJUDGED.has(why);
}

export function endPhase(state: PhaseState, why: PhaseEndReason, details: EndDetails = {}): PhaseStep {
  const end = phaseEnd(state, why, details);
  return { state: { ...state, position: { at: 'ended', end } }, actions: [{ kind: 'end', end }] };
}

/** Ends a phase at the limit of reviews. With `--accept-with-notes`, the open issues count as accepted. */
export function endedAtCap(state: PhaseState): PhaseStep {
  return endPhase(state, state.setup.acceptWithNotes ? 'accepted-with-notes' : 'cap');
}

/**
 * Returns the action that takes a snapshot: for the next round, or to check that the content did not change during the
 * last one.
 */
export function snapshotAction(state: PhaseState, at: 'starting' | 'confirming'): PhaseStep {
  return { state: { ...state, position: { at } }, actions: [{ kind: 'take-snapshot' }] };
}
