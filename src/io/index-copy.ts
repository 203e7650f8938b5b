import { copyFileSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { codeOf, isForgotten, listFolder, makeFolder } from './files.ts';
import { git } from './git.ts';
import { inParts } from './in-parts.ts';

/** Does work with a copy of the user's index, which git may refresh as it likes; the user's own stays as it is. */
export async function withIndexCopy<T>(
  place: Place,
  work: (env: Readonly<Record<string, string>>) => Promise<Result<T>>,
): Promise<Result<T>> {
  return withIndexFolder(place, async (folder) => {
    const copy = join(folder, 'index');
    const copied = copyIndex(place.index, copy);
    return copied.ok ? await work({ GIT_INDEX_FILE: copy }) : copied;
  });
}

/** Gives a folder of its own to work that needs an index, and removes it with all that git left beside that index. */
export async function withIndexFolder<T>(
  place: Place,
  use: (folder: string) => Promise<Result<T>>,
): Promise<Result<T>> {
  const folder = makeFolder(place.commonDir, 'onceover');
  if (!folder.ok) return folder;
  removeForgottenCopies(folder.value);
  const own = makeOwn(folder.value);
  if (!own.ok) return own;
  try {
    return await use(own.value);
  } finally {
    removeOwn(own.value);
  }
}

// Mostly it is empty by now, and removing whatever is in a folder takes a part of Node that has to be loaded first.
function removeOwn(folder: string): void {
  try {
    for (const name of readdirSync(folder)) unlinkSync(join(folder, name));
    rmdirSync(folder);
  } catch {
    tryToRemove(folder);
  }
}

function tryToRemove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It belongs to another user, and takes nothing but room.
  }
}

const COPY = 'index-';

function makeOwn(folder: string): Result<string> {
  try {
    return done(mkdtempSync(join(folder, COPY)));
  } catch (error) {
    return failed({ kind: 'disk', action: 'write', path: folder, code: codeOf(error) });
  }
}

// A process that was killed in the middle leaves its copy behind.
function removeForgottenCopies(folder: string): void {
  const listed = listFolder(folder);
  for (const { name } of listed.ok ? listed.value : []) {
    if (!name.startsWith(COPY)) continue;
    const copy = join(folder, name);
    if (isForgotten(copy, Date.now())) tryToRemove(copy);
  }
}

/** Makes git look at files in the copied index that it was told to take as unchanged. */
export async function watchAgain(
  place: Place,
  paths: readonly RepoPath[],
  env: Readonly<Record<string, string>>,
): Promise<Result<void>> {
  for (const part of inParts(paths)) {
    for (const flag of ['--no-assume-unchanged', '--no-skip-worktree']) {
      const answer = await git(place.root, ['update-index', flag, '--', ...part], { env });
      if (!answer.ok) return answer;
    }
  }
  return done(undefined);
}

// With its time: git takes an entry that is as young as the index for one that may have changed unnoticed.
function copyIndex(from: string, to: string): Result<void> {
  try {
    copyFileSync(from, to);
    const { mtimeMs } = statSync(from);
    utimesSync(to, Math.floor(mtimeMs) / 1000, Math.floor(mtimeMs) / 1000);
    return done(undefined);
  } catch (error) {
    // Before the first `git add` there is no index.
    return codeOf(error) === 'ENOENT'
      ? done(undefined)
      : failed({ kind: 'disk', action: 'read', path: from, code: codeOf(error) });
  }
}
