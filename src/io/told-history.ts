import type { Base, Place } from '../domain/change.ts';
import { done, type Result } from '../domain/result.ts';
import { git } from './git.ts';

/**
 * Whether the history that is here tells the merge-base for sure. Where a shallow clone ends on one of the two sides, and the other
 * side has commits of its own, a nearer one may lie beyond; measured from an older one, what was taken back since is no change.
 */
export async function tellsMergeBase(place: Place, { name, others }: NonNullable<Base>): Promise<Result<boolean>> {
  if (!place.shallow) return done(true);
  // Which of several is the nearer one may lie beyond, too.
  if (others !== undefined) return done(false);
  const answer = await git(place.root, ['rev-list', '--left-right', '--parents', `${name}^{commit}...HEAD`]);
  if (!answer.ok) return answer;
  const commits = answer.value.stdout.toString('utf8').trim().split('\n');
  const isOneSided = new Set(commits.map((line) => line[0])).size < 2;
  return done(isOneSided || commits.every((line) => line.includes(' ')));
}
