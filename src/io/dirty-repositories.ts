import { createHash, type Hash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Place, SUBMODULE } from '../domain/change.ts';
import type { DirtyRepository } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { codeOf } from './files.ts';
import { git } from './git.ts';
import { QUIET } from './quiet.ts';
import { readRawDiff } from './raw-diff.ts';
import { withIndex } from './snapshot-index.ts';
import { undisturbed } from './undisturbed.ts';

/** Repositories inside this one with something in them that is not committed there, so is in no tree of this one. */
export async function dirtyRepositories(place: Place, index: Buffer): Promise<Result<readonly DirtyRepository[]>> {
  return withIndex(place, index, async (env) => {
    const listed = await git(place.root, DIFFERS, { env, config: undisturbed(place.commonDir) });
    if (!listed.ok) return listed;
    const found: DirtyRepository[] = [];
    for (const { newMode, paths } of readRawDiff(listed.value.stdout)) {
      const [dirty] = newMode === SUBMODULE ? paths : [];
      if (dirty === undefined) continue;
      const hash = createHash('sha256');
      const added = await addChanges(hash, join(place.root, dirty));
      if (!added.ok) return added;
      found.push({ path: dirty, print: hash.digest('hex') });
    }
    return done(found);
  });
}

// The index is that of the look, so of all that is in it only repositories can differ.
const DIFFERS = ['diff-files', '--raw', '-z', '--ignore-submodules=none'];
const CHANGES = [
  'status',
  '--porcelain=v2',
  '-z',
  '--no-renames',
  '--untracked-files=all',
  '--ignore-submodules=none',
] as const;
// Of ordinary and of unmerged entries, what stands before the path.
const BEFORE_PATH = /^(?:1(?: \S+){7}|u(?: \S+){9}|\?) /;

async function addChanges(hash: Hash, folder: string): Promise<Result<void>> {
  const gitDir = gitDirOf(folder);
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(gitDir, 'index') };
  const answer = await git(folder, CHANGES, { env, config: QUIET });
  if (!answer.ok) return answer;
  for (const line of answer.value.stdout.toString('latin1').split('\0')) {
    hash.update(`${line}\0`);
    const path = join(folder, Buffer.from(line.replace(BEFORE_PATH, ''), 'latin1').toString('utf8'));
    if (/^1 \S+ S/.test(line)) {
      const added = await addChanges(hash, path);
      if (!added.ok) return added;
    } else hash.update(contentAt(path)).update('\0');
  }
  return done(undefined);
}

function gitDirOf(folder: string): string {
  const path = join(folder, '.git');
  try {
    const [, elsewhere] = /^gitdir: (.*)$/m.exec(readFileSync(path, 'utf8')) ?? [];
    return elsewhere === undefined ? path : resolve(folder, elsewhere);
  } catch {
    // It is a folder; where it is nothing at all, git says so.
    return path;
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
    return codeOf(error);
  }
}
