import { join } from 'node:path';
import type { Base, Place } from '../domain/change.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { git } from './git.ts';
import { QUIET } from './quiet.ts';
import { tellsMergeBase } from './told-history.ts';

/**
 * What a change is measured from: the merge-base. Where two branches were merged into each other there are two, and what
 * is compared with one of them may hide what was taken back of the other; so it is what they come to together, as in a merge.
 */
export async function baseTree(place: Place, base: NonNullable<Base>): Promise<Result<string>> {
  const isTold = await tellsMergeBase(place, base);
  if (!isTold.ok) return isTold;
  const { name, commit, others } = base;
  if (!isTold.value) return failed({ kind: 'no-merge-base', base: name, shallow: true });
  const [other, ...more] = others ?? [];
  if (other === undefined) return done(commit);
  const several = failed({ kind: 'several-merge-bases', base: name } as const);
  if (more.length > 0) return several;
  // An older git does not know this, and where the two conflict there is no such tree.
  const question = ['merge-tree', '--write-tree', '--no-messages', commit, other];
  const answer = await git(place.commonDir, question, {
    expected: [0, 1, 128, 129],
    env: withoutAttributes(place.commonDir),
    config: [...QUIET, 'core.attributesFile=/dev/null', 'merge.default=text'],
  });
  if (!answer.ok) return answer;
  const tree = answer.value.stdout.toString('utf8').trim();
  return answer.value.code === 0 && /^[0-9a-f]+$/.test(tree) ? done(tree) : several;
}

/** The author of a change could have both sides of a conflict kept, and write just that; in a folder without files nobody's word counts. */
function withoutAttributes(commonDir: string): Readonly<Record<string, string>> {
  const objects = join(commonDir, 'objects');
  return { GIT_DIR: commonDir, GIT_WORK_TREE: objects, GIT_INDEX_FILE: join(objects, 'no-index') };
}
