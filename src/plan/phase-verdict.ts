import type { LoopAnswer, LoopIssue, PhaseEnd, PhaseEndReason, PhaseStatus, RoleIssue } from '../domain/phase.ts';
import type { PhaseState, RoleState } from '../domain/phase-step.ts';

/** Whether an answer passes: approved, and no blocker or warning, whatever else it says. */
export function isPass({ approved, issues }: LoopAnswer): boolean {
  return approved && !issues.some(isBlocking);
}

/** What of an answer has to be fixed; a rejection that names nothing is itself the issue. */
export function blockingIssues(answer: LoopAnswer): readonly LoopIssue[] {
  const blocking = answer.issues.filter(isBlocking);
  if (blocking.length > 0 || answer.approved) return blocking;
  const description = answer.summary.trim() || 'Not approved, without a reason.';
  return [{ severity: 'blocker', description }];
}

function isBlocking({ severity }: LoopIssue): boolean {
  return severity !== 'suggestion';
}

/** What is unsettled by the last word of each reviewer. */
function openIssues({ roles }: Pick<PhaseState, 'roles'>): readonly RoleIssue[] {
  return (Object.entries(roles) as [RoleIssue['role'], RoleState][])
    .filter(([, { status }]) => status === 'failed')
    .flatMap(([role, { answer }]) => blockingIssues(answer).map((issue) => ({ role, issue })));
}

/** The end of a phase, with what is open then. */
export function phaseEnd(
  state: PhaseState,
  why: PhaseEndReason,
  more: Partial<Pick<PhaseEnd, 'paths' | 'failure'>> = {},
): PhaseEnd {
  const open = openIssues(state);
  return { status: statusOf(why, open.length > 0), why, open, paths: more.paths ?? [], failure: more.failure ?? null };
}

const NOT_JUDGED: ReadonlySet<unknown> = new Set<PhaseEndReason>(['reviewer-failed', 'budget']);

/** Whether a phase ended without being judged to its end; also of an end that a document tells. */
export function isCutOff({ status, why }: { readonly status: unknown; readonly why: unknown }): boolean {
  return status === ('error' satisfies PhaseStatus) || NOT_JUDGED.has(why);
}

function statusOf(why: PhaseEndReason, isOpen: boolean): PhaseStatus {
  switch (why) {
    case 'approved':
    case 'accepted-with-notes':
      return 'approved';
    case 'cap':
    case 'stalled':
      return why;
    case 'not-fixed':
    case 'fixer-failed':
      return 'needs_work';
    // Something that is open wins over not being able to judge the rest.
    case 'reviewer-failed':
    case 'budget':
      return isOpen ? 'needs_work' : 'error';
    case 'preparation-failed':
    case 'forbidden-edit':
    case 'artifact-missing':
    case 'artifact-empty':
    case 'artifact-unreadable':
    case 'disturbed':
    case 'interrupted':
    case 'trouble':
      return 'error';
  }
}
