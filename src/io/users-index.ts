import type { Place } from '../domain/change.ts';
import { done, type Result } from '../domain/result.ts';
import { git } from './git.ts';
import { QUIET } from './quiet.ts';
import { readRawDiff } from './raw-diff.ts';
import type { Names } from './untracked.ts';

/** What the user's index has and `head` has not; it is asked for names alone. */
export async function stagedNames(place: Place, head: string): Promise<Result<Names & { readonly listed: Buffer }>> {
  const answer = await git(place.root, [...STAGED, head, '--'], { config: QUIET });
  if (!answer.ok) return answer;
  const entries = readRawDiff(answer.value.stdout);
  return done({
    names: entries.flatMap(({ paths }) => paths),
    unnameable: entries.flatMap(({ unnameable }) => unnameable),
    listed: answer.value.stdout,
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

const STAGED = [
  'diff-index',
  '--cached',
  '--raw',
  '-z',
  '--no-renames',
  '--ignore-submodules=none',
  '--diff-filter=AU',
];
