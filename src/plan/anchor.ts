import type { Anchor } from '../domain/finding.ts';

/** Where a finding points in a file's text, and what is odd about that. */
export type Pointed = {
  readonly anchor: Anchor | null;
  readonly line: number | null;
  readonly mark: 'no-such-line' | 'code-not-found' | null;
};

/**
 * Finds what a reviewer points at: the quoted code, in the occurrence nearest to the reported line; without code, the
 * text of that line. White space around lines makes no difference. Code that is not there anchors nothing. A line below 1
 * stands for one that was given and that no file has.
 */
export function pointAt(text: string | null, given: number | null, code: string | null): Pointed {
  const line = given !== null && given < 1 ? null : given;
  if (text === null) return { anchor: null, line, mark: null };
  const lines = linesOf(text);
  const isThere = given === line && (line === null || line <= lines.length);
  const quoted = code === null ? [] : trimLines(code);
  if (quoted.length > 0) {
    const starts = occurrences(lines, quoted);
    const nearest = nearestTo(starts, line ?? 1);
    if (nearest === null) return { anchor: null, line, mark: 'code-not-found' };
    const anchor = { text: quoted.join('\n'), occurrence: starts.indexOf(nearest) + 1 };
    return { anchor, line: nearest + 1, mark: null };
  }
  if (!isThere) return { anchor: null, line, mark: 'no-such-line' };
  const pointed = line === null ? '' : (lines[line - 1] ?? '');
  if (line === null || pointed === '') return { anchor: null, line, mark: null };
  const starts = occurrences(lines, [pointed]);
  return { anchor: { text: pointed, occurrence: starts.indexOf(line - 1) + 1 }, line, mark: null };
}

/** The lines of a text; the end of the last one begins no further line. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/).map((one) => one.trim());
  return /[\r\n]$/.test(text) ? lines.slice(0, -1) : lines;
}

/** The indexes of lines at which the quoted lines begin; one quoted line may be a part of a line. */
function occurrences(lines: readonly string[], quoted: readonly string[]): number[] {
  const [only] = quoted;
  const found: number[] = [];
  for (let i = 0; i + quoted.length <= lines.length; i++) {
    const isHere =
      quoted.length === 1 && only !== undefined
        ? (lines[i] ?? '').includes(only)
        : quoted.every((one, n) => lines[i + n] === one);
    if (isHere) found.push(i);
  }
  return found;
}

function nearestTo(starts: readonly number[], line: number): number | null {
  let nearest: number | null = null;
  for (const start of starts) {
    if (nearest === null || Math.abs(start - (line - 1)) < Math.abs(nearest - (line - 1))) nearest = start;
  }
  return nearest;
}

function trimLines(code: string): string[] {
  const lines = code.split(/\r\n|\n|\r/).map((line) => line.trim());
  while (lines[0] === '') lines.shift();
  while (lines.at(-1) === '') lines.pop();
  return lines;
}
