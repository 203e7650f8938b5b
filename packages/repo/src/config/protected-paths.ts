import { compileGlob, globMatches } from '@onceover/base/kernel/glob';

/**
 * Returns whether a path is protected by a pattern of `never_for`: the pattern matches the path or a folder above it.
 * Returns `null` if the pattern is invalid.
 */
export function protectedPaths(pattern: string): ((path: string) => boolean) | null {
  const file = compileGlob(pattern, '');
  const folder = compileGlob(`${pattern}/`, '');
  if (!file.ok || !folder.ok) return null;
  return (path) => globMatches(file.glob, path) || globMatches(folder.glob, path);
}

/** Returns whether a pattern of `never_for` matches one of the paths. Each pattern is tried only once. */
export function patternsIn(paths: readonly string[]): (pattern: string) => boolean {
  const known = new Map<string, boolean>();
  return (pattern) => {
    const matches = known.get(pattern) ?? paths.some(protectedPaths(pattern) ?? (() => false));
    known.set(pattern, matches);
    return matches;
  };
}
