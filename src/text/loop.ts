import type { Fix, LoopEnd, LoopOutcome, LoopRound } from '../domain/loop.ts';
import { quoteName } from '../domain/quote-name.ts';
import { tellAgentFailure } from './agent-failure.ts';
import { ASKED_AGAIN } from './asked-again.ts';
import { count } from './count.ts';
import { someNames } from './names.ts';
import { oneLine } from './one-line.ts';
import { AS_IT_IS, fitted, type Shown } from './shown.ts';
import { cells, cut, padCells } from './width.ts';

/** The story of a loop: a line a round, then how it ended and what to do about it. */
export function tellLoop({ end, rounds }: LoopOutcome, { width, paint }: Shown = AS_IT_IS): string {
  const rows = [HEAD, ...rounds.map(tellRound)];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => cells(row[column] ?? ''))));
  const lines = rows.map((row) => {
    const start = row.slice(0, 3).map((cell, column) => padCells(cell, widths[column] ?? 0));
    return fitted([...start, row[3] ?? ''].join('  ').trimEnd(), { width }, INDENT);
  });
  const summaries = rounds.flatMap(({ fix }, n) => tellSummary(fix, n + 1, width));
  const [head = '', ...others] = lines;
  return [
    [paint('strong', head), ...others].join('\n'),
    ...(summaries.length === 0 ? [] : [summaries.join('\n')]),
    [...rounds.flatMap(tellLeft), ...tellLetBe(rounds), ENDS[end](rounds)]
      .map((line) => fitted(line, { width }, 0))
      .join('\n'),
  ].join('\n\n');
}

const HEAD = ['Round', 'Review', 'Open', 'Fix'];
const INDENT = 7;

function tellRound(round: LoopRound, n: number): string[] {
  const open = round.open.length + round.failingChecks.length;
  const moved = [
    ...(round.closed > 0 ? [`${round.closed} closed`] : []),
    ...(n > 0 && round.added > 0 ? [`${round.added} new`] : []),
  ];
  const asked = round.dispatches === 0 ? 'nobody asked' : `${round.dispatches} asked`;
  return [
    String(n + 1),
    `${STATUSES[round.status] ?? round.status}, ${asked}`,
    `${open}${moved.length === 0 ? '' : ` (${moved.join(', ')})`}`,
    tellFix(round.fix),
  ];
}

const STATUSES: Partial<Record<LoopRound['status'], string>> = {
  passed: 'passed',
  passed_with_warnings: 'passed with warnings',
  failed: 'failed',
  error: 'could not judge',
  retry_limit_exceeded: 'failed too often',
  no_changes: 'nothing to review',
  no_applicable_gates: 'nothing to review',
};

function tellFix(fix: Fix | null): string {
  if (fix === null) return '';
  const who = `${quoteName(fix.agent)}, ${fix.dispatch}`;
  if (fix.failure !== null) return `${who}: ${tellAgentFailure(fix.failure)}`;
  const did = `${count(fix.filesChanged, 'file')} changed`;
  const declined = fix.declined.length === 0 ? '' : `, declines ${fix.declined.join(', ')}`;
  return `${who}: ${did}${declined}`;
}

const SUMMARY_LINES = 3;
const USUAL_WIDTH = 100;

function tellSummary(fix: Fix | null, round: number, width: number | null): string[] {
  if (fix === null || fix.summary.trim() === '') return [];
  const most = ((width ?? USUAL_WIDTH) - INDENT) * SUMMARY_LINES;
  return [fitted(cut(`Fix ${round}: ${oneLine(fix.summary)}`, most), { width }, INDENT)];
}

function tellLeft({ left }: LoopRound): string[] {
  if (left.length === 0) return [];
  return [`Nothing is left to review for ${someNames(left)}: that part of the change was taken back.`];
}

function tellLetBe(rounds: readonly LoopRound[]): string[] {
  const { letBe = [] } = rounds.at(-1) ?? {};
  if (letBe.length === 0) return [];
  const [are, they] = letBe.length === 1 ? ['is', 'It is'] : ['are', 'They are'];
  return [
    `The ratchet lets ${someNames(letBe)} be, which ${are} new and not grave enough. ${they} open for the next run without it.`,
  ];
}

function stillOpen(rounds: readonly LoopRound[]): string {
  const { open = [], failingChecks = [] } = rounds.at(-1) ?? {};
  return someNames([...open, ...failingChecks]);
}

function inTurns(rounds: readonly LoopRound[]): string {
  return someNames([...new Set(rounds.slice(-2).flatMap(({ open, failingChecks }) => [...open, ...failingChecks]))]);
}

function countFixes(rounds: readonly LoopRound[]): number {
  return rounds.filter(({ fix }) => fix !== null).length;
}

const IN_THE_TREE = 'What the fixer changed is in the working tree.';

const ENDS: Readonly<Record<LoopEnd, (rounds: readonly LoopRound[]) => string>> = {
  passed(rounds) {
    const fixes = countFixes(rounds);
    if (fixes === 0) return 'There was nothing to fix.';
    return `It holds after ${count(fixes, 'fix', 'fixes')}.`;
  },
  stalled: (rounds) =>
    `Stalled: ${stillOpen(rounds)} stayed open although the fixer had its turns. Mend it yourself, or "onceover resolve" what may stay.`,
  oscillating: (rounds) =>
    `Going in circles: what was mended came back. Look at ${inTurns(rounds)} together: mending one may bring the other.`,
  'max-iterations': (rounds) =>
    `Stopped after ${count(rounds.length, 'round')}, as many as were allowed (--max-iterations). Open: ${stillOpen(rounds)}. Mend it yourself, or run again to go on.`,
  'retry-limit': () =>
    `Stopped: a gate failed too often in a row (max_retries), and a person has to look; ${ASKED_AGAIN}.`,
  budget: (rounds) =>
    `Stopped: the budget is used up. Open: ${stillOpen(rounds)}. ${IN_THE_TREE} Raise "budget" in onceover.yml, or run again to go on.`,
  'fixer-failed'(rounds) {
    const failure = rounds.at(-1)?.fix?.failure ?? null;
    const why = failure === null ? '' : ` (${tellAgentFailure(failure)})`;
    return `Stopped: the fixer gave no answer${why}. ${IN_THE_TREE} Run again to go on.`;
  },
  'gate-changed': () =>
    'Stopped: the fixer changed what it is judged by (settings, prompts, rules, roles, an agent or the base), or hid a file from review. Look at "git status" and "git diff", and run again if that is right.',
  'nothing-left': () =>
    'Stopped: nothing of the change is left to review. It was taken back rather than mended: look at "git status" and "git diff".',
  'could-not-judge': () => 'Stopped: not every gate could be judged. See why above, put it right, and run again.',
  interrupted: (rounds) =>
    countFixes(rounds) === 0
      ? 'Interrupted before anything was fixed. Run again to go on.'
      : `Interrupted. ${IN_THE_TREE} Run again to go on.`,
};
