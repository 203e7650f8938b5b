import { join } from 'node:path';
import type { Failure } from '@onceover/base/kernel/failure';
import type { CommitId } from '@onceover/base/kernel/ids';
import { type Base, DEFAULT_BASES, type RepositoryPaths } from '@onceover/base/kernel/repository';
import type { Result } from '@onceover/base/kernel/result';
import { NO_USER_PROGRAMS } from './environment.ts';
import { asResult, GitError, git, gitFailed, gitText, orThrow } from './git.ts';
import { askBaseAndHead, askByName, type BaseAndHead, readBaseAndHead } from './locate.ts';

/**
 * Whether the local history is complete enough to find the right merge-base. A shallow clone lacks commits, so git may
 * find a merge-base that is too old. A diff from there would not show that the branch reverts a newer commit.
 */
async function isMergeBaseReliable(repo: RepositoryPaths, { name, others }: NonNullable<Base>): Promise<boolean> {
  if (!repo.shallow) return true;
  // If git finds several merge-bases, some may be wrong: with the missing commits, git could rule them out.
  if (others !== undefined) return false;
  const revisions = await gitText(repo.root, ['rev-list', '--left-right', '--parents', `${name}^{commit}...HEAD`]);
  const commits = revisions.split('\n');
  const isOneSided = new Set(commits.map((line) => line[0])).size < 2;
  return isOneSided || commits.every((line) => line.includes(' '));
}

/**
 * Returns the id of what a change is compared with, usually the merge-base. Branches that were merged into each other
 * can have two merge-bases. In that case it returns the id of a tree that merges both, because a diff from only one
 * would not show that the branch reverts changes of the other.
 */
export async function baseTree(repo: RepositoryPaths, base: NonNullable<Base>): Promise<string> {
  const { name, commit, others } = base;
  if (!(await isMergeBaseReliable(repo, base))) {
    throw new GitError({ kind: 'no-merge-base', base: name, shallow: true });
  }
  const [secondBase, ...furtherBases] = others ?? [];
  if (secondBase === undefined) return commit;
  const several = new GitError({ kind: 'several-merge-bases', base: name });
  if (furtherBases.length > 0) throw several;
  // Exit code 129: this git is too old for the option. Exit code 1: the merge-bases conflict and have no merged tree.
  const answer = await git(repo.commonDir, ['merge-tree', '--write-tree', '--no-messages', commit, secondBase], {
    expected: [0, 1, 128, 129],
    env: withoutAttributes(repo.commonDir),
    config: [...NO_USER_PROGRAMS, 'core.attributesFile=/dev/null', 'merge.default=text'],
  });
  const tree = answer.stdout.toString('utf8').trim();
  if (answer.code !== 0 || !/^[0-9a-f]+$/.test(tree)) throw several;
  return tree;
}

// `merge=union` in a .gitattributes file would make git merge both sides where it should report a conflict. So git runs
// with a working tree and an index that contain no such file.
function withoutAttributes(commonDir: string): Readonly<Record<string, string>> {
  const objects = join(commonDir, 'objects');
  return { GIT_DIR: commonDir, GIT_WORK_TREE: objects, GIT_INDEX_FILE: join(objects, 'no-index') };
}

/**
 * Returns HEAD and its merge-base with the branch `name`. Fails if `name` is `null`, unknown, or has no commit in
 * common with HEAD.
 */
export async function baseAndHead(repo: RepositoryPaths, name: string | null): Promise<BaseAndHead> {
  if (name === null) throw new GitError({ kind: 'no-base', tried: DEFAULT_BASES });
  if (!isRefName(name)) throw new GitError({ kind: 'unknown-base', base: name });
  const args = ['rev-parse', ...askBaseAndHead(name)];
  const { code, stdout, stderr } = await askByName(repo.root, args);
  if (code === 0) {
    const result = readBaseAndHead(name, stdout.toString('utf8').split('\n'));
    if (result === null) throw new GitError({ kind: 'no-merge-base', base: name, shallow: repo.shallow });
    return result.footing;
  }
  orThrow(await tipOf(repo, name));
  throw gitFailed(args, stderr);
}

/** Returns the commit that a branch, tag or other name stands for; fails if there is none. */
export function tipOf(repo: RepositoryPaths, name: string): Promise<Result<CommitId>> {
  return asResult(commitOf(repo, name, { kind: 'unknown-base', base: name }));
}

/** Returns the commit that a name stands for. Throws the failure `failure` if there is none. */
export async function commitOf(repo: RepositoryPaths, name: string, failure: Failure): Promise<CommitId> {
  if (!isRefName(name)) throw new GitError(failure);
  const answer = await askByName(repo.root, ['rev-parse', '--verify', `${name}^{commit}`]);
  if (answer.code !== 0) throw new GitError(failure);
  return answer.stdout.toString('utf8').trim() as CommitId;
}

/** Whether a name can be passed to git safely: it is not empty, and git cannot mistake it for an option. */
export function isRefName(name: string): boolean {
  return name !== '' && !name.startsWith('-') && !name.includes('\0');
}

/** Whether the repository has any commits. Returns true if git fails, so that the next command reports that failure. */
export async function hasCommits(repo: RepositoryPaths): Promise<boolean> {
  // Ask for `HEAD`, not `HEAD^{commit}`: the latter also fails if the commit's object is lost, and that must not count
  // as "no commits yet".
  const head = await asResult(git(repo.root, ['rev-parse', '--verify', '--quiet', 'HEAD'], { expected: [0, 1] }));
  return !head.ok || head.value.code === 0;
}

/** Returns the value of a promise; `null` if the promise is rejected because the repository has no commits yet. */
export async function ifCommitted<T>(repo: RepositoryPaths, work: Promise<T>): Promise<T | null> {
  const result = await asResult(work);
  return result.ok || (await hasCommits(repo)) ? orThrow(result) : null;
}
