import { fence, quoteName, showInvisible } from '@onceover/base/kernel/escape';
import { cells, cut } from '@onceover/base/ui/layout';
import { type Styled, type TextStyle, UNSTYLED, wrapTo } from '@onceover/base/ui/style';
import { count, describePlace, NO_LOCATION, reviewerName } from '@onceover/base/ui/wording';
import { PRIORITIES, type Priority } from '@onceover/repo/config/settings';
import type { SameCode } from './same-code.ts';
import type { ReportedFinding } from './types.ts';
import { type Actor, type Finding, isContested, isOpen, type KnownFinding, type Resolution } from './types.ts';
import { UNKNOWN_ACTOR } from './waivers.ts';

/**
 * Renders a finding for people: place, problem, code, fix and reviewer. With `brief`, only place and problem.
 * `otherFindings` are the findings of other reviewers about the same code.
 */
export function describeFinding(
  { finding, state }: ReportedFinding,
  style: Styled = UNSTYLED,
  detail: 'brief' | 'full' = 'full',
  otherFindings: readonly ReportedFinding[] = [],
): string[] {
  const { priority, issue, fix, resolution } = finding;
  const code =
    [finding, ...otherFindings.map((reportedFinding) => reportedFinding.finding)].find(
      (candidate) => candidate.code !== null,
    )?.code ?? null;
  const id = [finding, ...otherFindings.map((reportedFinding) => reportedFinding.finding)]
    .map((sameCodeFinding) => sameCodeFinding.id)
    .join(', ');
  const place = `${describePlace(finding) ?? NO_LOCATION}${STATES[state]}`;
  const severity = `${style.paint(PRIORITY_STYLES[priority], priority)}${' '.repeat(SEVERITY_WIDTH - priority.length)}`;
  const start = `${`${id} `.padEnd(INDENT - SEVERITY_WIDTH)}${severity}${place}`;
  const [problem = '', ...furtherLines] = issue.split('\n').map(showInvisible);
  const room = (style.width ?? Number.POSITIVE_INFINITY) - INDENT - cells(place) - 2;
  const problemText = detail === 'brief' ? cut(problem, Math.max(room, LEAST_PROBLEM)) : problem;
  const head = wrapTo(`${start}  ${problemText}`, style, INDENT);
  if (detail === 'brief') return [head];
  const notes = [
    ...(fix === null ? [] : [`Fix: ${fix}`]),
    ...(resolution === null || resolution.why === '' ? [] : [`${describeAnswer(resolution)}: ${resolution.why}`]),
    ...(resolution?.how === 'proposed' ? [`To accept this: ${confirmCommand([finding.id])}`] : []),
    ...(isOpen(state) && isContested(finding) ? [describeContested(finding)] : []),
  ];
  return [
    head,
    ...furtherLines.map((line) => indent(line, style)),
    ...(code === null ? [] : code.split('\n').map((line) => `${MARGIN}| ${showInvisible(line)}`)),
    ...notes.flatMap((note) => note.split('\n').map((line) => indent(showInvisible(line), style))),
    ...indent(describeFindingSource(finding), style)
      .split('\n')
      .map((line) => style.paint('quiet', line)),
    ...otherFindings.flatMap((otherFinding) => describeAlso(otherFinding, finding, style)),
  ];
}

/** Renders a finding about the same code as the finding above it. It takes one line if both report the same problem. */
function describeAlso({ finding, state }: ReportedFinding, above: Finding, style: Styled): string[] {
  const { id, priority, issue, fix } = finding;
  if (issue === above.issue && fix === above.fix) {
    const line = `Also reported as ${id}, ${priority}${STATES[state]}, by ${describeFindingSource(finding)}`;
    return [style.paint('quiet', indent(line, style))];
  }
  const text = `Also reported as ${id}, ${priority}${STATES[state]}: ${issue}${fix === null ? '' : `\nFix: ${fix}`}`;
  const lines = text.split('\n').map((line) => indent(showInvisible(line), style));
  return [...lines, style.paint('quiet', indent(describeFindingSource(finding), style))];
}

/** Returns the question that a person has to decide, because the reviewer keeps closing and reporting this finding. */
export function describeContested({ id, slot, gate, flips = 0 }: KnownFinding): string {
  return `Contested: reviewer ${slot} of ${quoteName(gate)} closed ${id} and reported it again ${count(flips, 'time')}. A person decides: onceover resolve ${id} --skip "reason" accepts the code, and onceover resolve ${id} --fixed lets the reviewer close the finding.`;
}

function indent(line: string, style: Styled): string {
  return wrapTo(`${MARGIN}${line}`, style, 0);
}

const INDENT = 14;
const MARGIN = ' '.repeat(INDENT);
const SEVERITY_WIDTH = 10;

