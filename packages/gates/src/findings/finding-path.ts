import type { RepoPath } from '@onceover/base/kernel/ids';
import { repoPath } from '@onceover/base/kernel/paths';

/** The possible meanings of a file name in a reviewer's answer: paths, and the line number at the end of the name. */
export type SpelledFile = {
  /** The paths that the name may mean. The path that is closest to the name as written comes first. */
  readonly paths: readonly RepoPath[];
  /** The name as written, if it is a path in the repository; otherwise `null`. */
  readonly literal: RepoPath | null;
  /** Whether the name is an absolute path outside the repository, for example in a copy of it. */
  readonly isAbsolute: boolean;
  /** The line number at the end of the name, such as 12 in "src/a.ts:12"; `null` if there is none. */
  readonly line: number | null;
};

// Matches a line number at the end of a name: a colon, `#L`, "line" or a parenthesis, then a number or a range.
const LINE = /(?:[:#]L?|[\s,(]+(?:at\s+)?lines?\s+|\s*\()(\d+)(?:(?::|-L?|\s*-\s*|–)\d+)*\)?[:.,]?$/i;

/**
 * Returns the paths that a file name in an answer may mean: without quotes, line number, repository root or diff
 * prefix.
 */
export function readFileName(spelling: string, root: string): SpelledFile {
  const bare = withoutQuotes(spelling.trim());
  const line = LINE.exec(bare);
  const names = [spelling.trim(), bare, ...(line === null ? [] : [withoutQuotes(bare.slice(0, line.index))])];
  const spellings = names.flatMap((name) => [name, name.replaceAll('\\', '/')]).map((name) => withoutRoot(name, root));
  // git writes a/ and b/ before the paths in a diff or, with `diff.mnemonicPrefix`, i/, w/, c/ and o/.
  const plain = spellings.flatMap((name) => [name, name.replace(/^[abciow]\//, '')]);
  const paths = plain.flatMap((name) => repoPath(name.replace(/^\/+/, '')) || []);
  const isAbsolute = spellings.some((name) => name.startsWith('/'));
  const literal = repoPath(withoutRoot(spelling.trim(), root)) || null;
  return { paths: [...new Set(paths)], literal, isAbsolute, line: line === null ? null : Number(line[1]) };
}

/** Removes Markdown formatting and quotation marks around a name. */
function withoutQuotes(name: string): string {
  const link = /^\[([^\]]+)\]\([^)]*\)$/.exec(name);
  return (link?.[1] ?? name).replace(/^[\s`"'*<(“‘]+|[\s`"'*>)”’]+$/g, '');
}

function withoutRoot(name: string, root: string): string {
  const path = name.replace(/^file:\/\//, '');
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/**
 * Returns the file that a name means. Returns the first possible path for which `exists` is true. Otherwise returns the
 * changed file whose path ends with the name, first with the same case, then in any case. Returns `null` if no file
 * fits, or several.
 */
export function findFile(
  { paths, isAbsolute }: SpelledFile,
  changedPaths: readonly RepoPath[],
  exists: (path: RepoPath) => boolean,
): RepoPath | null {
  const literal = paths.find((path) => exists(path));
  if (literal !== undefined) return literal;
  for (const fold of [(path: string) => path, (path: string) => path.toLowerCase()]) {
    for (const path of paths) {
      const fits = changedPaths.filter(
        (changedPath) =>
          isEndOf(fold(path), fold(changedPath)) || (isAbsolute && isEndOf(fold(changedPath), fold(path))),
      );
      if (fits.length === 1) return fits[0] ?? null;
    }
  }
  return null;
}

/** Whether `end` is the last part of a path: "a.ts" and "lib/a.ts" are ends of "src/lib/a.ts". */
function isEndOf(end: string, path: string): boolean {
  return path === end || path.endsWith(`/${end}`);
}
