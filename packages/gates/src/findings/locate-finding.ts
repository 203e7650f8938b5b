import { sha256 } from '@onceover/base/kernel/ids';
import type { Entry } from '@onceover/base/kernel/repository';
import type { Finding } from './types.ts';

/** The position of a finding in a file's text, and what is wrong with the reported position, if anything (`mark`). */
export type FindingLocation = Pick<Finding, 'anchor' | 'line'> & {
  readonly mark: 'no-such-line' | 'code-not-found' | null;
};

/**
 * Finds the place of a finding in a file: the occurrence of the quoted code that is nearest to the reported line or,
 * without quoted code, the text of that line. Ignores white space around lines. `anchor` is `null` if the file does not
 * contain the code. `reportedLine` is `null` if there is no line, below 1 if it is not a valid line number.
 */
export function locateFinding(text: string | null, reportedLine: number | null, code: string | null): FindingLocation {
  return findingLocator(text)(reportedLine, code);
}

/** Returns a function like `locateFinding` for one text, which it splits into lines only once. */
export function findingLocator(
  text: string | null,
): (reportedLine: number | null, code: string | null) => FindingLocation {
  if (text === null)
    return (reportedLine) => ({
      anchor: null,
      line: reportedLine !== null && reportedLine < 1 ? null : reportedLine,
      mark: null,
    });
  const lines = trimmedLines(text);
  // A line break at the end of the text does not begin another line.
  if (/[\r\n]$/.test(text)) lines.pop();
  return (reportedLine, code) => locate(lines, reportedLine, code);
}

function locate(lines: readonly string[], reportedLine: number | null, code: string | null): FindingLocation {
  const line = reportedLine !== null && reportedLine < 1 ? null : reportedLine;
  const quotedLines = code === null ? [] : trimmedLines(code);
  while (quotedLines[0] === '') quotedLines.shift();
  while (quotedLines.at(-1) === '') quotedLines.pop();
  if (quotedLines.length > 0) {
    const starts = occurrences(lines, quotedLines);
    const nearest = nearestTo(starts, (line ?? 1) - 1);
    if (nearest === null) return { anchor: null, line, mark: 'code-not-found' };
    const anchor = { text: quotedLines.join('\n'), occurrence: starts.indexOf(nearest) + 1 };
    return { anchor, line: nearest + 1, mark: null };
  }
  const exists = reportedLine === line && (line === null || line <= lines.length);
  if (!exists) return { anchor: null, line, mark: 'no-such-line' };
  const lineText = line === null ? '' : (lines[line - 1] ?? '');
  if (line === null || lineText === '') return { anchor: null, line, mark: null };
  const starts = occurrences(lines, [lineText]);
  return { anchor: { text: lineText, occurrence: starts.indexOf(line - 1) + 1 }, line, mark: null };
}

function trimmedLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/).map((line) => line.trim());
}

/**
 * Returns the indexes of the lines at which the quoted code begins. If the quotation is a single line, it may be a part
 * of a line in the file.
 */
function occurrences(lines: readonly string[], quotedLines: readonly string[]): number[] {
  const [only] = quotedLines;
  const indexes: number[] = [];
  for (let i = 0; i + quotedLines.length <= lines.length; i++) {
    const matches =
      quotedLines.length === 1 && only !== undefined
        ? (lines[i] ?? '').includes(only)
        : quotedLines.every((quotedLine, n) => lines[i + n] === quotedLine);
    if (matches) indexes.push(i);
  }
  return indexes;
}

function nearestTo(starts: readonly number[], index: number): number | null {
  const nearer = (a: number, b: number) => (Math.abs(b - index) < Math.abs(a - index) ? b : a);
  const [first, ...otherStarts] = starts;
  return first === undefined ? null : otherStarts.reduce(nearer, first);
}

/** Returns a text that differs whenever the content of the file differs; `null` if nothing is known about the file. */
export function fileFingerprint(entry: Entry | undefined, text: string | null): string | null {
  if (text !== null) return `text ${sha256(text)}`;
  return entry === undefined ? null : `blob ${entry.headBlob ?? 'deleted'}`;
}
