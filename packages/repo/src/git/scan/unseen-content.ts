import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, existsSync, lstatSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import {
  type RepositoryPaths,
  SUBMODULE,
  type UnseenContent,
  type WithheldFile,
} from '@onceover/base/kernel/repository';
import { checkFolder, errorCode } from '@onceover/base/platform/files';
import { openAnswerCache } from '../answer-cache.ts';
import { NO_USER_PROGRAMS } from '../environment.ts';
import { GitError, git, gitFailed } from '../git.ts';
import { gitDirOf } from '../worktree-paths.ts';
import { asNulList, pathOnDisk } from './disk-bytes.ts';
import { type IndexEntry, indexEntries, isSparseOrSplit, mayHaveRepositories } from './index-format.ts';

/** Returns the nested repositories with uncommitted changes, which a snapshot of this repository does not contain. */
export async function dirtyRepositories(repo: RepositoryPaths, index: Buffer): Promise<readonly UnseenContent[]> {
  const contents: UnseenContent[] = [];
  for (const path of checkedOut(repo.root, submodulePaths(index))) {
    const hash = createHash('sha256');
    if (await addChanges(hash, join(repo.root, path))) contents.push({ path, print: hash.digest('hex') });
  }
  return contents;
}

function submodulePaths(index: Buffer): readonly RepoPath[] {
  const entries = indexEntries(index);
  if (entries === null) throw gitFailed(['ls-files'], 'the index is broken');
  return entries.filter(({ mode }) => mode === SUBMODULE_BITS).map(({ name }) => asPath(name));
}

/** Returns those of the submodules that are checked out. A path behind a symlink is not part of the working tree. */
function checkedOut(root: string, paths: readonly RepoPath[]): readonly RepoPath[] {
  return paths.filter((path) => {
    const folder = checkFolder(root, path);
    if (!folder.ok && folder.failure.kind === 'disk') throw new GitError(folder.failure);
    return folder.ok && existsSync(join(root, path, '.git'));
  });
}

/** Returns the submodules of a nested repository that are checked out. */
async function submodulesIn(folder: string): Promise<readonly RepoPath[]> {
  const env = envOf(folder);
  const index = existsSync(env.GIT_INDEX_FILE) ? readFileSync(env.GIT_INDEX_FILE) : Buffer.alloc(0);
  if (!mayHaveRepositories(index) && !isSparseOrSplit(index)) return [];
  const listing = await git(folder, ['ls-files', '-z', '-s'], { env, config: NO_USER_PROGRAMS });
  const lines = listing.stdout.toString('latin1').split('\0');
  return checkedOut(
    folder,
    lines.flatMap((line) => {
      const [, name] = /^160000 [0-9a-f]+ \d\t(.+)$/s.exec(line) ?? [];
      return name === undefined ? [] : asPath(name);
    }),
  );
}

/**
 * Returns fingerprints of files that a check may read although the snapshot does not contain them (see
 * `Snapshot.unseen`).
 */
export async function unseenContent(
  repo: RepositoryPaths,
  index: Buffer,
  withheld: readonly WithheldFile[],
): Promise<readonly UnseenContent[]> {
  const entries = indexEntries(index);
  if (entries === null) throw gitFailed(['ls-files'], 'the index is broken');
  const contents: UnseenContent[] = [];
  for (const name of await convertedNames(repo, entries)) {
    contents.push({ path: asPath(name), print: contentAt(pathOnDisk(repo.root, name)) });
  }
  for (const { path, why } of withheld) {
    const full = join(repo.root, path);
    if (why === 'repository') contents.push(await printOf(path, (hash) => addChanges(hash, full)));
    else contents.push({ path, print: contentAt(full) });
  }
  for (const path of checkedOut(repo.root, submodulePaths(index))) {
    contents.push(await printOf(path, (hash) => addHidden(hash, join(repo.root, path))));
  }
  return contents;
}

const SUBMODULE_BITS = 0o160000;
const KIND_BITS = 0o170000;
const PLAIN_FILE = 0o100000;

async function printOf(path: RepoPath, add: (hash: Hash) => Promise<unknown>): Promise<UnseenContent> {
  const hash = createHash('sha256');
  await add(hash);
  return { path, print: hash.digest('hex') };
}

function asPath(name: string): RepoPath {
  return Buffer.from(name, 'latin1').toString('utf8') as RepoPath;
}

/**
 * Returns the files whose size on disk differs from the size of their content in git, for example because of other line
 * endings. Differences that keep the size are not noticed, so callers have to read the files.
 */
async function convertedNames(repo: RepositoryPaths, entries: readonly IndexEntry[]): Promise<readonly string[]> {
  // git stores the size 0 if the file is missing or if the snapshot replaced its content.
  const files = entries.filter(({ mode, size }) => (mode & KIND_BITS) === PLAIN_FILE && size !== 0);
  const hash = createHash('sha256');
  for (const { size, id, name } of files) hash.update(`${size} ${name}\0`).update(id);
  const key = hash.digest('hex');
  const cache = openAnswerCache(repo);
  const cachedNames = cache.get('converted', key);
  if (cachedNames !== null) return cachedNames.toString('latin1').split('\0').slice(0, -1);
  const blobSizes = await storedSizes(
    repo.root,
    files.map(({ id }) => id.toString('hex')),
  );
  // The index contains only the lowest 32 bits of a size.
  const names = files.filter(({ size }, n) => (blobSizes[n] ?? 0) >>> 0 !== size).map(({ name }) => name);
  cache.put('converted', key, asNulList(names));
  cache.save();
  return names;
}

