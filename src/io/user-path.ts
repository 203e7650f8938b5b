import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { repoPath } from '../domain/repo-path.ts';

/** How a name that a person or a program gave is to be read. */
export type NameSource = 'arguments' | 'list';

/**
 * The path from the root that a name means, or null if it lies outside. Names count from the working directory; in a
 * list they may also count from the root, as git writes them.
 */
export function userPath(place: Place, name: string, source: NameSource): RepoPath | null {
  if (isAbsolute(name)) return absolutePath(place.root, name);
  const fromHere = repoPath(name, place.prefix);
  if (source === 'arguments' || place.prefix === '' || (fromHere !== null && isThere(place, fromHere))) return fromHere;
  const fromRoot = repoPath(name);
  return fromRoot !== null && isThere(place, fromRoot) ? fromRoot : fromHere;
}

function absolutePath(root: string, path: string): RepoPath | null {
  const direct = repoPath(relative(root, path));
  if (direct !== null) return direct;
  try {
    // The same place by another name: the root that git tells has no symlinks in it.
    return repoPath(relative(root, join(realpathSync(dirname(path)), basename(path))));
  } catch {
    return null;
  }
}

function isThere(place: Place, path: RepoPath): boolean {
  return lstatSync(join(place.root, path), { throwIfNoEntry: false }) !== undefined;
}
