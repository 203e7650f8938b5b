import { describePaid, describeUsage } from '@onceover/agents/ledger/describe';
import { grouped } from '@onceover/base/kernel/collections';
import { quoteName, showInvisible } from '@onceover/base/kernel/escape';
import { padCells } from '@onceover/base/ui/layout';
import { type Styled, type TextStyle, UNSTYLED, wrapTo } from '@onceover/base/ui/style';
import { count, reviewerName, someNames, withNpx } from '@onceover/base/ui/wording';
import { bySeverity, describeFinding } from '../../findings/describe.ts';
import { problemsIn } from '../../findings/same-code.ts';
import type { ReportedFinding } from '../../findings/types.ts';
import { isOpen } from '../../findings/types.ts';
import type { GateOutcome, RunOutcome, SlotOutcome } from '../types.ts';
import { describeGateDetail, describeSlotReason, gateWord, SESSIONS, STATUS_WORDS } from './reasons.ts';
import { describeVerdict } from './result.ts';
import { describeShared } from './shared.ts';

/** How much a run prints: `quiet` prints only the verdict and the open findings, `verbose` everything. */
export type Amount = 'quiet' | 'normal' | 'verbose';

/**
 * Describes a run for people, in this order: open findings, gates, other findings, uncovered files, verdict, next step,
 * cost.
 */
