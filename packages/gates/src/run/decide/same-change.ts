import type { RepoPath } from '@onceover/base/kernel/ids';
import type { DiffSection, Entry } from '@onceover/base/kernel/repository';

/** Whether the gate still reviews a file that was part of an earlier change (`before`) and was not merged since. */
export function touchesReviewed(entries: readonly Entry[], before: ReadonlyMap<RepoPath, string | null>): boolean {
  return entries.some(({ path, baseBlob }) => before.has(path) && before.get(path) !== baseBlob);
}

/** The added and deleted lines of each file in a diff. */
type LinesByFile = ReadonlyMap<RepoPath, readonly string[]>;

/**
 * Whether the current diff still has at least half of the changed lines of an earlier diff, in the files of `entries`.
 */
export function isMostlyKept(before: LinesByFile, now: LinesByFile, entries: readonly Entry[]): boolean {
  let lineCount = 0;
  let keptCount = 0;
  for (const { path } of entries) {
    const unmatchedCounts = new Map<string, number>();
    for (const line of now.get(path) ?? []) unmatchedCounts.set(line, (unmatchedCounts.get(line) ?? 0) + 1);
    for (const line of before.get(path) ?? []) {
      const count = unmatchedCounts.get(line) ?? 0;
      lineCount++;
      if (count === 0) continue;
      keptCount++;
      unmatchedCounts.set(line, count - 1);
    }
  }
  return lineCount > 0 && keptCount * 2 >= lineCount;
}

/**
 * Returns the changed lines of each file in a diff. A binary file has no lines, so its `index` line with the object ids
 * is used.
 */
export function changedLines(sections: readonly DiffSection[]): LinesByFile {
  return new Map(
    sections.flatMap(({ paths, text }) => {
      const path = paths.at(-1);
      if (path === undefined) return [];
      const lines = text.split('\n');
      const start = lines.findIndex((line) => line.startsWith('@@'));
      // Lines of brackets and empty lines occur in every change, so they do not show that two changes are the same.
      const editedLines = (start === -1 ? [] : lines.slice(start)).filter((line) => /^[-+].*[\p{L}\p{N}]/u.test(line));
      return [
        [path, editedLines.length > 0 ? editedLines : lines.filter((line) => line.startsWith('index '))] as const,
      ];
    }),
  );
}
