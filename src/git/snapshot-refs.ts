import { join, relative } from 'node:path';
import { type SnapshotId, sha256 } from '../kernel/ids.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { ok, type Result } from '../kernel/result.ts';
import { listFolder, statIfPresent } from '../platform/files.ts';
import { NO_USER_PROGRAMS } from './environment.ts';
import { git, gitText, objectId } from './git.ts';

const OWN = 'refs/worktree/onceover/';

const SHARED = 'refs/onceover/';

/**
 * Pins a tree with a ref, so that `git gc` does not delete the tree. Each ref has a copy in `refs/onceover/`, because
 * `git gc` in another working tree does not see this working tree's own refs and would break them, and then even `git
 * fetch` fails.
 */
export async function pinSnapshot(repo: RepositoryPaths, tree: SnapshotId): Promise<Result<void>> {
  const id = objectId(tree);
  if (!id.ok) return id;
  const shared = await sharedFolder(repo);
  if (!shared.ok) return shared;
  const pin = (folder: string) => addition(`${folder}${id.value}`, id.value);
  return updateRefs(repo, [pin(shared.value), pin(OWN)]);
}

/**
 * Unpins all trees of removed working trees, and the trees of this working tree that are neither in `keep` nor pinned
 * for an owner.
 */
export async function prunePins(repo: RepositoryPaths, keep: ReadonlySet<SnapshotId>): Promise<Result<void>> {
  const [shared, refs] = await Promise.all([sharedFolder(repo), listRefs(repo, [OWN, SHARED])]);
  if (!shared.ok) return shared;
  if (!refs.ok) return refs;
  const kept: ReadonlySet<string> = keep;
  const unpinned = refs.value.filter((ref) => {
    const cut = ref.lastIndexOf('/') + 1;
    const folder = ref.slice(0, cut);
    if (folder === OWN || folder === shared.value) return !kept.has(ref.slice(cut));
    const [, worktree] = OF_WORKTREE.exec(ref) ?? [];
    return worktree !== undefined && statIfPresent(join(repo.commonDir, worktree)) === null;
  });
  return updateRefs(repo, unpinned.map(removal));
}

const OF_WORKTREE = /^refs\/onceover\/(worktrees\/[^/]+)\//;

/** Pins these trees for an owner and removes the owner's other pins. Trees that no longer exist are skipped. */
export async function pinForOwner(
  repo: RepositoryPaths,
  owner: string,
  trees: ReadonlySet<SnapshotId>,
): Promise<Result<void>> {
  const [shared, refs, there] = await Promise.all([
    sharedFolder(repo),
    listRefs(repo, [OWN, SHARED]),
    existing(repo, [...trees]),
  ]);
  if (!shared.ok) return shared;
  if (!refs.ok) return refs;
  if (!there.ok) return there;
  const name = `held/${sha256(owner).slice(0, 24)}/`;
  const folders = [`${shared.value}${name}`, `${OWN}${name}`];
  const wanted = new Map(folders.flatMap((folder) => there.value.map((id) => [`${folder}${id}`, id] as const)));
  const present = new Set(refs.value);
  const dropped = refs.value.filter((ref) => folders.some((folder) => ref.startsWith(folder)) && !wanted.has(ref));
  const added = [...wanted].filter(([ref]) => !present.has(ref));
  return updateRefs(repo, [...added.map(([ref, id]) => addition(ref, id)), ...dropped.map(removal)]);
}

/** Returns the number of onceover's refs in all working trees of the clone. */
export async function countPins(repo: RepositoryPaths): Promise<Result<number>> {
  const all = await allRefs(repo);
  return all.ok ? ok(all.value.reduce((count, { refs }) => count + refs.length, 0)) : all;
}

/** Unpins all trees in all working trees of the clone. */
export async function dropAllPins(repo: RepositoryPaths): Promise<Result<void>> {
  const all = await allRefs(repo);
  if (!all.ok) return all;
  for (const { gitDir, refs } of all.value) {
    const dropped = await updateRefs(repo, refs.map(removal), { GIT_DIR: gitDir });
    if (!dropped.ok) return dropped;
  }
  return ok(undefined);
}

type RefsOfFolder = { readonly gitDir: string; readonly refs: readonly string[] };

/**
 * Lists onceover's refs by git folder. The main folder, which has the shared copies, comes last, so that an interrupted
 * deletion leaves no ref without its copy.
 */
async function allRefs(repo: RepositoryPaths): Promise<Result<readonly RefsOfFolder[]>> {
  const { commonDir } = repo;
  const listed = listFolder(join(commonDir, 'worktrees'));
  if (!listed.ok) return listed;
  const linked = listed.value.filter(({ isFile }) => !isFile).map(({ name }) => join(commonDir, 'worktrees', name));
  const found: RefsOfFolder[] = [];
  for (const gitDir of [...linked, commonDir]) {
    const refs = await listRefs(repo, gitDir === commonDir ? [OWN, SHARED] : [OWN], { GIT_DIR: gitDir });
    if (!refs.ok) return refs;
    found.push({ gitDir, refs: refs.value });
  }
  return ok(found);
}

async function listRefs(
  repo: RepositoryPaths,
  folders: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Result<readonly string[]>> {
  const listed = await git(repo.root, ['for-each-ref', '--format=%(refname)', ...folders], { env });
  return listed.ok ? ok(listed.value.stdout.toString('utf8').split('\n').slice(0, -1)) : listed;
}

/** Returns those of the ids whose object exists in the repository. */
async function existing(repo: RepositoryPaths, ids: readonly string[]): Promise<Result<readonly string[]>> {
  const bad = ids.map(objectId).find((id) => !id.ok);
  if (bad?.ok === false) return bad;
  if (ids.length === 0) return ok([]);
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(''), 'latin1');
  const answer = await git(repo.root, ['cat-file', '--batch-check=%(objectname)'], {
    config: NO_USER_PROGRAMS,
    input,
  });
  if (!answer.ok) return answer;
  const lines = new Set(answer.value.stdout.toString('utf8').split('\n'));
  return ok(ids.filter((id) => lines.has(id)));
}

// Returns the folder of the shared refs. It is named by git's id of the working tree, which stays the same when the
// working tree is moved.
async function sharedFolder(repo: RepositoryPaths): Promise<Result<string>> {
  const gitDir = await gitText(repo.root, ['rev-parse', '--absolute-git-dir']);
  if (!gitDir.ok) return gitDir;
  const name = relative(repo.commonDir, gitDir.value);
  return ok(`${SHARED}${name.startsWith('worktrees/') ? name : 'main'}/`);
}

const addition = (ref: string, id: string) => `update ${ref}\0${id}\0\0`;

const removal = (ref: string) => `delete ${ref}\0\0`;

async function updateRefs(
  repo: RepositoryPaths,
  commands: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Result<void>> {
  if (commands.length === 0) return ok(undefined);
  const config = [...NO_USER_PROGRAMS, 'core.logAllRefUpdates=false'];
  const input = Buffer.from(commands.join(''), 'utf8');
  const answer = await git(repo.root, ['update-ref', '--no-deref', '-z', '--stdin'], { config, input, env });
  return answer.ok ? ok(undefined) : answer;
}
