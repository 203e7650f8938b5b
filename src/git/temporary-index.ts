import { copyFileSync, mkdtempSync, readdirSync, rmdirSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { inChunks } from '../kernel/collections.ts';
import type { RepoPath } from '../kernel/ids.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { ok, type Result } from '../kernel/result.ts';
import {
  LEFTOVER_AFTER_MS,
  type Leftovers,
  makeFolder,
  removeLeftovers,
  tryDisk,
  tryToRemoveFolder,
} from '../platform/files.ts';
import { git } from './git.ts';

/** The environment that makes git use another index than the user's. */
export type IndexEnv = { readonly GIT_INDEX_FILE: string };

/** Calls `work` with a copy of the user's index. git may refresh the copy; the user's index stays unchanged. */
export async function withIndexCopy<T>(
  repo: RepositoryPaths,
  work: (env: IndexEnv) => Promise<Result<T>>,
): Promise<Result<T>> {
  return withIndexFolder(repo, async (folder) => {
    const copy = join(folder, 'index');
    const copied = copyIndex(repo.index, copy);
    return copied.ok ? await work({ GIT_INDEX_FILE: copy }) : copied;
  });
}

const COPIES: Leftovers = { kind: 'folder', name: /^index-/, afterMs: LEFTOVER_AFTER_MS };

/** Calls `work` with a new folder for an index, and removes the folder with every file that git left in it. */
export async function withIndexFolder<T>(
  repo: RepositoryPaths,
  work: (folder: string) => Promise<Result<T>>,
): Promise<Result<T>> {
  const top = makeFolder(repo.commonDir, 'onceover');
  if (!top.ok) return top;
  removeLeftovers(top.value, Date.now(), COPIES);
  const own = tryDisk('write', top.value, () => mkdtempSync(join(top.value, 'index-')));
  if (!own.ok) return own;
  try {
    return await work(own.value);
  } finally {
    removeFlatFolder(own.value);
  }
}

// The folder is usually flat. Recursive removal would load another part of Node, so it is only the fallback.
function removeFlatFolder(folder: string): void {
  const removed = tryDisk('write', folder, () => {
    for (const name of readdirSync(folder)) unlinkSync(join(folder, name));
    rmdirSync(folder);
  });
  if (!removed.ok) tryToRemoveFolder(folder);
}

/** Clears assume-unchanged and skip-worktree in a copied index, so that git compares these files again. */
export async function rewatch(repo: RepositoryPaths, paths: readonly RepoPath[], env: IndexEnv): Promise<Result<void>> {
  for (const part of inChunks(paths)) {
    for (const flag of ['--no-assume-unchanged', '--no-skip-worktree']) {
      const answer = await git(repo.root, ['update-index', flag, '--', ...part], { env });
      if (!answer.ok) return answer;
    }
  }
  return ok(undefined);
}

function copyIndex(from: string, to: string): Result<void> {
  const copied = tryDisk('read', from, () => {
    copyFileSync(from, to);
    setIndexTime(to, statSync(from).mtimeMs);
  });
  // Before the first `git add` there is no index.
  return !copied.ok && copied.failure.kind === 'disk' && copied.failure.code === 'ENOENT' ? ok(undefined) : copied;
}

/** Gives a copied index its old time. git compares the content of files that are as young as the index. */
export function setIndexTime(path: string, mtimeMs: number): void {
  utimesSync(path, Math.floor(mtimeMs) / 1000, Math.floor(mtimeMs) / 1000);
}
