import { join, relative } from 'node:path';
import type { SnapshotId } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { done, type Result } from '../domain/result.ts';
import { lookAt } from './files.ts';
import { git } from './git.ts';
import { objectId } from './object-id.ts';
import { QUIET } from './quiet.ts';

const OWN = 'refs/worktree/onceover/';
const SHARED = 'refs/onceover/';

/**
 * Keeps a tree from being collected. A collection that runs in another working tree does not see the refs of this one
 * and would leave them broken, which stops even `git fetch`: so each has a twin that all working trees see.
 */
export async function keepTree(place: Place, tree: SnapshotId): Promise<Result<void>> {
  const id = objectId(tree);
  const shared = await sharedFolder(place);
  if (!id.ok) return id;
  if (!shared.ok) return shared;
  return change(
    place,
    [`${shared.value}${id.value}`, `${OWN}${id.value}`].map((ref) => `update ${ref}\0${id.value}\0\0`),
  );
}

/** Lets go of the trees of this working tree but those named, and of all those of working trees that are gone. */
export async function pruneTrees(place: Place, keep: ReadonlySet<SnapshotId>): Promise<Result<void>> {
  const [shared, listed] = await Promise.all([
    sharedFolder(place),
    git(place.root, ['for-each-ref', '--format=%(refname)', OWN, SHARED]),
  ]);
  if (!shared.ok) return shared;
  if (!listed.ok) return listed;
  const kept: ReadonlySet<string> = keep;
  const refs = listed.value.stdout.toString('utf8').split('\n');
  const gone = refs.filter((ref) => {
    const cut = ref.lastIndexOf('/') + 1;
    const folder = ref.slice(0, cut);
    if (folder === OWN || folder === shared.value) return !kept.has(ref.slice(cut));
    return (
      folder.startsWith(`${SHARED}worktrees/`) && lookAt(join(place.commonDir, folder.slice(SHARED.length))) === null
    );
  });
  return change(
    place,
    gone.map((ref) => `delete ${ref}\0\0`),
  );
}

// Named as git names the working tree, which it keeps when the working tree is moved.
async function sharedFolder(place: Place): Promise<Result<string>> {
  const answer = await git(place.root, ['rev-parse', '--absolute-git-dir']);
  if (!answer.ok) return answer;
  const name = relative(place.commonDir, answer.value.stdout.toString('utf8').trim());
  return done(`${SHARED}${name.startsWith('worktrees/') ? name : 'main'}/`);
}

async function change(place: Place, commands: readonly string[]): Promise<Result<void>> {
  if (commands.length === 0) return done(undefined);
  const config = [...QUIET, 'core.logAllRefUpdates=false'];
  const input = Buffer.from(commands.join(''), 'utf8');
  const answer = await git(place.root, ['update-ref', '--no-deref', '-z', '--stdin'], { config, input });
  return answer.ok ? done(undefined) : answer;
}
