import type { ReportedFinding } from '../gates/run-types.ts';
import { quoteName, showInvisible } from '../kernel/escape.ts';

/** Returns the state of a finding, as the end of a sentence that starts with its id. */
export function describeFindingState(reported: ReportedFinding): string {
  return isOfPart(reported) ? 'does not count here' : STATES[reported.state];
}

const STATES: Readonly<Record<ReportedFinding['state'], string>> = {
  open: 'is open',
  fixed_claimed: 'is marked as fixed',
  warning: 'is a warning',
  waived: 'is waived',
  closed: 'is closed',
  gone: 'no longer applies',
};

/** Whether a run about a part of the change reported the finding. It does not count for the whole change. */
function isOfPart({ finding, state }: ReportedFinding): boolean {
  return state === 'gone' && finding.scope !== 'full';
}

/** Describes why a finding has its state, and what that means for its gate. */
export function describeFindingReason(reported: ReportedFinding): string {
  const { finding, state } = reported;
  switch (state) {
    case 'open':
      return `The finding fails its gate.${OBJECTIONS[finding.resolution?.how ?? 'fixed'] ?? ''}`;
    case 'fixed_claimed':
      return `The finding fails its gate until reviewer ${finding.slot} confirms the fix.`;
    case 'warning':
      return 'The finding is below the threshold (fail_on), so it does not fail its gate. A reviewer with warnings is never skipped.';
    case 'waived':
      return 'The finding fails no gate, on any branch of this clone. Reviewers see the reason.';
    case 'closed':
      return describeClosed(finding);
    case 'gone':
      return isOfPart(reported)
        ? `A run about a part of the change (${showInvisible(finding.scope)}) reported the finding. It counts only in such runs.`
        : 'The finding fails no gate: its code is not part of the current change, or has changed since.';
  }
}

const OBJECTIONS: Partial<Record<string, string>> = {
  refuted: ' It was marked as fixed, but its reviewer did not confirm the fix.',
  disputed: ' The fixer disputes it, and its reviewer sees the reason.',
};

function describeClosed({ closed }: ReportedFinding['finding']): string {
  if (closed === null) return 'The finding fails no gate.';
  const why = closed.why === '' ? '' : ` (${showInvisible(closed.why)})`;
  return `The finding was closed in run ${closed.iteration}: ${CLOSINGS[closed.how]}${why}.`;
}

const CLOSINGS = {
  fixed: 'its reviewer confirmed the fix',
  withdrawn: 'its reviewer withdrew it',
  silent: 'its file changed, and its reviewer did not report it again',
} as const;

/** Lists what can change the state of a finding. `planned`: whether a run would call its reviewer now. */
export function describeFindingNext(reported: ReportedFinding, planned: boolean): readonly string[] {
  const { finding, state } = reported;
  const { id } = finding;
  const reviewer = `reviewer ${finding.slot}`;
  const file = finding.file === null ? 'the files of its gate have' : `${quoteName(finding.file)} has`;
  const calls = planned
    ? `the next run calls ${reviewer}, which`
    : `only ${reviewer} can change it, and no run would call ${reviewer} now: the reviewer`;
  const waive = `"onceover resolve ${id} --skip WHY" waives it: the code stays as it is and fails no gate`;
  const claim = `"onceover resolve ${id} --fixed" marks it as fixed, for ${reviewer} to confirm`;
  switch (state) {
    case 'open':
      return [
        `${calls} closes it by confirming a fix in newer content, by withdrawing it, or by not repeating it once ${file} changed`,
        claim,
        waive,
      ];
    case 'fixed_claimed':
      return [`${calls} confirms the fix, or opens the finding again`, waive];
    case 'warning':
      return [`${calls} may drop it, or raise its priority`, 'a stricter fail_on makes it fail its gate', waive];
    case 'waived':
      return [
        `"onceover resolve ${id} --fixed" withdraws the waiver`,
        'a more severe problem at the same place is a new finding',
      ];
    case 'closed':
      return [`${reviewer} opens it again by reporting the same code at the same place`];
    case 'gone':
      return finding.entry === null || isOfPart(reported)
        ? []
        : ['it counts again once its file differs from the base in the same way'];
  }
}
