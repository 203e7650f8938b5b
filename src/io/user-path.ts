import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { repoPath } from '../domain/repo-path.ts';
import { lookAt } from './files.ts';

/** Where names come from: the command line, a list that was asked for, a pipe that may hold something else, or a tool's caller. */
export type NameSource = 'arguments' | 'list' | 'pipe' | 'tool';

type Where = Pick<Place, 'root' | 'prefix'>;

/**
 * The path from the root that a name means, or null if it lies outside. Names count from the working directory; in a
 * list they may also count from the root, as git writes them. To a tool they count from the root, as in its answers; what
 * is only in the working directory is meant by its name there.
 */
export function userPath(place: Where, name: string, source: NameSource): RepoPath | null {
  const path = meantPath(place, name, source);
  return path?.split('/').includes('.git') === true ? null : path;
}

/** Whether there is anything at the path. */
export function isThere({ root }: Pick<Where, 'root'>, path: RepoPath): boolean {
  return lookAt(join(root, path)) !== null;
}

function meantPath(place: Where, name: string, source: NameSource): RepoPath | null {
  if (isAbsolute(name)) return absolutePath(place.root, name);
  const fromHere = repoPath(name, place.prefix);
  if (source === 'arguments' || place.prefix === '') return fromHere;
  const fromRoot = repoPath(name);
  const [first, second] = source === 'tool' ? [fromRoot, fromHere] : [fromHere, fromRoot];
  return [first, second].find((path) => path !== null && isThere(place, path)) ?? first;
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
