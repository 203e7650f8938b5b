import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, existsSync, lstatSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '../kernel/ids.ts';
import { type RepositoryPaths, SUBMODULE, type UnseenContent, type WithheldFile } from '../kernel/repository.ts';
import { errorCode } from '../platform/files.ts';
import { readRawDiff } from './diff.ts';
import { NO_USER_PROGRAMS, withStrictStat } from './environment.ts';
import { git } from './git.ts';
import { withIndex } from './private-index.ts';
import { gitDirOf } from './worktree-paths.ts';

/** Returns the nested repositories with uncommitted changes, which a snapshot of this repository does not contain. */
export async function dirtyRepositories(repo: RepositoryPaths, index: Buffer): Promise<readonly UnseenContent[]> {
  return withIndex(repo, index, async (env) => {
    const listed = await git(repo.root, DIFFERS, { env, config: withStrictStat(repo.commonDir) });
    const found: UnseenContent[] = [];
    for (const { newMode, paths } of readRawDiff(listed.stdout)) {
      const [path] = newMode === SUBMODULE ? paths : [];
      if (path === undefined) continue;
      const hash = createHash('sha256');
      await addChanges(hash, join(repo.root, path));
      found.push({ path, print: hash.digest('hex') });
    }
    return found;
  });
}

/** Returns a fingerprint of the content of each withheld file and of each nested repository without a commit. */
export async function withheldContent(
  { root }: Pick<RepositoryPaths, 'root'>,
  withheld: readonly WithheldFile[],
): Promise<readonly UnseenContent[]> {
  const found: UnseenContent[] = [];
  for (const { path, why } of withheld) {
    const hash = createHash('sha256');
    if (why === 'repository') await addChanges(hash, join(root, path));
    else hash.update(contentAt(join(root, path), Number.POSITIVE_INFINITY));
    found.push({ path, print: hash.digest('hex') });
  }
  return found;
}

/** Returns fingerprints of files in submodules that git does not compare, because their index says so. */
export async function flaggedFiles(repo: RepositoryPaths, index: Buffer): Promise<readonly UnseenContent[]> {
  const listed = await withIndex(repo, index, (env) => git(repo.root, ['ls-files', '-z', '-s'], { env }));
  const found: UnseenContent[] = [];
  for (const line of listed.stdout.toString('utf8').split('\0')) {
    const [, path] = /^160000 [0-9a-f]+ \d\t(.+)$/s.exec(line) ?? [];
    if (path === undefined || !existsSync(join(repo.root, path, '.git'))) continue;
    const hash = createHash('sha256');
    if (await addFlagged(hash, join(repo.root, path)))
      found.push({ path: path as RepoPath, print: hash.digest('hex') });
  }
  return found;
}

async function addFlagged(hash: Hash, folder: string): Promise<boolean> {
  const listed = await git(folder, ['ls-files', '-z', '-v', '-s'], { env: envOf(folder), config: NO_USER_PROGRAMS });
  let isAny = false;
  for (const line of listed.stdout.toString('latin1').split('\0')) {
    const [, tag = '', mode, name = ''] = /^(\S) (\d+) [0-9a-f]+ \d\t(.+)$/s.exec(line) ?? [];
    const path = join(folder, Buffer.from(name, 'latin1').toString('utf8'));
    if (mode === SUBMODULE && existsSync(join(path, '.git'))) isAny = (await addFlagged(hash, path)) || isAny;
    else if (tag === 'S' || tag >= 'a') {
      hash.update(`${name}\0${contentAt(path)}\0`);
      isAny = true;
    }
  }
  return isAny;
}

// The command compares the working tree with a new snapshot of it, so only nested repositories can differ.
const DIFFERS = ['diff-files', '--raw', '-z', '--ignore-submodules=none'];

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

async function addChanges(hash: Hash, folder: string): Promise<void> {
  const answer = await git(folder, CHANGES, { env: envOf(folder), config: NO_USER_PROGRAMS });
  for (const line of answer.stdout.toString('latin1').split('\0')) {
    hash.update(`${line}\0`);
    const path = join(folder, Buffer.from(line.replace(BEFORE_PATH, ''), 'latin1').toString('utf8'));
    if (/^1 \S+ S/.test(line)) await addChanges(hash, path);
    else hash.update(contentAt(path)).update('\0');
  }
}

function envOf(folder: string): Readonly<Record<string, string>> {
  const gitDir = gitDirOrDefault(folder);
  return { GIT_DIR: gitDir, GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(gitDir, 'index') };
}

// Returns the usual path even if `.git` is missing. The next git command then reports the error.
function gitDirOrDefault(folder: string): string {
  try {
    return gitDirOf(folder);
  } catch {
    return join(folder, '.git');
  }
}

const LARGEST_READ = 5 * 1024 * 1024;

function contentAt(path: string, limit = LARGEST_READ): string {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return readlinkSync(path);
    if (!stats.isFile()) return 'no file';
    if (stats.size > limit) return `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
    return stats.size > LARGEST_READ
      ? digestInChunks(path)
      : createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch (error) {
    return errorCode(error);
  }
}

function digestInChunks(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) hash.update(chunk.subarray(0, read));
    return hash.digest('hex');
  } finally {
    closeSync(fd);
  }
}
