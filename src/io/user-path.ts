import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { repoPath } from '../domain/repo-path.ts';
import { lookAt } from './files.ts';

/** Where names come from: the command line, a list that was asked for, or a pipe that may hold something else. */
export type NameSource = 'arguments' | 'list' | 'pipe';

/**
 * The path from the root that a name means, or null if it lies outside. Names count from the working directory; in a
 * list they may also count from the root, as git writes them.
 */
export function userPath(place: Place, name: string, source: NameSource): RepoPath | null {
  const path = meantPath(place, name, source);
  return path?.split('/').includes('.git') === true ? null : path;
}

/** Whether there is anything at the path. */
export function isThere(place: Place, path: RepoPath): boolean {
  return lookAt(join(place.root, path)) !== null;
}

function meantPath(place: Place, name: string, source: NameSource): RepoPath | null {
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