/**
 * The minimum width of the problem's text, if a finding is shown in its short form. On a narrower terminal, the line
 * wraps instead.
 */
const LEAST_PROBLEM = 24;

const PRIORITY_STYLES: Readonly<Record<Priority, TextStyle>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'quiet',
};

/** The text that follows the place of a finding, for each state of a finding. */
export const STATES: Readonly<Record<ReportedFinding['state'], string>> = {
  open: '',
  fixed_claimed: ' (marked as fixed, not confirmed yet)',
  warning: ' (warning)',
  waived: ' (waived)',
  closed: ' (closed)',
  gone: ' (no longer applies)',
};

const ANSWERS: Readonly<Record<Resolution['how'], string>> = {
  fixed: 'Marked as fixed',
  skipped: 'Waived',
  refuted: 'Marked as fixed, but the reviewer disagreed',
  proposed: 'Waiver proposed',
};

/**
 * Returns how a finding was answered and by whom, such as "Waived by ann". The output shows the reason after this text.
 */
export function describeAnswer({ how, by, proposedBy }: Pick<Resolution, 'how' | 'by' | 'proposedBy'>): string {
  const proposer = proposedBy === null ? '' : `, proposed by ${describeActor(proposedBy)}`;
  return how === 'refuted' ? ANSWERS[how] : `${ANSWERS[how]} by ${describeActor(by)}${proposer}`;
}

function describeActor({ kind, name }: Actor): string {
  if (name === UNKNOWN_ACTOR) return 'an unknown program';
  return kind === 'person' ? quoteName(name) : `the agent ${quoteName(name)}`;
}

/** Returns the command with which a person accepts proposed waivers. */
export function confirmCommand(ids: readonly string[]): string {
  return `onceover resolve ${ids.join(' ')} --confirm`;
}

/** Returns the gate, reviewer and run that reported a finding, and a note if something is wrong with its place. */
export function describeFindingSource(finding: Finding): string {
  const mark = finding.mark === null ? '' : `, ${MARKS[finding.mark]}`;
  // The number of an archived run would mislead, because later runs can have the same number.
  const since = finding.cycleEnded ? 'from an archived run' : `since run ${finding.since}`;
  // Show that the lines were reviewed before only for a warning, because that is why it does not fail the gate.
  const seenNote = finding.kept === 'warning' && finding.seenBefore !== undefined ? SEEN_BEFORE : '';
  return `${quoteName(finding.gate)}, ${reviewerName(finding)}, ${since}${mark}${seenNote}`;
}

const SEEN_BEFORE = ', a warning because its lines are unchanged since an earlier review (convergence)';

const MARKS = {
  'off-diff': 'outside the change',
  'no-such-line': 'the line does not exist',
  'code-not-found': 'the quoted code is not in the file',
} as const;

/** Compares two findings for sorting: open ones before warnings and waived ones, and more severe ones first. */
export function bySeverity(a: ReportedFinding, b: ReportedFinding): number {
  const rank = ({ finding }: ReportedFinding) => PRIORITIES.indexOf(finding.priority);
  const isMinor = ({ state }: ReportedFinding) => Number(state === 'warning' || state === 'waived');
  return isMinor(a) - isMinor(b) || rank(a) - rank(b);
}

export type FindingFacts = Pick<Finding, 'id' | 'priority' | 'line' | 'code' | 'issue' | 'fix'> & {
  readonly file: string | null;
};

/**
 * Renders a finding for an agent, as a fenced block that the finding's text cannot close. Lines after a line break are
 * indented, so that they cannot look like another field or a second finding.
 */
export function promptFinding(finding: FindingFacts, extraFields: readonly string[] = []): string {
  const { id, priority, code, issue, fix } = finding;
  const place = describePlace(finding);
  const fields = [
    `id: ${id}`,
    `priority: ${priority}`,
    ...(place === null ? [] : [`place: ${place}`]),
    ...(code === null ? [] : [`code: ${code}`]),
    `issue: ${issue}`,
    ...(fix === null ? [] : [`fix: ${fix}`]),
    ...extraFields,
  ];
  return fence(fields.map((field) => field.replace(/\r\n|[\n\r\u2028\u2029]/g, '\n  ')).join('\n'));
}

/** Renders all findings about one problem for an agent, as one block. */
export function promptProblem(
  [first, ...otherFindings]: SameCode<FindingFacts>,
  extraFields: readonly string[] = [],
): string {
  const also = otherFindings.flatMap(({ id, priority, issue, fix }) => [
    `also reported as: ${id}, ${priority}: ${issue}`,
    ...(fix === null ? [] : [`fix of ${id}: ${fix}`]),
  ]);
  return promptFinding(first, [...also, ...extraFields]);
}
