import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type CommitId, type SnapshotId, sha256 } from '@onceover/base/kernel/ids';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import {
  LEFTOVER_AFTER_MS,
  type Leftovers,
  makeFolder,
  removeLeftovers,
  removeOldest,
  statIfPresent,
  tryDisk,
  tryToRemoveFolder,
} from '@onceover/base/platform/files';
import { readPlainFile } from '@onceover/base/platform/private-files';
import { NO_USER_PROGRAMS } from './environment.ts';
import { asResult, gitText, orThrow } from './git.ts';
import { clearRacySizes, isCompleteIndex, mayHaveRepositories } from './scan/index-format.ts';

/** Returns the beginning of the names of a working tree's private index file and cache file. */
export function indexName(root: string): string {
  return sha256(root).slice(0, 32);
}

/** The environment variable that makes git use this index instead of the user's. */
export type IndexEnv = { readonly GIT_INDEX_FILE: string };

/** An index (git's staging area) that git may change, separate from the user's. */
export type PrivateIndex = {
  readonly env: IndexEnv;
  /** Whether the index already has exactly the paths of the last commit, so that `git read-tree` is not needed. */
  readonly hasNames: boolean;
};

/**
 * Calls `work` with a copy of the working tree's private index. Afterwards it stores the copy for the next call,
 * because the file times and paths in it make git fast. If git cannot use the stored index, `work` is called again with
 * an empty one. `work` returns in `hasNames` whether the index has exactly the paths of `commit`. The result also
 * contains the bytes of the index.
 */
export async function withPrivateIndex<T extends { readonly hasNames: boolean }>(
  repo: RepositoryPaths,
  commit: CommitId | null,
  work: (own: PrivateIndex) => Promise<T>,
): Promise<T & { readonly index: Buffer }> {
  const folder = orThrow(makeFolder(repo.commonDir, 'onceover/indexes'));
  // Each working tree has one stored index file. If the index has exactly the paths of a commit, the file name contains
  // the commit id and the checksum.
  const name = indexName(repo.root);
  const keptNames = () => readdirSync(folder).filter((entry) => entry.startsWith(name));
  const nameFor = (index: Buffer) => `${name}-${commit}-${checksumText(index)}`;
  const workFrom = (keptIndex: Kept | null, hasNames: boolean) =>
    withIndexFile(repo, async (env) => {
      const path = env.GIT_INDEX_FILE;
      if (keptIndex !== null) onDisk(path, () => linkOrCopy(path, keptIndex));
      // The ctime of the new folder is the current time by the clock of the file system. Subtract a second, because
      // some file systems store times in steps of two seconds.
      const began = Math.floor(lstatSync(dirname(path)).ctimeMs / 1000) - 1;
      const result = await work({ env, hasNames });
      if (keptIndex !== null && hasNames && result.hasNames && checksumAt(path) === checksumText(keptIndex.bytes)) {
        return { ...result, index: keptIndex.bytes };
      }
      const index = onDisk(path, () => {
        const bytes = readFileSync(path);
        const clearedIndex = clearRacySizes(bytes, began);
        if (clearedIndex === null) return bytes;
        const isNamed = commit !== null && result.hasNames && !mayHaveRepositories(bytes);
        const target = isNamed ? nameFor(clearedIndex) : name;
        if (clearedIndex !== bytes) replaceIndex(path, clearedIndex);
        renameSync(path, join(folder, target));
        for (const fileName of keptNames()) if (fileName !== target) rmSync(join(folder, fileName), { force: true });
        return bytes;
      });
      removeOldest(folder, MOST_KEPT, new Set(keptNames()));
      return { ...result, index };
    });
  const [keptName = name] = onDisk(folder, keptNames);
  const keptIndex = readKept(join(folder, keptName));
  const outcome = await asResult(workFrom(keptIndex, keptIndex !== null && keptName === nameFor(keptIndex.bytes)));
  const isUnusable = keptIndex !== null && !outcome.ok && outcome.failure.kind === 'git-failed';
  return isUnusable ? workFrom(null, false) : orThrow(outcome);
}

function onDisk<T>(path: string, call: () => T): T {
  return orThrow(tryDisk('write', path, call));
}

const CHECKSUM_BYTES = 20;

/** Returns the checksum that git wrote at the end of an index file. */
export function checksumAt(path: string): string {
  return readBytes(path, Math.max(0, lstatSync(path).size - CHECKSUM_BYTES), CHECKSUM_BYTES).toString('hex');
}

function checksumText(index: Buffer): string {
  return index.subarray(-CHECKSUM_BYTES).toString('hex');
}

