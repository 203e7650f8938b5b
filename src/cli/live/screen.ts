import { stripVTControlCharacters } from 'node:util';
import { cells } from '../../text/width.ts';

/** A part at the bottom of a terminal that is drawn again and again, with lines above it that stay. */
export type Screen = {
  /** Draws these lines, after new ones that stay above them. */
  draw(lines: readonly string[], above?: readonly string[]): void;
};

export function openScreen(terminal: { readonly columns?: number; write(text: string): unknown }): Screen {
  let drawn: readonly string[] = [];
  let width = terminal.columns ?? 80;
  return {
    draw(lines, above = []) {
      const columns = terminal.columns ?? 80;
      const text =
        columns === width && above.length === 0 && lines.length === drawn.length
          ? changedLines(drawn, lines)
          : `${upTo(drawn, columns)}${[...above, ...lines].map((line) => `${line}\n`).join('')}`;
      drawn = lines;
      width = columns;
      // In one piece, and between marks by which a terminal shows it in one piece.
      if (text !== '') terminal.write(`${BEGIN}${text}${END}`);
    },
  };
}

const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

// Only what differs: a line that stays as it is cannot flicker.
function changedLines(drawn: readonly string[], lines: readonly string[]): string {
  const first = lines.findIndex((line, n) => line !== drawn[n]);
  if (first === -1) return '';
  const steps = lines.slice(first).map((line, n) => (line === drawn[first + n] ? '\n' : `\r${line}${CLEAR_LINE}\n`));
  return `${up(lines.length - first)}${steps.join('')}`;
}

// A terminal that has become narrower has broken the old lines into more of them.
function upTo(drawn: readonly string[], columns: number): string {
  const rows = drawn.reduce(
    (sum, line) => sum + Math.max(1, Math.ceil(cells(stripVTControlCharacters(line)) / columns)),
    0,
  );
  return rows === 0 ? '' : `${up(rows)}\r${CLEAR_BELOW}`;
}

function up(rows: number): string {
  return `\u001b[${rows}A`;
}