export function describeRun(outcome: RunOutcome, style: Styled = UNSTYLED, amount: Amount = 'normal'): string {
  const verbose = amount === 'verbose';
  const [result = '', ...next] = describeVerdict(outcome);
  const verdictStyle = outcome.exitCode === 0 ? 'good' : outcome.exitCode === 1 ? 'bad' : 'broken';
  const wrapLine = (line: string) => wrapTo(line, style);
  const end = [
    style.paint(verdictStyle, wrapLine(result)),
    ...next.map((line) => wrapLine(withNpx(line, style.byNpx))),
  ];
  const open = openFindings(outcome.findings, style, verbose);
  if (amount === 'quiet') return [...open, end.join('\n')].join('\n\n');
  const notes = [
    ...otherFindings(outcome.findings, style, verbose),
    ...describeUncovered(outcome, verbose ? Number.POSITIVE_INFINITY : MOST_FILES).map(wrapLine),
  ];
  const blocks = [
    ...open,
    gateLines(outcome, style, verbose).join('\n'),
    notes.join('\n'),
    [...end, ...describeSharing(outcome).map(wrapLine), ...describePaid(outcome).map(wrapLine)].join('\n'),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function describeSharing({ sharing }: RunOutcome): string[] {
  return sharing === null ? [] : [describeShared(sharing)];
}

/** If there are more open findings than this, a terminal shows them without code and fixes. */
const MOST_DETAILED = 6;

/**
 * A terminal lists at most this many open findings. With `--verbose`, or if the output goes to a pipe, all are listed.
 */
const MOST_LISTED = 15;
const MOST_WARNINGS = 3;
const MOST_GATES = 9;
const MOST_FILES = 5;
const MOST_OUTPUT = 10;

const SHOW_ALL = '(show with --verbose)';

function openFindings(findings: readonly ReportedFinding[], style: Styled, verbose: boolean): string[] {
  const open = problemsIn(findings.filter(({ state }) => isOpen(state)).sort(bySeverity));
  if (open.length === 0) return [];
  const onScreen = style.width !== null && !verbose;
  const problems = onScreen ? open.slice(0, MOST_LISTED) : open;
  const detail = onScreen && open.length > MOST_DETAILED ? 'brief' : 'full';
  const hint = withNpx('All open findings, with code and fixes: onceover status --verbose', style.byNpx);
  const lines = problems.flatMap(([finding, ...sameCodeFindings]) =>
    describeFinding(finding, style, detail, sameCodeFindings),
  );
  return [
    style.paint('strong', count(open.length, 'open finding')),
    [...lines, ...(detail === 'brief' ? [hint] : [])].join('\n'),
  ];
}

/** Describes the findings that do not fail a gate: warnings, waived and closed ones. */
function otherFindings(findings: readonly ReportedFinding[], style: Styled, verbose: boolean): string[] {
  const inState = (targetState: ReportedFinding['state']) =>
    problemsIn(findings.filter(({ state }) => state === targetState).sort(bySeverity));
  const [warnings, waivedProblems] = [inState('warning'), inState('waived')];
  const closedFindings = findings.filter(({ state }) => state === 'closed');
  const problems = verbose ? [...warnings, ...waivedProblems] : warnings.slice(0, MOST_WARNINGS);
  const hiddenWarningCount = warnings.length - MOST_WARNINGS;
  return [
    ...problems.flatMap(([finding, ...sameCodeFindings]) =>
      describeFinding(finding, style, verbose ? 'full' : 'brief', sameCodeFindings),
    ),
    ...(hiddenWarningCount > 0 && !verbose ? [`${count(hiddenWarningCount, 'more warning')} ${SHOW_ALL}`] : []),
    ...(waivedProblems.length > 0 && !verbose ? [`${count(waivedProblems.length, 'waived finding')} ${SHOW_ALL}`] : []),
    ...(closedFindings.length > 0
      ? [`Closed in this run: ${closedFindings.map(({ finding }) => finding.id).join(', ')}.`]
      : []),
  ];
}

const STATUS_STYLES: Readonly<Record<GateOutcome['status'] | SlotOutcome['status'], TextStyle>> = {
  pass: 'good',
  holds: 'good',
  fail: 'bad',
  error: 'broken',
  skipped_prior_pass: 'rests',
  not_run: 'quiet',
};

const WORD_WIDTH = 9;
const WIDEST_GATE = 32;

function gateLines(outcome: RunOutcome, style: Styled, verbose: boolean): string[] {
  const order = Object.keys(STATUS_WORDS);
  const gates = [...outcome.gates].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const passedGates = gates.filter(({ status }) => status === 'pass' || status === 'holds');
  const hiddenCount = verbose ? 0 : Math.max(0, passedGates.length - MOST_GATES);
  const shownGates = gates.slice(0, gates.length - hiddenCount);
  const column = Math.min(WIDEST_GATE, Math.max(0, ...shownGates.map(({ id }) => quoteName(id).length)));
  const open = grouped(
    outcome.findings.filter(({ state }) => isOpen(state)),
    ({ finding }) => finding.gate,
  );
  return [
    ...shownGates.flatMap((gate) =>
      describeGate(gate, problemsIn(open.get(gate.id) ?? []).length, column, style, verbose),
    ),
    ...(hiddenCount > 0
      ? [`${style.paint('good', 'passed'.padEnd(WORD_WIDTH))}${count(hiddenCount, 'more gate')} ${SHOW_ALL}`]
      : []),
  ];
}

function describeGate(gate: GateOutcome, open: number, column: number, style: Styled, verbose: boolean): string[] {
  const why = gate.why === 'passed' ? '' : describeGateDetail(gate);
  const isOpenIn = gate.why === 'open-findings' || gate.why === 'unchanged-since-fail';
  const detail = isOpenIn
    ? [count(open, 'open finding'), ...(gate.why === 'open-findings' ? [] : [why])].join(', ')
    : why;
  const word = style.paint(STATUS_STYLES[gate.status], gateWord(gate).padEnd(WORD_WIDTH));
  const margin = ' '.repeat(WORD_WIDTH);
  const slots = gate.slots.filter(({ status }) => verbose || status === 'error' || status === 'skipped_prior_pass');
  return [
    wrapTo(`${word}${padCells(quoteName(gate.id), column)}  ${detail}`.trimEnd(), style, WORD_WIDTH),
    ...slots.map((slot) => wrapTo(`${margin}${describeSlotLine(slot, style)}`, style, 2)),
    ...checkTail(gate, style, verbose).map((line) => `${margin}${showInvisible(line)}`),
  ];
}

function describeSlotLine(slot: SlotOutcome, { paint }: Styled): string {
  const { status, dispatch, usage } = slot;
  const why = describeSlotReason(slot);
  if (dispatch === 'none' && (status === 'pass' || status === 'not_run')) return `${reviewerName(slot)}: ${why}`;
  const word = paint(STATUS_STYLES[status], STATUS_WORDS[status]);
  // For an error, no brackets are used, because they are for the reason of the session.
  if (status === 'error')
    return `${reviewerName(slot)}: ${word}${why.startsWith('in run ') ? ' ' : ': '}${why}${usage === null ? '' : `, ${describeUsage(usage)}`}`;
  const session = dispatch === 'none' ? '' : `, ${SESSIONS[dispatch]}`;
  return `${reviewerName(slot)}: ${word}${session} (${why})${usage === null ? '' : `, ${describeUsage(usage)}`}`;
}

function checkTail({ check, status }: GateOutcome, { width }: Styled, verbose: boolean): readonly string[] {
  if (check === null || status !== 'fail') return [];
  const lines = (check.tail || '(no output)').split('\n');
  return width === null || verbose ? lines : lines.slice(-MOST_OUTPUT);
}

/** Lists the changed files that no reviewer saw, with at most `limit` names per line. */
export function describeUncovered({ uncovered, withheld }: RunOutcome, limit = MOST_FILES * 2): string[] {
  const kinds = [
    ['secret', 'look like secrets'],
    ['too-large', 'untracked and over 5 MiB'],
    ['repository', 'nested repositories without a commit'],
  ] as const;
  const subject = count(uncovered.length, 'changed file is', 'changed files are');
  return [
    ...(uncovered.length === 0 ? [] : [`${subject} not covered by any review: ${someNames(uncovered, limit)}`]),
    ...kinds.flatMap(([kind, label]) => {
      const paths = withheld.filter(({ why }) => why === kind).map(({ path }) => path);
      return paths.length === 0 ? [] : [`Not shown to reviewers (${label}): ${someNames(paths, limit)}`];
    }),
  ];
}