function readBytes(path: string, from: number, length: number): Buffer {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(fd, bytes, 0, length, from));
  } finally {
    closeSync(fd);
  }
}

/** Stores the content of an index as a tree in git, and returns the id of the tree. */
export async function treeOfIndex(repo: RepositoryPaths, index: Buffer): Promise<SnapshotId> {
  const write = (env: IndexEnv) => gitText(repo.root, ['write-tree'], { env, config: NO_USER_PROGRAMS });
  return (await withIndex(repo, index, write)) as SnapshotId;
}

// The maximum number of stored indexes; there is one per working tree. Above this number the oldest are deleted,
// because their working trees may no longer exist.
const MOST_KEPT = 64;

type Kept = { readonly path: string; readonly bytes: Buffer; readonly mtimeMs: number };

// Returns the stored index; `null` if it is missing or damaged. Without it, git only has to read all files again.
function readKept(path: string): Kept | null {
  // Read the time before the content. If the time is too old, git only reads more files than necessary; if it is too
  // new, git misses edits.
  const stats = statIfPresent(path);
  const file = readPlainFile(path, Number.POSITIVE_INFINITY);
  if (stats === null || !file.ok || !isCompleteIndex(file.bytes)) return null;
  return { path, bytes: file.bytes, mtimeMs: stats.mtimeMs };
}

// A hard link is safe, because git never writes into an index file. It writes a new file and renames it.
function linkOrCopy(path: string, { path: from, bytes, mtimeMs }: Kept): void {
  try {
    linkSync(from, path);
  } catch {
    writeFileSync(path, bytes);
    setIndexTime(path, mtimeMs);
  }
}

// The path may be a hard link to the stored index, so do not write into it. Write the bytes to another file and rename
// that.
function replaceIndex(path: string, bytes: Buffer): void {
  const temporaryPath = `${path}-known`;
  writeFileSync(temporaryPath, bytes);
  setIndexTime(temporaryPath, lstatSync(path).mtimeMs);
  renameSync(temporaryPath, path);
}

/** Calls `work` with a copy of the user's index. git may change the copy; the user's index stays as it is. */
export function withIndexCopy<T>(repo: RepositoryPaths, work: (env: IndexEnv) => Promise<T>): Promise<T> {
  return withIndexFile(repo, async (env) => {
    orThrow(tryDisk('read', repo.index, () => copyIndex(repo.index, env.GIT_INDEX_FILE)));
    return work(env);
  });
}

// Before the first `git add` there is no index to copy.
function copyIndex(from: string, to: string): void {
  const stats = statSync(from, { throwIfNoEntry: false });
  if (stats === undefined) return;
  copyFileSync(from, to);
  setIndexTime(to, stats.mtimeMs);
}

/** Calls `work` with a new index file that has these bytes; with an empty index if they are `null`. */
export function withIndex<T>(
  repo: RepositoryPaths,
  index: Buffer | null,
  work: (env: IndexEnv) => Promise<T>,
): Promise<T> {
  return withIndexFile(repo, async (env) => {
    if (index !== null) onDisk(env.GIT_INDEX_FILE, () => writeFileSync(env.GIT_INDEX_FILE, index));
    return work(env);
  });
}

const COPIES: Leftovers = { kind: 'folder', name: /^index-/, afterMs: LEFTOVER_AFTER_MS };

/** Calls `work` with the path of an index file in a new folder. Then removes the folder and everything in it. */
async function withIndexFile<T>(repo: RepositoryPaths, work: (env: IndexEnv) => Promise<T>): Promise<T> {
  const top = orThrow(makeFolder(repo.commonDir, 'onceover'));
  removeLeftovers(top, Date.now(), COPIES);
  const scratchFolder = onDisk(top, () => mkdtempSync(join(top, 'index-')));
  try {
    return await work({ GIT_INDEX_FILE: join(scratchFolder, 'index') });
  } finally {
    removeFlatFolder(scratchFolder);
  }
}

// The folder usually has no subfolders. Remove it recursively only if necessary, because that makes Node.js load more
// code.
function removeFlatFolder(folder: string): void {
  const removal = tryDisk('write', folder, () => {
    for (const name of readdirSync(folder)) unlinkSync(join(folder, name));
    rmdirSync(folder);
  });
  if (!removal.ok) tryToRemoveFolder(folder);
}

/**
 * Sets the time of a copied index to that of the original, because git reads files again that changed after the time of
 * the index.
 */
function setIndexTime(path: string, mtimeMs: number): void {
  utimesSync(path, Math.floor(mtimeMs) / 1000, Math.floor(mtimeMs) / 1000);
}
