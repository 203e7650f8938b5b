import type { RepoPath } from '../../kernel/ids.ts';
import type { DiffSection, Entry } from '../../kernel/repository.ts';

/** Whether a file that the gate reviews was part of an earlier change (`before`), and that change was not merged. */
export function touchesReviewed(entries: readonly Entry[], before: ReadonlyMap<RepoPath, string | null>): boolean {
  return entries.some(({ path, baseBlob }) => before.has(path) && before.get(path) !== baseBlob);
}

/** The added and deleted lines of a diff, by file. */
type LinesByFile = ReadonlyMap<RepoPath, readonly string[]>;

/** Whether at least half of the changed lines of an earlier diff are in the current diff, in the files of `entries`. */
export function isMostlyKept(before: LinesByFile, now: LinesByFile, entries: readonly Entry[]): boolean {
  let all = 0;
  let kept = 0;
  for (const { path } of entries) {
    const left = new Map<string, number>();
    for (const line of now.get(path) ?? []) left.set(line, (left.get(line) ?? 0) + 1);
    for (const line of before.get(path) ?? []) {
      const there = left.get(line) ?? 0;
      all++;
      if (there === 0) continue;
      kept++;
      left.set(line, there - 1);
    }
  }
  return all > 0 && kept * 2 >= all;
}

/** Returns the changed lines of a diff. A binary file has none, so its index line stands for it. */
export function changedLines(sections: readonly DiffSection[]): LinesByFile {
  return new Map(
    sections.flatMap(({ paths, text }) => {
      const path = paths.at(-1);
      if (path === undefined) return [];
      const lines = text.split('\n');
      const start = lines.findIndex((line) => line.startsWith('@@'));
      // Brackets and empty lines are in every change, so they do not show that two changes are the same.
      const changed = (start === -1 ? [] : lines.slice(start)).filter((line) => /^[-+].*[\p{L}\p{N}]/u.test(line));
      return [[path, changed.length > 0 ? changed : lines.filter((line) => line.startsWith('index '))] as const];
    }),
  );
}
