import type { RepoPath } from '../../kernel/ids.ts';
import { repoPath } from '../../kernel/paths.ts';

/** The possible meanings of a file name in a reviewer's answer, and the line number at its end. */
export type SpelledFile = {
  /** Paths that the name can mean, the most literal first. */
  readonly paths: readonly RepoPath[];
  /** The name as it was given; `null` if it is not a path in the repository. */
  readonly literal: RepoPath | null;
  /** Whether the name is an absolute path outside the repository, for example in a copy of it. */
  readonly isAbsolute: boolean;
  /** The line number at the end of the name, such as 12 in "src/a.ts:12"; `null` if there is none. */
  readonly line: number | null;
};

// A colon, `#L`, "line" or a parenthesis, then a number or a range.
const LINE = /(?:[:#]L?|[\s,(]+(?:at\s+)?lines?\s+|\s*\()(\d+)(?:(?::|-L?|\s*-\s*|–)\d+)*\)?[:.,]?$/i;

/** Returns the paths that a file name in an answer can mean: without quotes, line number, root or diff prefix. */
export function readFileName(given: string, root: string): SpelledFile {
  const bare = withoutQuotes(given.trim());
  const line = LINE.exec(bare);
  const names = [given.trim(), bare, ...(line === null ? [] : [withoutQuotes(bare.slice(0, line.index))])];
  const spelled = names.flatMap((name) => [name, name.replaceAll('\\', '/')]).map((name) => withoutRoot(name, root));
  // Git writes a/ and b/ before the paths in a diff, and i/, w/, c/ and o/ with `diff.mnemonicPrefix`.
  const plain = spelled.flatMap((name) => [name, name.replace(/^[abciow]\//, '')]);
  const paths = plain.flatMap((name) => repoPath(name.replace(/^\/+/, '')) || []);
  const isAbsolute = spelled.some((name) => name.startsWith('/'));
  const literal = repoPath(withoutRoot(given.trim(), root)) || null;
  return { paths: [...new Set(paths)], literal, isAbsolute, line: line === null ? null : Number(line[1]) };
}

/** Takes off Markdown and quotation marks around a name. */
function withoutQuotes(name: string): string {
  const link = /^\[([^\]]+)\]\([^)]*\)$/.exec(name);
  return (link?.[1] ?? name).replace(/^[\s`"'*<(“‘]+|[\s`"'*>)”’]+$/g, '');
}

function withoutRoot(name: string, root: string): string {
  const path = name.replace(/^file:\/\//, '');
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/**
 * Returns the file that a name means. Tries possible spellings of the name, and returns the first that `exists`.
 * Otherwise returns the only changed file whose path ends with the name: with the same case, or else in any case.
 * Returns `null` if none or several fit.
 */
export function findFile(
  { paths, isAbsolute }: SpelledFile,
  changed: readonly RepoPath[],
  exists: (path: RepoPath) => boolean,
): RepoPath | null {
  const literal = paths.find((path) => exists(path));
  if (literal !== undefined) return literal;
  for (const fold of [(path: string) => path, (path: string) => path.toLowerCase()]) {
    for (const path of paths) {
      const fits = changed.filter(
        (one) => isEndOf(fold(path), fold(one)) || (isAbsolute && isEndOf(fold(one), fold(path))),
      );
      if (fits.length === 1) return fits[0] ?? null;
    }
  }
  return null;
}

/** Whether `end` is the last part of a path: "a.ts" and "lib/a.ts" of "src/lib/a.ts". */
function isEndOf(end: string, path: string): boolean {
  return path === end || path.endsWith(`/${end}`);
}
