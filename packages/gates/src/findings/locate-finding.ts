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
 * contain the code. `given` is the reported line: `null` if there is none, below 1 if it is not a valid line number.
 */
export function locateFinding(text: string | null, given: number | null, code: string | null): FindingLocation {
  return findingLocator(text)(given, code);
}

/** Returns a function like `locateFinding` for one text, which it splits into lines only once. */
export function findingLocator(text: string | null): (given: number | null, code: string | null) => FindingLocation {
  if (text === null) return (given) => ({ anchor: null, line: given !== null && given < 1 ? null : given, mark: null });
  const lines = trimmedLines(text);
  // A line break at the end of the text does not begin another line.
  if (/[\r\n]$/.test(text)) lines.pop();
  return (given, code) => locate(lines, given, code);
}

function locate(lines: readonly string[], given: number | null, code: string | null): FindingLocation {
  const line = given !== null && given < 1 ? null : given;
  const quoted = code === null ? [] : trimmedLines(code);
  while (quoted[0] === '') quoted.shift();
  while (quoted.at(-1) === '') quoted.pop();
  if (quoted.length > 0) {
    const starts = occurrences(lines, quoted);
    const nearest = nearestTo(starts, (line ?? 1) - 1);
    if (nearest === null) return { anchor: null, line, mark: 'code-not-found' };
    const anchor = { text: quoted.join('\n'), occurrence: starts.indexOf(nearest) + 1 };
    return { anchor, line: nearest + 1, mark: null };
  }
  const exists = given === line && (line === null || line <= lines.length);
  if (!exists) return { anchor: null, line, mark: 'no-such-line' };
  const pointed = line === null ? '' : (lines[line - 1] ?? '');
  if (line === null || pointed === '') return { anchor: null, line, mark: null };
  const starts = occurrences(lines, [pointed]);
  return { anchor: { text: pointed, occurrence: starts.indexOf(line - 1) + 1 }, line, mark: null };
}

function trimmedLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/).map((line) => line.trim());
}

/**
 * Returns the indexes of the lines at which the quoted code begins. If the quotation is a single line, it may be a part
 * of a line in the file.
 */
function occurrences(lines: readonly string[], quoted: readonly string[]): number[] {
  const [only] = quoted;
  const found: number[] = [];
  for (let i = 0; i + quoted.length <= lines.length; i++) {
    const matches =
      quoted.length === 1 && only !== undefined
        ? (lines[i] ?? '').includes(only)
        : quoted.every((one, n) => lines[i + n] === one);
    if (matches) found.push(i);
  }
  return found;
}

function nearestTo(starts: readonly number[], index: number): number | null {
  const nearer = (a: number, b: number) => (Math.abs(b - index) < Math.abs(a - index) ? b : a);
  const [first, ...more] = starts;
  return first === undefined ? null : more.reduce(nearer, first);
}

/** Returns a text that differs whenever the content of the file differs; `null` if nothing is known about the file. */
export function fileFingerprint(entry: Entry | undefined, text: string | null): string | null {
  if (text !== null) return `text ${sha256(text)}`;
  return entry === undefined ? null : `blob ${entry.headBlob ?? 'deleted'}`;
}
