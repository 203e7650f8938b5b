import type { Fix, LoopEnd, LoopOutcome, LoopRound } from '../domain/loop.ts';
import { tellAgentFailure } from './agent-failure.ts';
import { oneLine } from './one-line.ts';
import type { Paint } from './paint.ts';
import { PLAIN } from './paint.ts';
import { cut, padCells } from './width.ts';

/** The story of a loop: a line a round, then how it ended and what to do about it. */
export function tellLoop({ end, rounds }: LoopOutcome, width = 100, paint: Paint = PLAIN): string {
  const rows = [HEAD, ...rounds.map(tellRound)];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) => {
    const start = row.slice(0, 3).map((cell, column) => padCells(cell, widths[column] ?? 0));
    return cut([...start, row[3] ?? ''].join('  ').trimEnd(), width);
  });
  const summaries = rounds.flatMap(({ fix }, n) => tellSummary(fix, n + 1, width));
  const [head = '', ...others] = lines;
  return [
    [paint('strong', head), ...others].join('\n'),
    ...(summaries.length === 0 ? [] : [summaries.join('\n')]),
    `${ENDS[end](rounds)}`,
  ].join('\n\n');
}

const HEAD = ['Round', 'Review', 'Open', 'Fix'];

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
  const who = `${oneLine(fix.agent)}, ${fix.dispatch}`;
  if (fix.failure !== null) return `${who}: ${tellAgentFailure(fix.failure)}`;
  const did = `${fix.filesChanged} ${fix.filesChanged === 1 ? 'file' : 'files'} changed`;
  const declined = fix.declined.length === 0 ? '' : `, declines ${fix.declined.join(', ')}`;
  return `${who}: ${did}${declined}`;
}

function tellSummary(fix: Fix | null, round: number, width: number): string[] {
  if (fix === null || fix.summary.trim() === '') return [];
  return [cut(`Fix ${round}: ${oneLine(fix.summary)}`, width)];
}

function last(rounds: readonly LoopRound[]): LoopRound | undefined {
  return rounds.at(-1);
}

function stillOpen(rounds: readonly LoopRound[]): string {
  const { open = [], failingChecks = [] } = last(rounds) ?? {};
  return [...open, ...failingChecks].join(', ');
}

function inTurns(rounds: readonly LoopRound[]): string {
  return [...new Set(rounds.slice(-2).flatMap(({ open, failingChecks }) => [...open, ...failingChecks]))].join(', ');
}

function fixes(rounds: readonly LoopRound[]): string {
  const count = rounds.filter(({ fix }) => fix !== null).length;
  return count === 1 ? 'one fix' : `${count} fixes`;
}

const ENDS: Readonly<Record<LoopEnd, (rounds: readonly LoopRound[]) => string>> = {
  passed: (rounds) => (fixes(rounds) === '0 fixes' ? 'There was nothing to fix.' : `It holds after ${fixes(rounds)}.`),
  stalled: (rounds) =>
    `Stalled: ${stillOpen(rounds)} stayed open although the fixer had its turns. Mend it yourself, or "onceover resolve" what may stay.`,
  oscillating: (rounds) =>
    `Going in circles: what was mended came back. Look at ${inTurns(rounds)} together: mending one may bring the other.`,
  'max-iterations': (rounds) =>
    `Stopped after ${rounds.length} rounds, as many as were allowed (--max-iterations). Open: ${stillOpen(rounds)}.`,
  'retry-limit': () => 'Stopped: a gate failed too often in a row, and a person has to look (max_retries).',
  budget: (rounds) => `Stopped: the budget is used up. Open: ${stillOpen(rounds)}.`,
  'fixer-failed': (rounds) => {
    const failure = last(rounds)?.fix?.failure ?? null;
    return `Stopped: the fixer gave no answer${failure === null ? '' : ` (${tellAgentFailure(failure)})`}. What it changed is in the working tree.`;
  },
  'gate-changed': () =>
    'Stopped: the fixer changed what it is judged by (settings, prompts or rules). Look at "git diff", and run again if that is right.',
  'could-not-judge': () => 'Stopped: not every gate could be judged; see above.',
  interrupted: () => 'Interrupted. What the fixer changed so far is in the working tree; run again to go on.',
};
