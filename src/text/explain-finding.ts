import type { RunExplanation } from '../domain/explanation.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import type { ToldFinding } from '../domain/run.ts';
import { tellFixes } from './explain-fixes.ts';
import { list } from './list.ts';
import { NO_PLACE, tellPlace } from './place.ts';
import { MARKS, tellFinding } from './run.ts';
import type { Shown } from './shown.ts';
import { wrap } from './wrap.ts';

/** How a finding stands and why, what it says, what would change that. */
export function tellFindingBlocks(
  { told, planned, fixes }: Extract<RunExplanation, { kind: 'finding' }>,
  shown: Shown,
  width: number,
): readonly string[] {
  const { finding, state } = told;
  const place = tellPlace(finding) ?? NO_PLACE;
  const next = tellFindingNext(told, planned);
  const mark = finding.mark === null ? '' : ` (${MARKS[finding.mark]})`;
  const [, ...words] = tellFinding(told, shown);
  return [
    `${finding.id} ${isOfPart(told) ? 'does not count here' : FINDING_STATES[state]}: ${finding.priority}, ${place}${mark}, found by @${finding.slot} of ${quoteName(finding.gate)} (${showUnseen(finding.agent)}) in iteration ${finding.since}`,
    words.join('\n'),
    wrap(whyFinding(told), width),
    ...tellFixes(fixes, width),
    ...(next.length === 0 ? [] : [list('What would change that:', next, width)]),
  ];
}

const FINDING_STATES: Readonly<Record<ToldFinding['state'], string>> = {
  open: 'is open',
  fixed_claimed: 'is said to be fixed',
  warning: 'only warns',
  waived: 'is waived',
  closed: 'is closed',
  gone: 'counts no more',
};

/** Of a run that looked at a part of the change: such findings leave the gate of the whole change alone. */
function isOfPart({ finding, state }: ToldFinding): boolean {
  return state === 'gone' && finding.scope !== 'full';
}

function whyFinding(told: ToldFinding): string {
  const { finding, state } = told;
  switch (state) {
    case 'open':
      return finding.resolution?.how === 'refuted'
        ? 'It keeps its gate from holding. It was said to be fixed, and its reviewer did not find it so.'
        : finding.resolution?.how === 'disputed'
          ? 'It keeps its gate from holding. The fixer objects to it, and its reviewer is told why.'
          : 'It keeps its gate from holding.';
    case 'fixed_claimed':
      return `It keeps its gate from holding until @${finding.slot} has confirmed that it is fixed.`;
    case 'warning':
      return 'It is below the threshold that fails a gate, so it keeps nothing from holding. A slot with warnings never rests.';
    case 'waived':
      return 'It keeps nothing from holding, on any branch of this clone; reviewers are told why it is left.';
    case 'closed':
      return tellClosed(finding);
    case 'gone':
      return isOfPart(told)
        ? `It was found by a run about a part of the change (${showUnseen(finding.scope)}), and counts in such runs alone.`
        : 'It keeps nothing from holding: what it was about is no part of the present change, or is another by now.';
  }
}

function tellClosed({ closed }: ToldFinding['finding']): string {
  if (closed === null) return 'It keeps nothing from holding.';
  const why = closed.why === '' ? '' : ` (${showUnseen(closed.why)})`;
  return `It was closed in iteration ${closed.iteration}: ${CLOSINGS[closed.how]}${why}.`;
}

const CLOSINGS = {
  fixed: 'its reviewer said that it is fixed',
  withdrawn: 'its reviewer withdrew it',
  silent: 'its file changed, and its reviewer looked again without repeating it',
} as const;

/** What would change how a finding stands. */
export function tellFindingNext(told: ToldFinding, planned: boolean): readonly string[] {
  const { finding, state } = told;
  const { id, slot } = finding;
  const file = finding.file === null ? 'the files of its gate have' : `${quoteName(finding.file)} has`;
  const asks = planned ? `the next run asks @${slot}: ` : `only @${slot} can close it, and no run would ask it now: `;
  const waive = `"onceover resolve ${id} --skip WHY" waives it: it stays as it is, and fails nothing`;
  const claim = `"onceover resolve ${id} --fixed" claims that it is fixed, for @${slot} to confirm`;
  switch (state) {
    case 'open':
      return [
        `${asks}it closes it by saying that it is fixed in newer content, by withdrawing it, or by not repeating it once ${file} changed`,
        claim,
        waive,
      ];
    case 'fixed_claimed':
      return [`${asks}it confirms the claim, or finds it wrong; then it is open again`, waive];
    case 'warning':
      return [`${asks}it may drop it, or raise its priority`, 'a stricter fail_on makes it count', waive];
    case 'waived':
      return [
        `"onceover resolve ${id} --fixed" takes the waiver back`,
        'something graver at the same place is a finding of its own',
      ];
    case 'closed':
      return [`it is opened again if @${slot} reports the same code in the same place`];
    case 'gone':
      return finding.entry === null || isOfPart(told)
        ? []
        : ['it counts again once its file differs from the base as it did then'];
  }
}
