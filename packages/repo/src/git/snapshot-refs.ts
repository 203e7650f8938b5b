import { join, relative } from 'node:path';
import { type SnapshotId, sha256 } from '@onceover/base/kernel/ids';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import type { Result } from '@onceover/base/kernel/result';
import { statIfPresent } from '@onceover/base/platform/files';
import { NO_USER_PROGRAMS } from './environment.ts';
import { allEnded, asResult, git, gitText, objectId } from './git.ts';

// Do not use `refs/worktree/`: `git gc` in another working tree does not see these refs and would delete their trees.
const REFS = 'refs/onceover/';

/** Makes a ref to a tree, so that `git gc` does not delete the tree. */
export async function pinSnapshot(repo: RepositoryPaths, tree: SnapshotId): Promise<void> {
  const id = objectId(tree);
  await updateRefs(repo, [addition(`${await refFolder(repo)}${id}`, id)]);
}

/**
 * Removes refs that protect trees from `git gc`: all those of deleted working trees, and those of this working tree
 * that have no owner and are not in `keep`.
 */
export async function prunePins(repo: RepositoryPaths, keep: ReadonlySet<SnapshotId>): Promise<void> {
  const [ownFolder, refs] = await allEnded([refFolder(repo), listRefs(repo)]);
  const keptIds: ReadonlySet<string> = keep;
  const obsoleteRefs = refs.filter((ref) => {
    const cut = ref.lastIndexOf('/') + 1;
    if (ref.slice(0, cut) === ownFolder) return !keptIds.has(ref.slice(cut));
    const [, worktree] = OF_WORKTREE.exec(ref) ?? [];
    return worktree !== undefined && statIfPresent(join(repo.commonDir, worktree)) === null;
  });
  await updateRefs(repo, obsoleteRefs.map(removal));
}

const OF_WORKTREE = /^refs\/onceover\/(worktrees\/[^/]+)\//;

/**
 * Protects these trees from `git gc` for an owner, and removes the owner's other refs. Trees that no longer exist are
 * skipped.
 */
export async function pinForOwner(repo: RepositoryPaths, owner: string, trees: ReadonlySet<SnapshotId>): Promise<void> {
  const [ownFolder, refs, ids] = await allEnded([refFolder(repo), listRefs(repo), existing(repo, [...trees])]);
  const folder = `${ownFolder}held/${sha256(owner).slice(0, 24)}/`;
  const present = new Set(refs.filter((ref) => ref.startsWith(folder)));
  const newIds = ids.filter((id) => !present.has(`${folder}${id}`));
  const staleRefs = [...present].filter((ref) => !ids.includes(ref.slice(folder.length)));
  await updateRefs(repo, [...newIds.map((id) => addition(`${folder}${id}`, id)), ...staleRefs.map(removal)]);
}

/** Returns the number of onceover's refs that protect snapshots from `git gc`, in all working trees of the clone. */
export function countPins(repo: RepositoryPaths): Promise<Result<number>> {
  return asResult(listRefs(repo).then((refs) => refs.length));
}

/** Removes all of onceover's refs that protect snapshots from `git gc`, in all working trees of the clone. */
export function dropAllPins(repo: RepositoryPaths): Promise<Result<void>> {
  return asResult(listRefs(repo).then((refs) => updateRefs(repo, refs.map(removal))));
}

async function listRefs(repo: RepositoryPaths): Promise<readonly string[]> {
  const answer = await git(repo.root, ['for-each-ref', '--format=%(refname)', REFS]);
  return answer.stdout.toString('utf8').split('\n').slice(0, -1);
}

/** Returns the ids of those trees that still exist in the repository. */
async function existing(repo: RepositoryPaths, trees: readonly string[]): Promise<readonly string[]> {
  const ids = trees.map(objectId);
  if (ids.length === 0) return [];
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(''), 'latin1');
  const options = { config: NO_USER_PROGRAMS, input };
  const lines = await gitText(repo.root, ['cat-file', '--batch-check=%(objectname)'], options);
  const existingIds = new Set(lines.split('\n'));
  return ids.filter((id) => existingIds.has(id));
}

// Returns the folder of refs of this working tree. Its name is git's id of the working tree, which stays the same if
// the working tree is moved.
async function refFolder(repo: RepositoryPaths): Promise<string> {
  const name = relative(repo.commonDir, await gitText(repo.root, ['rev-parse', '--absolute-git-dir']));
  return `${REFS}${name.startsWith('worktrees/') ? name : 'main'}/`;
}

const addition = (ref: string, id: string) => `update ${ref}\0${id}\0\0`;

const removal = (ref: string) => `delete ${ref}\0\0`;

async function updateRefs(repo: RepositoryPaths, commands: readonly string[]): Promise<void> {
  if (commands.length === 0) return;
  const config = [...NO_USER_PROGRAMS, 'core.logAllRefUpdates=false'];
  const input = Buffer.from(commands.join(''), 'utf8');
  await git(repo.root, ['update-ref', '--no-deref', '-z', '--stdin'], { config, input });
}
