import { byCodePoint } from '@onceover/base/kernel/collections';
import { quoteName } from '@onceover/base/kernel/escape';
import { type CommitId, type RepoPath, type SnapshotId, sha256 } from '@onceover/base/kernel/ids';
import type { Base, Comparison, RepositoryPaths, Scope, Selection } from '@onceover/base/kernel/repository';
import { baseAndHead, baseTree, commitOf, ifCommitted } from './base.ts';
import { allEnded, asResult, GitError, gitText, orThrow } from './git.ts';
import { ASK_BRANCH, type BaseAndHead, branchOf } from './locate.ts';

/**
 * Returns the base and the reviewed content to compare. Without commits, the base is the empty tree. `prefetchedBase`
 * is the base, if the caller has already found it.
 */
export async function findComparison(
  repo: RepositoryPaths,
  selection: Selection,
  usualBase: string | null,
  prefetchedBase: BaseAndHead | null,
): Promise<Comparison> {
  switch (selection.kind) {
    case 'change':
    case 'files':
      return fromBase(repo, selection, usualBase ?? repo.usualBase, prefetchedBase);
    case 'uncommitted':
      return fromHead(repo);
    case 'commit':
      return ofCommit(repo, selection.commit);
  }
}

async function fromBase(
  repo: RepositoryPaths,
  selection: Extract<Selection, { kind: 'change' | 'files' }>,
  usual: string | null,
  prefetchedBase: BaseAndHead | null,
): Promise<Comparison> {
  const files = selection.kind === 'files' ? selection.files : null;
  const name = selection.base ?? usual;
  const [footing, usualBase] = await allEnded([
    prefetchedBase?.base.name === name ? prefetchedBase : ifCommitted(repo, baseAndHead(repo, name)),
    name === usual ? null : asResult(baseAndHead(repo, usual)),
  ]);
  if (footing === null) return fromNothing(repo, { scope: scopeOf(files, null), files });
  const { base, head, branch } = footing;
  const isUsual = usualBase === null || (usualBase.ok && isSameBase(usualBase.value.base, base));
  return {
    scope: scopeOf(files, isUsual ? null : base.name),
    where: { branch, mergeBase: base.commit },
    headCommit: head,
    baseName: base.name,
    baseTree: await baseTree(repo, base),
    headTree: null,
    files,
  };
}

// If there are several merge-bases, the change is compared with a merge of all, so two bases are equal only if all
// their merge-bases are.
function isSameBase(first: NonNullable<Base>, second: NonNullable<Base>): boolean {
  const commits = ({ commit, others = [] }: NonNullable<Base>) => [commit, ...others].sort().join(' ');
  return commits(first) === commits(second);
}

async function fromHead(repo: RepositoryPaths): Promise<Comparison> {
  const answer = await ifCommitted(repo, gitText(repo.root, ['rev-parse', 'HEAD^{commit}', ...ASK_BRANCH]));
  const scope: Scope = { key: 'uncommitted', kind: 'narrow' };
  if (answer === null) return fromNothing(repo, { scope, files: null });
  const [commit = '', branch = ''] = answer.split('\n');
  const head = commit as CommitId;
  const where = { branch: branchOf(branch), mergeBase: head };
  return { scope, where, headCommit: head, baseName: 'HEAD', baseTree: head, headTree: null, files: null };
}

async function ofCommit(repo: RepositoryPaths, name: string): Promise<Comparison> {
  const [id, branch] = await allEnded([
    commitOf(repo, name, { kind: 'unknown-commit', commit: name }),
    currentBranch(repo),
  ]);
  // In a shallow clone, `git rev-parse` may not show the parent of a commit, but the commit object always names it.
  const commit = await gitText(repo.root, ['cat-file', 'commit', id]);
  const [, tree = '', parent = null] = /^tree (\w+)\n(?:parent (\w+)\n)?/.exec(commit) ?? [];
  const baseTree = await asResult(parent === null ? emptyTree(repo) : treeOf(repo, parent));
  if (!baseTree.ok && repo.shallow) throw new GitError({ kind: 'no-merge-base', base: name, shallow: true });
  return {
    scope: { key: `commit ${id}`, kind: 'narrow' },
    where: { branch, mergeBase: parent as CommitId | null },
    headCommit: null,
    baseName: parent === null ? null : `${name}^`,
    baseTree: orThrow(baseTree),
    headTree: tree as SnapshotId,
    files: null,
  };
}

async function fromNothing(
  repo: RepositoryPaths,
  { scope, files }: Pick<Comparison, 'scope' | 'files'>,
): Promise<Comparison> {
  const [baseTree, branch] = await allEnded([emptyTree(repo), currentBranch(repo)]);
  const where = { branch, mergeBase: null };
  return { scope, where, headCommit: null, baseName: null, baseTree, headTree: null, files };
}

const LONGEST_KEY = 200;

function scopeOf(files: readonly RepoPath[] | null, otherBase: string | null): Scope {
  const base = otherBase === null ? '' : `base ${otherBase}`;
  if (files === null) return base === '' ? { key: 'full', kind: 'full' } : { key: base, kind: 'narrow' };
  const names = [...new Set(files)].sort(byCodePoint).map(quoteName).join(' ');
  const short = names.length <= LONGEST_KEY ? names : sha256(names);
  return { key: `files ${short}${base === '' ? '' : ` ${base}`}`, kind: 'narrow' };
}

async function currentBranch(repo: RepositoryPaths): Promise<string | null> {
  return (await gitText(repo.root, ['symbolic-ref', '-q', 'HEAD'], { expected: [0, 1] })) || null;
}

function treeOf(repo: RepositoryPaths, commit: string): Promise<string> {
  return gitText(repo.root, ['rev-parse', '--verify', `${commit}^{tree}`]);
}

// The id of the empty tree depends on whether the repository uses SHA-1 or SHA-256, so let git compute it.
function emptyTree(repo: RepositoryPaths): Promise<string> {
  return gitText(repo.root, ['hash-object', '-t', 'tree', '/dev/null']);
}
