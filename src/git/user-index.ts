import { lstatSync } from 'node:fs';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { ok, type Result } from '../kernel/result.ts';
import type { AnswerCache } from './answer-cache.ts';
import { statFingerprints } from './change-detection.ts';
import { readRawDiff } from './diff.ts';
import { git, type Names, NO_USER_PROGRAMS } from './git.ts';

/** Returns the paths that the user has staged and that `head` does not have. Only the paths are used, not the content. */
export async function stagedNames(
  repo: RepositoryPaths,
  head: string,
  cache: AnswerCache,
): Promise<Result<Names & { readonly listed: Buffer }>> {
  // The key is read before git reads the index, so a later write never gets cached under an older key.
  const key = `${head} ${Object.values(statFingerprints([repo.index])).join()}`;
  const listed = await cache.getOrAsk('staged', key, () =>
    git(repo.root, [...STAGED, head, '--'], { config: NO_USER_PROGRAMS }),
  );
  if (!listed.ok) return listed;
  const entries = readRawDiff(listed.value);
  return ok({
    names: entries.flatMap(({ paths }) => paths),
    unnameable: entries.flatMap(({ unnameable }) => unnameable),
    listed: listed.value,
  });
}

/** Returns the files that a sparse checkout leaves out, with one latin1 character per byte of a name. */
export async function notCheckedOut(repo: RepositoryPaths): Promise<Result<ReadonlySet<string>>> {
  const answer = await git(repo.root, ['ls-files', '-z', '-t', '--cached'], { config: NO_USER_PROGRAMS });
  if (!answer.ok) return answer;
  const lines = answer.value.stdout.toString('latin1').split('\0');
  return ok(new Set(lines.filter((line) => line.startsWith('S ')).map((line) => line.slice(2))));
}

/**
 * Returns those files of a sparse checkout that differ from `head`, in the format of `update-index --index-info`. The
 * user's index is the only place that has such a change.
 */
export async function stagedElsewhere(
  repo: RepositoryPaths,
  head: string,
  elsewhere: ReadonlySet<string>,
): Promise<Result<Buffer>> {
  const answer = await git(repo.root, [...DIFFERS, '--no-abbrev', head, '--'], { config: NO_USER_PROGRAMS });
  if (!answer.ok) return answer;
  const isLeftOut = (name: string) => elsewhere.has(name) && !isOnDisk(repo, name);
  const lines = readRawDiff(answer.value.stdout).flatMap(({ newMode, newId, paths, unnameable }) => {
    const names = [...paths.map((path) => Buffer.from(path, 'utf8').toString('latin1')), ...unnameable];
    return newId === null ? [] : names.filter(isLeftOut).map((name) => `${newMode} ${newId}\t${name}\0`);
  });
  return ok(Buffer.from(lines.join(''), 'latin1'));
}

/** Whether anything exists at a path, which has one latin1 character per byte. */
export function isOnDisk({ root }: RepositoryPaths, name: string): boolean {
  const path = Buffer.concat([Buffer.from(`${root}/`, 'utf8'), Buffer.from(name, 'latin1')]);
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

const DIFFERS = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--ignore-submodules=none'];

const STAGED = [...DIFFERS, '--diff-filter=AU'];
