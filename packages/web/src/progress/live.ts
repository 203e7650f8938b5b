import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { oneLine } from '@onceover/base/kernel/escape';
import { cells, cut, cutStart, padCells, wrap } from '@onceover/base/ui/layout';
import type { Paint } from '@onceover/base/ui/style';
import { count, tokensOf } from '@onceover/base/ui/wording';
import { SESSIONS } from '@onceover/gates/result/describe/reasons';
import { describeEvent, isRoutine } from './describe.ts';
import { type ConsoleReporter, type Event, NO_PROGRESS, type Progress, progressAfter, type Running } from './state.ts';

export type Size = { readonly columns: number; readonly rows: number };

/** Returns the live lines at the bottom of the terminal: one per running check or reviewer, then a summary. */
export function frame(progress: Progress, { columns, rows }: Size, now: number, paint: Paint): string[] {
  const running = [...progress.running.values()];
  if (running.length === 0 && progress.title === null) return [];
  // Keep the last column free, because some terminals wrap a line that reaches it.
  const width = Math.max(10, columns - 1);
  const maxLines = Math.max(1, Math.min(MOST_LINES, rows - 3));
  const visibleTasks = running.length <= maxLines ? running : running.slice(0, maxLines - 1);
  const column = Math.min(Math.floor(width / 2), Math.max(0, ...visibleTasks.map(({ name }) => cells(name))));
  const lines = [
    ...visibleTasks.map((task) => `  ${padCells(cutStart(task.name, column), column)}  ${describeRunning(task, now)}`),
    ...(visibleTasks.length < running.length ? [`  … and ${running.length - visibleTasks.length} more`] : []),
  ];
  return [...lines.map((line) => cut(line, width)), paint('strong', cut(summary(progress, now), width))];
}

const MOST_LINES = 12;

function summary(progress: Progress, now: number): string {
  const { title, checks, checksEnded, slots, ended, failed, running, tokens, startedAt } = progress;
  const tokenSum = [...running.values()].reduce((sum, task) => sum + (task.tokens ?? 0), tokens);
  return [
    title ?? '',
    `${running.size} running`,
    checks === 0 ? '' : `${Math.min(checksEnded, checks)} of ${count(checks, 'check')} done`,
    slots === 0 ? '' : `${ended} of ${count(slots, 'reviewer')} done`,
    failed === 0 ? '' : `${failed} failed`,
    elapsed(now - startedAt),
    tokenSum === 0 ? '' : `${tokensOf(tokenSum)} tokens`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Describes a running check or reviewer. The current activity comes last, because long lines are cut off. */
function describeRunning({ agent, dispatch, since, tokens, doing }: Running, now: number): string {
  return [
    elapsed(now - since),
    oneLine(agent ?? ''),
    dispatch === null ? '' : SESSIONS[dispatch],
    tokens === null || tokens === 0 ? '' : `${tokensOf(tokens)} tokens`,
    oneLine(doing ?? ''),
  ]
    .filter((part) => part !== '')
    .join('  ');
}

/** Formats a duration as minutes and seconds, with hours if there are any. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (number: number) => String(number).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/**
 * Returns a function that redraws the live lines at the bottom of a terminal. The lines in its argument `above` are
 * printed permanently, above the live lines.
 */
export function liveLines(terminal: { readonly columns?: number; write(text: string): unknown }) {
  let drawnLines: readonly string[] = [];
  let width = terminal.columns || 80;
  return (lines: readonly string[], above: readonly string[] = []): void => {
    const columns = terminal.columns || 80;
    const text =
      columns === width && above.length === 0 && lines.length === drawnLines.length
        ? changedLines(drawnLines, lines)
        : `${upTo(drawnLines, columns)}${[...above, ...lines].map((line) => `${line}\n`).join('')}`;
    drawnLines = lines;
    width = columns;
    // Write everything at once, between the escape codes for synchronized output, so that the terminal never shows half
    // an update.
    if (text !== '') terminal.write(`${BEGIN}${text}${END}`);
  };
}

const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

// Returns the output that rewrites only the lines that differ; unchanged lines then cannot flicker.
function changedLines(drawnLines: readonly string[], lines: readonly string[]): string {
  const first = lines.findIndex((line, n) => line !== drawnLines[n]);
  if (first === -1) return '';
  const steps = lines
    .slice(first)
    .map((line, n) => (line === drawnLines[first + n] ? '\n' : `\r${line}${CLEAR_LINE}\n`));
  return `${up(lines.length - first)}${steps.join('')}`;
}

// Returns the escape codes that erase the drawn lines. If the terminal became narrower, a line may take several rows.
function upTo(drawnLines: readonly string[], columns: number): string {
  const rows = drawnLines.reduce(
    (sum, line) => sum + Math.max(1, Math.ceil(cells(stripVTControlCharacters(line)) / columns)),
    0,
  );
  return rows === 0 ? '' : `${up(rows)}\r${CLEAR_BELOW}`;
}

function up(rows: number): string {
  return `\u001b[${rows}A`;
}

/**
 * Returns a reporter with a live view: lines about finished work scroll up, lines about running work stay at the
 * bottom.
 */
export function liveReporter(terminal: WriteStream, paint: Paint): ConsoleReporter {
  const redraw = liveLines(terminal);
  let progress = NO_PROGRESS(performance.now());
  let above: string[] = [];
  let due: NodeJS.Timeout | null = null;
  let lastDrawn = 0;
  let hasEnded = false;
  let hasLines = false;
  const draw = () => {
    if (due !== null) clearTimeout(due);
    due = null;
    const now = performance.now();
    lastDrawn = now;
    const size = { columns: terminal.columns || 80, rows: terminal.rows || 24 };
    redraw(hasEnded ? [] : frame(progress, size, now, paint), above);
    above = [];
    if (!hasEnded && progress.running.size > 0) later(Math.ceil(SECOND - ((now - progress.startedAt) % SECOND)));
  };
  const later = (ms: number) => {
    due = setTimeout(draw, ms);
    // The timer must not keep the process running after the work has ended.
    due.unref();
  };
  const soon = () => {
    if (due !== null) clearTimeout(due);
    later(Math.max(0, lastDrawn + SHORTEST - performance.now()));
  };
  terminal.on('resize', soon);
  return {
    tell(event) {
      progress = progressAfter(progress, event, performance.now());
      if (!isMomentary(event)) {
        const line = describeEvent(event, paint);
        if (line !== null) above.push(wrap(line, terminal.columns || 80, 2));
        hasLines ||= line !== null;
      }
      soon();
    },
    end() {
      if (hasEnded) return;
      hasEnded = true;
      // The result is printed to the same terminal, so put an empty line before it.
      if (hasLines && process.stdout.isTTY) above.push('');
      terminal.off('resize', soon);
      draw();
    },
  };
}

const SECOND = 1000;
const SHORTEST = 150;

/** Whether the live lines already show this event, so that it needs no permanent line. */
function isMomentary(event: Event): boolean {
  if (event.kind === 'slot-planned' || event.kind === 'look-started') return isRoutine(event);
  return ['fix-started', 'slot-started', 'check-started', 'slot-active'].includes(event.kind);
}
