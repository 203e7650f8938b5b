import { lstatSync } from 'node:fs';
import type { Place } from '../domain/change.ts';
import { done, type Result } from '../domain/result.ts';
import { git } from './git.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { QUIET } from './quiet.ts';
import { readRawDiff } from './raw-diff.ts';
import { tracesOf } from './trace.ts';
import type { Names } from './untracked.ts';

/** What the user's index has and `head` has not; it is asked for names alone. */
export async function stagedNames(
  place: Place,
  head: string,
  kept: KeptAnswers,
): Promise<Result<Names & { readonly listed: Buffer }>> {
  // Before git reads it: what is written meanwhile is never kept under what was there.
  const key = `${head} ${Object.values(tracesOf([place.index])).join()}`;
  const known = kept.get('staged', key);
  const answer = known === null ? await git(place.root, [...STAGED, head, '--'], { config: QUIET }) : null;
  if (answer?.ok === false) return answer;
  const listed = answer?.value.stdout ?? known ?? Buffer.alloc(0);
  if (answer !== null) kept.put('staged', key, listed);
  const entries = readRawDiff(listed);
  return done({
    names: entries.flatMap(({ paths }) => paths),
    unnameable: entries.flatMap(({ unnameable }) => unnameable),
    listed,
  });
}

/** Files that are not on disk and not deleted either, by their bytes: a sparse checkout leaves them out. */
export async function notCheckedOut(place: Place): Promise<Result<ReadonlySet<string>>> {
  const answer = await git(place.root, ['ls-files', '-z', '-t', '--cached'], { config: QUIET });
  if (!answer.ok) return answer;
  const listed = answer.value.stdout;
  if (!listed.includes('\0S ') && !listed.subarray(0, 2).equals(Buffer.from('S '))) return done(new Set());
  const lines = listed.toString('latin1').split('\0');
  return done(new Set(lines.filter((line) => line.startsWith('S ')).map((line) => line.slice(2))));
}

/** Of such files, those that differ from `head`, as `update-index --index-info` reads them: nowhere else is the change. */
export async function stagedElsewhere(
  place: Place,
  head: string,
  elsewhere: ReadonlySet<string>,
): Promise<Result<Buffer>> {
  const answer = await git(place.root, [...DIFFERS, '--no-abbrev', head, '--'], { config: QUIET });
  if (!answer.ok) return answer;
  const lines = readRawDiff(answer.value.stdout).flatMap(({ newMode, newId, paths, unnameable }) => {
    const names = [...paths.map((path) => Buffer.from(path, 'utf8').toString('latin1')), ...unnameable];
    return newId === null ? [] : names.filter(isAway).map((name) => `${newMode} ${newId}\t${name}\0`);
  });
  return done(Buffer.from(lines.join(''), 'latin1'));

  function isAway(name: string): boolean {
    return elsewhere.has(name) && !isOnDisk(place, name);
  }
}

/** Whether something lies at a path, which is given by its bytes. */
export function isOnDisk({ root }: Place, name: string): boolean {
  const path = Buffer.concat([Buffer.from(`${root}/`, 'utf8'), Buffer.from(name, 'latin1')]);
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

const DIFFERS = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--ignore-submodules=none'];
const STAGED = [...DIFFERS, '--diff-filter=AU'];
