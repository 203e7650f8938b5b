import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { RepoPath } from '../kernel/ids.ts';
import { repoPath } from '../kernel/paths.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { statIfPresent } from './files.ts';

/** The place where a path was given: the command line, a file with a list, standard input, or a call of an MCP tool. */
export type NameSource = 'arguments' | 'list' | 'pipe' | 'tool';

type Where = Pick<RepositoryPaths, 'root' | 'prefix'>;

/**
 * Returns the path relative to the root; `null` if it is outside the root or inside `.git`. On the command line, `name`
 * is relative to the current directory. Elsewhere it may also be relative to the root; the first of the two that exists
 * counts. For an MCP tool, the root is tried first.
 */
export function userPath(repo: Where, name: string, source: NameSource): RepoPath | null {
  const path = resolveName(repo, name, source);
  return path?.split('/').includes('.git') === true ? null : path;
}

/** Whether anything exists at the path, even a symlink to a missing file. */
export function pathExists({ root }: Pick<Where, 'root'>, path: RepoPath): boolean {
  return statIfPresent(join(root, path)) !== null;
}

function resolveName(repo: Where, name: string, source: NameSource): RepoPath | null {
  if (isAbsolute(name)) return absolutePath(repo.root, name);
  const fromHere = repoPath(name, repo.prefix);
  if (source === 'arguments' || repo.prefix === '') return fromHere;
  const fromRoot = repoPath(name);
  const [first, second] = source === 'tool' ? [fromRoot, fromHere] : [fromHere, fromRoot];
  return [first, second].find((path) => path !== null && pathExists(repo, path)) ?? first;
}

function absolutePath(root: string, path: string): RepoPath | null {
  const direct = repoPath(relative(root, path));
  if (direct !== null) return direct;
  try {
    // git prints the root with all symlinks resolved, so resolve symlinks in this path too.
    return repoPath(relative(root, join(realpathSync(dirname(path)), basename(path))));
  } catch {
    return null;
  }
}
