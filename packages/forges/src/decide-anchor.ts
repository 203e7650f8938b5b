import type { ChangedFile, FilePlace, LinePlace, PlaceLine, ThreadPlace } from './types.ts';

/** One line of the changed file's new version, as a unified diff shows it. */
export type DiffLine = PlaceLine & {
  readonly text: string;
  /** The number of the diff hunk that contains the line. A comment thread cannot span two hunks. */
  readonly hunk: number;
};

/** Returns the lines of the new file version that a unified diff shows: added lines and unchanged context lines. */
export function newSideOf(patch: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let hunk = 0;
  let oldLine = 0;
  let line = 0;
  for (const text of patch.split('\n')) {
    const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (start !== null) {
      hunk++;
      oldLine = Number(start[1]);
      line = Number(start[2]);
    } else if (hunk > 0 && text.startsWith('+')) {
      lines.push({ line: line++, oldLine: null, oldAt: oldLine, text: text.slice(1), hunk });
    } else if (hunk > 0 && text.startsWith(' ')) {
      lines.push({ line: line++, oldLine, oldAt: oldLine++, text: text.slice(1), hunk });
    } else if (hunk > 0 && text.startsWith('-')) oldLine++;
  }
  return lines;
}

/** The fields of a finding that decide where its comment thread is placed. */
export type AnchoredFinding = {
  readonly file: string | null;
  readonly line: number | null;
  readonly anchor: { readonly text: string } | null;
};

/** Returns a function that finds where in a pull request's diff the thread of a finding belongs. */
export function placeFinder(files: readonly ChangedFile[]): (finding: AnchoredFinding) => ThreadPlace | null {
  const filesByPath = new Map(files.map((file) => [file.path, file]));
  const linesByPath = new Map<string, readonly DiffLine[]>();
  return (finding) => {
    const file = finding.file === null ? undefined : filesByPath.get(finding.file);
    if (file === undefined) return null;
    const { path, oldPath } = file;
    const whole: FilePlace = { kind: 'file', path, oldPath };
    if (finding.anchor === null || file.patch === null) return whole;
    let lines = linesByPath.get(path);
    if (lines === undefined) {
      lines = newSideOf(file.patch);
      linesByPath.set(path, lines);
    }
    return placeInLines(lines, finding.anchor.text, finding.line ?? 1, whole) ?? whole;
  };
}

/**
 * Returns the diff lines whose text equals the code that the finding quotes; null if the diff does not show that code.
 * If the code occurs several times, the place nearest to the line number that the reviewer gave wins.
 */
function placeInLines(
  lines: readonly DiffLine[],
  anchor: string,
  near: number,
  { path, oldPath }: FilePlace,
): LinePlace | null {
  const anchorLines = anchor.split('\n').map((line) => line.trim());
  const [only = ''] = anchorLines;
  let best: LinePlace | null = null;
  for (let at = 0; at + anchorLines.length <= lines.length; at++) {
    const excerpt = lines.slice(at, at + anchorLines.length);
    const [first] = excerpt;
    const last = excerpt.at(-1);
    if (first === undefined || last === undefined || first.hunk !== last.hunk) continue;
    const matches =
      anchorLines.length === 1
        ? first.text.includes(only)
        : excerpt.every(({ text }, index) => text.trim() === anchorLines[index]);
    if (!matches || (best !== null && Math.abs(first.line - near) >= Math.abs(best.first - near))) continue;
    const text = excerpt.map((line) => line.text.replace(/\r$/, ''));
    best = { kind: 'lines', path, oldPath, first: first.line, last: last.line, ends: [first, last], text };
  }
  return best;
}
