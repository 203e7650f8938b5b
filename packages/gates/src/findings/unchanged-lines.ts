import type { Finding } from './types.ts';

/** Returns the line numbers, in the new file, of the lines that a unified diff of one file adds. */
export function addedLines(diff: string): ReadonlySet<number> {
  const lineNumbers = new Set<number>();
  let line = 0;
  for (const text of diff.split('\n')) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (start !== null) line = Number(start[1]);
    else if (line > 0 && text.startsWith('+')) lineNumbers.add(line++);
    else if (line > 0 && text.startsWith(' ')) line++;
  }
  return lineNumbers;
}

/** Whether the place of a problem is known and the diff adds none of its lines. */
export function isOnUnchangedLines(
  { line, anchor, mark }: Pick<Finding, 'line' | 'anchor' | 'mark'>,
  addedLineNumbers: ReadonlySet<number>,
): boolean {
  if (line === null || anchor === null || mark === 'no-such-line' || mark === 'code-not-found') return false;
  return anchor.text.split('\n').every((_, index) => !addedLineNumbers.has(line + index));
}
