import { quoteName } from '../../domain/quote-name.ts';
import { oneLine } from '../../text/one-line.ts';
import type { Paint } from '../../text/paint.ts';
import { tokensOf } from '../../text/tokens.ts';
import { cells, cut, cutStart, padCells } from '../../text/width.ts';
import type { Progress, Running } from './progress.ts';

export type Size = { readonly columns: number; readonly rows: number };

/** What to show at the bottom of the terminal: a line on the whole, and one on each that is at work. */
export function frame(progress: Progress, { columns, rows }: Size, now: number, paint: Paint): string[] {
  const running = [...progress.running.values()];
  if (running.length === 0 && progress.iteration === null) return [];
  // The last column stays free: some terminals break the line there.
  const width = Math.max(10, columns - 1);
  const most = Math.max(1, Math.min(MOST_LINES, rows - 3));
  const shown = running.length <= most ? running : running.slice(0, most - 1);
  const table = columnsFor(shown, width, now);
  const lines = shown.map((one) => runningLine(one, table, width, now, paint));
  if (shown.length < running.length) lines.push(cut(`  … and ${running.length - shown.length} more`, width));
  return [...lines, paint('strong', summary(progress, width, now))];
}

const MOST_LINES = 12;

function summary(progress: Progress, width: number, now: number): string {
  const running = [...progress.running.values()];
  const tokens = progress.tokens + running.reduce((sum, one) => sum + (one.tokens ?? 0), 0);
  const { slots, ended, failed } = progress;
  const tell = (isShort: boolean) =>
    [
      progress.iteration === null || isShort ? null : titleOf(progress.iteration, progress.loop),
      slots === 0 ? null : `${ended} of ${slots} ${isShort ? '' : 'reviewers '}done`,
      failed === 0 ? null : `${failed} not passed`,
      `${running.length} at work`,
      elapsed(now - progress.startedAt),
      tokens === 0 || isShort ? null : `${tokensOf(tokens)} tokens`,
    ]
      .filter((part) => part !== null)
      .join(' · ');
  const full = tell(false);
  return cells(full) <= width ? full : cut(tell(true), width);
}

function titleOf(iteration: number, loop: Progress['loop']): string {
  if (loop === null) return `Iteration ${iteration}`;
  const which = loop.isFinalValidation ? 'final validation' : `iteration ${iteration} of ${loop.most}`;
  return `${loop.phase}, ${which}`;
}

type Table = { readonly name: number; readonly agent: number; readonly how: number; readonly tokens: number };

// What matters least goes first where it is narrow: how it was asked, then the tokens, then what it does.
function columnsFor(shown: readonly Running[], width: number, now: number): Table {
  const widest = (of: (one: Running) => string) => Math.max(0, ...shown.map((one) => cells(of(one))));
  const agent = Math.min(
    16,
    widest((one) => agentOf(one)),
  );
  const time = widest((one) => elapsed(now - one.since));
  const full = { name: widest(nameOf), agent, how: widest(howOf), tokens: widest(tokensText) };
  const taken = (table: Table) =>
    2 + table.name + gap(table.agent) + gap(table.how) + gap(time) + gap(table.tokens) + (width >= 60 ? 12 : 0);
  const candidates = [full, { ...full, how: 0 }, { ...full, how: 0, tokens: 0 }];
  const fits = candidates.find((table) => taken(table) <= width);
  if (fits !== undefined) return fits;
  const least = { ...full, how: 0, tokens: width >= 60 ? full.tokens : 0 };
  return { ...least, name: Math.max(8, full.name - (taken(least) - width)) };
}

const gap = (width: number) => (width === 0 ? 0 : width + 2);

function runningLine(one: Running, table: Table, width: number, now: number, paint: Paint): string {
  const name = padCells(cutStart(nameOf(one), table.name), table.name);
  const fields = [
    table.agent === 0 ? '' : padCells(cut(agentOf(one), table.agent), table.agent),
    table.how === 0 ? '' : padCells(howOf(one), table.how),
    elapsed(now - one.since),
    table.tokens === 0 ? '' : padCells(tokensText(one), table.tokens),
  ].filter((field) => field !== '');
  const start = cut(`  ${name}  ${fields.join('  ')}`, width);
  const rest = width - cells(start) - 2;
  const doing = one.doing === null ? '' : cut(oneLine(one.doing), rest);
  return rest < 4 || doing === '' ? start : `${start}  ${paint('quiet', doing)}`;
}

function nameOf({ gate, slot }: Running): string {
  if (slot === null) return quoteName(gate);
  return `${quoteName(gate)} ${typeof slot === 'number' ? `@${slot}` : slot}`;
}

function agentOf({ agent }: Running): string {
  return agent === null ? '' : oneLine(agent);
}

function howOf({ dispatch }: Running): string {
  return dispatch ?? '';
}

function tokensText({ tokens }: Running): string {
  return tokens === null || tokens === 0 ? '' : tokensOf(tokens);
}

/** A time as on a stop-watch. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (number: number) => String(number).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
