import { createHash, type Hash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type DirtyRepository, type RepositoryPaths, SUBMODULE } from '../kernel/repository.ts';
import { errorCode } from '../platform/files.ts';
import { readRawDiff } from './diff.ts';
import { NO_USER_PROGRAMS, withStrictStat } from './environment.ts';
import { git } from './git.ts';
import { withIndex } from './private-index.ts';
import { gitDirOf } from './worktree-paths.ts';

/** Returns the nested repositories with uncommitted changes, which a snapshot of this repository does not contain. */
export async function dirtyRepositories(repo: RepositoryPaths, index: Buffer): Promise<readonly DirtyRepository[]> {
  return withIndex(repo, index, async (env) => {
    const listed = await git(repo.root, DIFFERS, { env, config: withStrictStat(repo.commonDir) });
    const found: DirtyRepository[] = [];
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
  const gitDir = gitDirOrDefault(folder);
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(gitDir, 'index') };
  const answer = await git(folder, CHANGES, { env, config: NO_USER_PROGRAMS });
  for (const line of answer.stdout.toString('latin1').split('\0')) {
    hash.update(`${line}\0`);
    const path = join(folder, Buffer.from(line.replace(BEFORE_PATH, ''), 'latin1').toString('utf8'));
    if (/^1 \S+ S/.test(line)) await addChanges(hash, path);
    else hash.update(contentAt(path)).update('\0');
  }
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

function contentAt(path: string): string {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return readlinkSync(path);
    if (!stats.isFile()) return 'no file';
    if (stats.size > LARGEST_READ) return `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch (error) {
    return errorCode(error);
  }
}