/** Returns the sizes of these objects; `NaN` for an object that is missing. */
async function storedSizes(folder: string, ids: readonly string[], env = {}): Promise<readonly number[]> {
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(''), 'latin1');
  const args = ['cat-file', '--batch-check=%(objectsize)', '--buffer'];
  const answer = await git(folder, args, { env, config: NO_USER_PROGRAMS, input });
  return answer.stdout.toString('latin1').split('\n').map(Number);
}

/**
 * Adds to the hash the files of a submodule whose edits `git status` may miss: files with flags, and files that git
 * converts.
 */
async function addHidden(hash: Hash, folder: string): Promise<void> {
  const env = envOf(folder);
  const listing = await git(folder, ['ls-files', '-z', '-v', '-s'], { env, config: NO_USER_PROGRAMS });
  const files = listing.stdout
    .toString('latin1')
    .split('\0')
    .flatMap((line) => {
      const [, tag = '', mode, id = '', name = ''] = /^(\S) (\d+) ([0-9a-f]+) \d\t(.+)$/s.exec(line) ?? [];
      const path = pathOnDisk(folder, name);
      const size = name === '' ? undefined : lstatSync(path, { throwIfNoEntry: false })?.size;
      return size === undefined ? [] : [{ isFlagged: tag === 'S' || tag >= 'a', mode, id, name, path, size }];
    });
  const plain = files.filter(({ mode }) => mode !== SUBMODULE);
  const blobSizes = await storedSizes(
    folder,
    plain.map(({ id }) => id),
    env,
  );
  for (const [n, { isFlagged, name, path, size }] of plain.entries()) {
    if (isFlagged || size !== blobSizes[n]) hash.update(`${name}\0${contentAt(path)}\0`);
  }
  for (const { mode, path } of files) {
    const inner = path.toString();
    if (mode === SUBMODULE && existsSync(join(inner, '.git'))) await addHidden(hash, inner);
  }
}

const CHANGES = [
  'status',
  '--porcelain=v2',
  '-z',
  '--no-renames',
  '--untracked-files=all',
  '--ignore-submodules=none',
] as const;

// Matches the fields before the path in a line of `git status`, for an ordinary, an unmerged or an untracked file.
const BEFORE_PATH = /^(?:1(?: \S+){7}|u(?: \S+){9}|\?) /;

/**
 * Adds the uncommitted changes of a nested repository to the hash, and those of all repositories in it. Returns whether
 * there are any.
 */
async function addChanges(hash: Hash, folder: string): Promise<boolean> {
  const env = envOf(folder);
  const answer = await git(folder, CHANGES, { env, config: NO_USER_PROGRAMS });
  const repositories = new Set<string>();
  for (const line of answer.stdout.toString('latin1').split('\0')) {
    hash.update(`${line}\0`);
    const path = pathOnDisk(folder, line.replace(BEFORE_PATH, ''));
    if (/^1 \S+ S/.test(line) || /^\? [\s\S]*\/$/.test(line)) {
      repositories.add(path.toString().replace(/\/$/, ''));
      await addRepository(hash, path.toString());
    } else hash.update(contentAt(path)).update('\0');
  }
  let isDirty = answer.stdout.length > 0;
  // git lists no changes in a repository that the settings of the one around it ignore, so look into each one.
  for (const path of (await submodulesIn(folder)).filter((name) => !repositories.has(join(folder, name)))) {
    const inner = createHash('sha256');
    if (!(await addChanges(inner, join(folder, path)))) continue;
    hash.update(`${path}\0`).update(inner.digest());
    isDirty = true;
  }
  return isDirty;
}

/** Adds the commit that is checked out in a nested repository, its uncommitted changes and its hidden files. */
async function addRepository(hash: Hash, folder: string): Promise<void> {
  const head = ['rev-parse', '--verify', '--quiet', 'HEAD'];
  const answer = await git(folder, head, { env: envOf(folder), config: NO_USER_PROGRAMS, expected: [0, 1] });
  hash.update(answer.stdout);
  await addChanges(hash, folder);
  await addHidden(hash, folder);
}

function envOf(folder: string) {
  const gitDir = gitDirOrDefault(folder);
  return { GIT_DIR: gitDir, GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(gitDir, 'index') };
}

// Returns the git folder that the file or folder `.git` leads to. If there is none, returns the usual path, and the
// next git command reports the error.
function gitDirOrDefault(folder: string): string {
  try {
    return gitDirOf(folder);
  } catch {
    return join(folder, '.git');
  }
}

/** Returns a digest of the bytes of a file or of the target of a symlink; the error code if it cannot be read. */
function contentAt(path: string | Buffer): string {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return readlinkSync(path, 'latin1');
    return stats.isFile() ? digestOf(path) : 'no file';
  } catch (error) {
    return errorCode(error);
  }
}

function digestOf(path: string | Buffer): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    for (let byteCount = readSync(fd, chunk); byteCount > 0; byteCount = readSync(fd, chunk))
      hash.update(chunk.subarray(0, byteCount));
    return hash.digest('hex');
  } finally {
    closeSync(fd);
  }
}
