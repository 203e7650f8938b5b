import { quoteName, showInvisible } from '@onceover/base/kernel/escape';
import { confirmCommand } from '../findings/describe.ts';
import type { ReportedFinding } from '../findings/types.ts';

type Finding = ReportedFinding['finding'];

/** The texts that describe one state of a finding in `onceover explain`. */
type StateWords = {
  /** Returns the state and its reason, as words that follow the id of the finding. */
  readonly state: (finding: Finding) => string;
  /**
   * Returns the events that can change the state. Some of them begin with the text `calls`, such as "the next run calls
   * reviewer 1, which".
   */
  readonly next: (finding: Finding, calls: string) => string[];
};

const STATES: Readonly<Record<ReportedFinding['state'] | 'of-part', StateWords>> = {
  open: {
    state: ({ resolution }) => `is open, so its gate fails.${OBJECTIONS[resolution?.how ?? 'fixed'] ?? ''}`,
    next: (finding, calls) => [
      `${calls} closes the finding if it confirms a fix, withdraws the finding, or does not report it again after ${filesOf(finding)} changed`,
      ...(finding.resolution?.how === 'proposed'
        ? [`"${confirmCommand([finding.id])}" in a terminal accepts the proposed waiver`]
        : []),
      `"onceover resolve ${finding.id} --fixed" marks it as fixed, for reviewer ${finding.slot} to confirm`,
      waive(finding),
    ],
  },
  fixed_claimed: {
    state: ({ slot }) => `is marked as fixed. Its gate fails until reviewer ${slot} confirms the fix.`,
    next: (finding, calls) => [`${calls} confirms the fix, or opens the finding again`, waive(finding)],
  },
  warning: {
    state: () =>
      'is a warning: it is below the threshold (fail_on), so it does not fail its gate. A reviewer with warnings is never skipped.',
    next: (finding, calls) => [
      `${calls} may drop it, or raise its priority`,
      'a stricter fail_on makes it fail its gate',
      waive(finding),
    ],
  },
  waived: {
    state: () => 'is waived: it fails no gate, on any branch of this clone. Reviewers see the reason.',
    next: ({ id }) => [
      `"onceover resolve ${id} --fixed" withdraws the waiver`,
      'a more severe problem at the same place is a new finding',
    ],
  },
  closed: {
    state: ({ closed }) => {
      if (closed === null) return 'is closed: it fails no gate.';
      const why = closed.why === '' ? '' : ` (${showInvisible(closed.why)})`;
      return `was closed in run ${closed.iteration}: ${CLOSINGS[closed.how]}${why}.`;
    },
    next: ({ slot }) => [`reviewer ${slot} opens it again by reporting the same code at the same place`],
  },
  gone: {
    state: () => 'no longer applies: its code is not part of the current change, or has changed since.',
    next: ({ entry }) =>
      entry === null ? [] : ['it counts again once its file differs from the base in the same way'],
  },
  'of-part': {
    state: ({ scope }) =>
      `does not count here: a run about a part of the change (${showInvisible(scope)}) reported it. It counts only in such runs.`,
    next: () => [],
  },
};

const OBJECTIONS: Partial<Record<string, string>> = {
  refuted: ' It was marked as fixed, but its reviewer did not confirm the fix.',
  proposed: ' A waiver is proposed; its reviewer sees the reason, and a person can confirm the waiver.',
};

const CLOSINGS = {
  fixed: 'its reviewer confirmed the fix',
  withdrawn: 'its reviewer withdrew it',
  silent: 'its file changed, and its reviewer did not report it again',
} as const;

function filesOf({ file }: Finding): string {
  return file === null ? 'the files of its gate have' : `${quoteName(file)} has`;
}

function waive({ id }: Finding): string {
  return `"onceover resolve ${id} --skip WHY" waives it: the code stays as it is, and the finding no longer makes its gate fail`;
}

/** Describes the state of a finding and what can change it. `isCalled`: whether the next run calls its reviewer. */
export function describeFindingState({ finding, state }: ReportedFinding, isCalled: boolean) {
  // A run about only a part of the change reported the finding, so the finding does not count for the whole change.
  const words = STATES[state === 'gone' && finding.scope !== 'full' ? 'of-part' : state];
  const reviewer = `reviewer ${finding.slot}`;
  const calls = isCalled
    ? `the next run calls ${reviewer}, which`
    : `the next run skips ${reviewer}, because nothing has changed. After a change, ${reviewer}`;
  return { title: `${finding.id} ${words.state(finding)}`, next: words.next(finding, calls) };
}
