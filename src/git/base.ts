import { join } from 'node:path';
import type { CommitId } from '../kernel/ids.ts';
import { type Base, DEFAULT_BASES, type RepositoryPaths } from '../kernel/repository.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { NO_USER_PROGRAMS } from './environment.ts';
import { git, gitFailed } from './git.ts';
import { askBaseAndHead, askByName, type BaseAndHead, readBaseAndHead } from './locate.ts';

/**
 * Whether the local history is complete enough to find the right merge-base. If commits are missing in a shallow clone,
 * git may find an older one, and a diff from that one hides changes that were reverted since.
 */
async function isMergeBaseReliable(
  repo: RepositoryPaths,
  { name, others }: NonNullable<Base>,
): Promise<Result<boolean>> {
  if (!repo.shallow) return ok(true);
  // The missing history may decide which of several merge-bases is nearer, so none of them is reliable.
  if (others !== undefined) return ok(false);
  const answer = await git(repo.root, ['rev-list', '--left-right', '--parents', `${name}^{commit}...HEAD`]);
  if (!answer.ok) return answer;
  const commits = answer.value.stdout.toString('utf8').trim().split('\n');
  const isOneSided = new Set(commits.map((line) => line[0])).size < 2;
  return ok(isOneSided || commits.every((line) => line.includes(' ')));
}

/**
 * Returns the commit or tree to compare a change with: the merge-base, or the merge of both if branches that were
 * merged into each other have two. A diff from only one of the two hides reverted changes of the other.
 */
export async function baseTree(repo: RepositoryPaths, base: NonNullable<Base>): Promise<Result<string>> {
  const isReliable = await isMergeBaseReliable(repo, base);
  if (!isReliable.ok) return isReliable;
  const { name, commit, others } = base;
  if (!isReliable.value) return err({ kind: 'no-merge-base', base: name, shallow: true });
  const [other, ...more] = others ?? [];
  if (other === undefined) return ok(commit);
  const several = err({ kind: 'several-merge-bases', base: name });
  if (more.length > 0) return several;
  // Exit code 129: this git is too old for the option. Exit code 1: the merge-bases conflict and have no merged tree.
  const answer = await git(repo.commonDir, ['merge-tree', '--write-tree', '--no-messages', commit, other], {
    expected: [0, 1, 128, 129],
    env: withoutAttributes(repo.commonDir),
    config: [...NO_USER_PROGRAMS, 'core.attributesFile=/dev/null', 'merge.default=text'],
  });
  if (!answer.ok) return answer;
  const tree = answer.value.stdout.toString('utf8').trim();
  return answer.value.code === 0 && /^[0-9a-f]+$/.test(tree) ? ok(tree) : several;
}

// `merge=union` in the author's .gitattributes would keep both sides of a conflict. So git gets a working tree without
// that file.
function withoutAttributes(commonDir: string): Readonly<Record<string, string>> {
  const objects = join(commonDir, 'objects');
  return { GIT_DIR: commonDir, GIT_WORK_TREE: objects, GIT_INDEX_FILE: join(objects, 'no-index') };
}

/**
 * Returns the merge-base of HEAD with a branch or commit, the commit at HEAD and the current branch. Fails with
 * `unknown-base` for an unknown name and with `no-merge-base` for unrelated histories.
 */
export async function baseAndHead(repo: RepositoryPaths, name: string | null): Promise<Result<BaseAndHead>> {
  if (name === null) return err({ kind: 'no-base', tried: DEFAULT_BASES });
  const unknown = err({ kind: 'unknown-base', base: name });
  if (!isRefName(name)) return unknown;
  const args = ['rev-parse', ...askBaseAndHead(name)];
  const answer = await askByName(repo.root, args);
  if (!answer.ok) return answer;
  const { code, stdout, stderr } = answer.value;
  if (code === 0) {
    const read = readBaseAndHead(name, stdout.toString('utf8').split('\n'));
    return read === null ? err({ kind: 'no-merge-base', base: name, shallow: repo.shallow }) : ok(read.footing);
  }
  const known = await commitOf(repo, name);
  if (!known.ok) return known;
  return known.value === null ? unknown : gitFailed(args, stderr);
}

/** Returns the commit that a branch, tag or other name stands for; fails if there is none. */
export async function tipOf(repo: RepositoryPaths, name: string): Promise<Result<CommitId>> {
  const commit = await commitOf(repo, name);
  if (!commit.ok) return commit;
  return commit.value === null ? err({ kind: 'unknown-base', base: name }) : ok(commit.value);
}

/** Returns the commit that a name stands for; `null` if there is none. */
export async function commitOf(repo: RepositoryPaths, name: string): Promise<Result<CommitId | null>> {
  if (!isRefName(name)) return ok(null);
  const answer = await askByName(repo.root, ['rev-parse', '--verify', `${name}^{commit}`]);
  if (!answer.ok) return answer;
  return ok(answer.value.code === 0 ? (answer.value.stdout.toString('utf8').trim() as CommitId) : null);
}

/** Whether a name may be passed to git: it is not empty, and git cannot mistake it for an option. */
export function isRefName(name: string): boolean {
  return name !== '' && !name.startsWith('-') && !name.includes('\0');
}

/** Whether the repository has any commits. Returns true if git fails, so that the next command reports that failure. */
export async function hasCommits(repo: RepositoryPaths): Promise<boolean> {
  // `HEAD^{commit}` would also fail if the commit's object is lost, and that must not count as "no commits yet".
  const head = await git(repo.root, ['rev-parse', '--verify', '--quiet', 'HEAD'], { expected: [0, 1] });
  return !head.ok || head.value.code === 0;
}
