import { folderOf } from '@onceover/base/kernel/paths';
import { SUBMODULE } from '@onceover/base/kernel/repository';
import { readRawDiff } from '../diff/raw-diff.ts';
import { type GitAnswer, gitFailed } from '../git.ts';
import { asLatin1, asNulList, type CallGit } from './disk-bytes.ts';

/**
 * A set of files and folders. Both functions return whether a file is in the set or in one of its folders. `path` takes
 * a normal path; `bytes` takes a name in which each character stands for one byte (latin1).
 */
export type PathSet = { path(path: string): boolean; bytes(name: string): boolean };

/** Returns a set of these files and folders. An empty string is the root, which contains every path. */
export function pathSet(paths: readonly string[]): PathSet {
  return { path: containsIn(paths), bytes: containsIn(paths.map(asLatin1)) };
}

function containsIn(paths: readonly string[]): (path: string) => boolean {
  const listedPaths = new Set(paths);
  return (path) => {
    for (let at = path; ; at = folderOf(at)) {
      if (listedPaths.has(at)) return true;
      if (at === '') return false;
    }
  };
}

/** Tracked files whose content or mode on disk differs from an index, with a NUL after each name. */
type ChangedTracked = { readonly remove: Buffer; readonly store: Buffer };

// `git add -u` obeys `submodule.<name>.ignore` since git 2.54, and `.gitmodules` belongs to the change. So ask the
// plumbing command, whose option overrides that setting. Uncommitted changes in submodules are found elsewhere.
const CHANGED = ['diff-files', '--raw', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=dirty'];

/** Returns the tracked files that differ from the index. It does not write to the index. */
export async function changedTracked(ask: CallGit, omittedPaths: PathSet): Promise<ChangedTracked> {
  const answer = await askWithoutSkips(ask, CHANGED);
  const remove: string[] = [];
  const store: string[] = [];
  for (const { oldMode, newMode, status, paths, unnameable } of readRawDiff(answer.stdout)) {
    const names = [...paths.map(asLatin1), ...unnameable].filter((name) => !omittedPaths.bytes(name));
    // git can store a repository at the path of a file only after the file has left the index.
    const isNewRepository = newMode === SUBMODULE && oldMode !== SUBMODULE;
    if (status === 'D' || isNewRepository) remove.push(...names);
    if (status !== 'D') store.push(...names);
  }
  return { remove: asNulList(remove), store: asNulList(store) };
}

/** Writes the changed tracked files to the index. */
export async function storeTracked(ask: CallGit, { remove, store }: ChangedTracked): Promise<void> {
  // A removed file may be behind a symlink now, and `--remove` refuses such a path.
  if (remove.length > 0) await ask(['update-index', '--force-remove', '-z', '--stdin'], remove);
  if (store.length > 0) await askWithoutSkips(ask, STORE, store);
}

/** The command that stores named files. With `--remove`, it does not fail if a file was deleted after it was listed. */
export const STORE = ['update-index', '--add', '--remove', '-z', '--stdin'];

const SKIPPED =
  /^(?:warning: could not open directory |Ignoring path |(?!warning: |hint: ).*: (?:Permission denied|Input\/output error|Stale ))/m;

/**
 * Runs git, and throws if it skipped a file or folder that it may not read. git reports this only on stderr, and a
 * skipped file must not count as unchanged.
 */
export async function askWithoutSkips(ask: CallGit, args: readonly string[], input?: Buffer): Promise<GitAnswer> {
  const answer = await ask(args, input);
  if (SKIPPED.test(answer.stderr)) throw gitFailed(args, answer.stderr);
  return answer;
}
