import { join, relative } from 'node:path';
import type { SnapshotId } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { sha256 } from '../domain/digest.ts';
import { done, type Result } from '../domain/result.ts';
import { listFolder, lookAt } from './files.ts';
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
    [`${shared.value}${id.value}`, `${OWN}${id.value}`].map((ref) => addition(ref, id.value)),
  );
}

/** Lets go of the trees of this working tree but those named or held, and of all those of working trees that are gone. */
export async function pruneTrees(place: Place, keep: ReadonlySet<SnapshotId>): Promise<Result<void>> {
  const [shared, refs] = await Promise.all([sharedFolder(place), listRefs(place, [OWN, SHARED])]);
  if (!shared.ok) return shared;
  if (!refs.ok) return refs;
  const kept: ReadonlySet<string> = keep;
  const gone = refs.value.filter((ref) => {
    const cut = ref.lastIndexOf('/') + 1;
    const folder = ref.slice(0, cut);
    if (folder === OWN || folder === shared.value) return !kept.has(ref.slice(cut));
    const [, worktree] = OF_WORKTREE.exec(ref) ?? [];
    return worktree !== undefined && lookAt(join(place.commonDir, worktree)) === null;
  });
  return change(place, gone.map(removal));
}

const OF_WORKTREE = /^refs\/onceover\/(worktrees\/[^/]+)\//;

/**
 * Keeps exactly these trees for one owner, beside all others: what it had before and is not among them is let go of. What
 * is gone already cannot be kept.
 */
export async function holdTrees(place: Place, owner: string, trees: ReadonlySet<SnapshotId>): Promise<Result<void>> {
  const [shared, refs, there] = await Promise.all([
    sharedFolder(place),
    listRefs(place, [OWN, SHARED]),
    existing(place, [...trees]),
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
  return change(place, [...added.map(([ref, id]) => addition(ref, id)), ...dropped.map(removal)]);
}

/** How many refs of ours the clone has, in all its working trees. */
export async function countTrees(place: Place): Promise<Result<number>> {
  const gitDirs = listGitDirs(place);
  if (!gitDirs.ok) return gitDirs;
  let count = 0;
  for (const gitDir of gitDirs.value) {
    const refs = await refsOf(place, gitDir);
    if (!refs.ok) return refs;
    count += refs.value.length;
  }
  return done(count);
}

/** Lets go of all trees, in all working trees of the clone. */
export async function dropAllTrees(place: Place): Promise<Result<void>> {
  const gitDirs = listGitDirs(place);
  if (!gitDirs.ok) return gitDirs;
  for (const gitDir of gitDirs.value) {
    const refs = await refsOf(place, gitDir);
    if (!refs.ok) return refs;
    const dropped = await change(place, refs.value.map(removal), { GIT_DIR: gitDir });
    if (!dropped.ok) return dropped;
  }
  return done(undefined);
}

// The shared refs are those of the clone itself. It goes last: whatever ends this midway, no ref is left without its twin.
function listGitDirs({ commonDir }: Place): Result<readonly string[]> {
  const listed = listFolder(join(commonDir, 'worktrees'));
  if (!listed.ok) return listed;
  const linked = listed.value.filter(({ isFile }) => !isFile);
  return done([...linked.map(({ name }) => join(commonDir, 'worktrees', name)), commonDir]);
}

async function refsOf(place: Place, gitDir: string): Promise<Result<readonly string[]>> {
  return listRefs(place, gitDir === place.commonDir ? [OWN, SHARED] : [OWN], { GIT_DIR: gitDir });
}

async function listRefs(
  place: Place,
  folders: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Result<readonly string[]>> {
  const listed = await git(place.root, ['for-each-ref', '--format=%(refname)', ...folders], { env });
  return listed.ok ? done(listed.value.stdout.toString('utf8').split('\n').slice(0, -1)) : listed;
}

/** Those of the objects that the repository has. */
async function existing(place: Place, ids: readonly string[]): Promise<Result<readonly string[]>> {
  const bad = ids.map(objectId).find((id) => !id.ok);
  if (bad?.ok === false) return bad;
  if (ids.length === 0) return done([]);
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(''), 'latin1');
  const answer = await git(place.root, ['cat-file', '--batch-check=%(objectname)'], { config: QUIET, input });
  if (!answer.ok) return answer;
  const lines = new Set(answer.value.stdout.toString('utf8').split('\n'));
  return done(ids.filter((id) => lines.has(id)));
}

// Named as git names the working tree, which it keeps when the working tree is moved.
async function sharedFolder(place: Place): Promise<Result<string>> {
  const answer = await git(place.root, ['rev-parse', '--absolute-git-dir']);
  if (!answer.ok) return answer;
  const name = relative(place.commonDir, answer.value.stdout.toString('utf8').trim());
  return done(`${SHARED}${name.startsWith('worktrees/') ? name : 'main'}/`);
}

const addition = (ref: string, id: string) => `update ${ref}\0${id}\0\0`;
const removal = (ref: string) => `delete ${ref}\0\0`;

async function change(
  place: Place,
  commands: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Result<void>> {
  if (commands.length === 0) return done(undefined);
  const config = [...QUIET, 'core.logAllRefUpdates=false'];
  const input = Buffer.from(commands.join(''), 'utf8');
  const answer = await git(place.root, ['update-ref', '--no-deref', '-z', '--stdin'], { config, input, env });
  return answer.ok ? done(undefined) : answer;
}
