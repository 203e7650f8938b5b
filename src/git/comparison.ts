import { byCodePoint } from '../kernel/collections.ts';
import { quoteName } from '../kernel/escape.ts';
import { type CommitId, type RepoPath, type SnapshotId, sha256 } from '../kernel/ids.ts';
import type { Base, Comparison, RepositoryPaths, Scope, Selection } from '../kernel/repository.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { baseAndHead, baseTree, commitOf, hasCommits } from './base.ts';
import { gitText } from './git.ts';
import { ASK_BRANCH, type BaseAndHead, branchOf } from './locate.ts';

/**
 * Returns the two sides to compare; without any commit, the base side is the empty tree. `known` is a base and head
 * that git has just reported.
 */
export async function findComparison(
  repo: RepositoryPaths,
  selection: Selection,
  usualBase: string | null,
  known: BaseAndHead | null = null,
): Promise<Result<Comparison>> {
  switch (selection.kind) {
    case 'change':
    case 'files':
      return fromBase(repo, selection, usualBase ?? repo.usualBase, known);
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
  known: BaseAndHead | null,
): Promise<Result<Comparison>> {
  const files = selection.kind === 'files' ? selection.files : null;
  const name = selection.base ?? usual;
  const [found, usualBase] = await Promise.all([
    known !== null && known.base.name === name ? ok(known) : baseAndHead(repo, name),
    name === usual ? null : baseAndHead(repo, usual),
  ]);
  if (!found.ok) {
    if (await hasCommits(repo)) return found;
    return fromNothing(repo, { scope: scopeOf(files, null), files });
  }
  const { base, head, branch } = found.value;
  const tree = await baseTree(repo, base);
  if (!tree.ok) return tree;
  const isUsual = usualBase === null || (usualBase.ok && isSameBase(usualBase.value.base, base));
  return ok({
    scope: scopeOf(files, isUsual ? null : base.name),
    where: { branch, mergeBase: base.commit },
    headCommit: head,
    baseName: base.name,
    baseTree: tree.value,
    headTree: null,
    files,
  });
}

// With two merge-bases, a change is compared with the merge of both. So two bases are the same only if all their
// merge-bases are.
function isSameBase(one: NonNullable<Base>, other: NonNullable<Base>): boolean {
  const commits = ({ commit, others = [] }: NonNullable<Base>) => [commit, ...others].sort().join(' ');
  return commits(one) === commits(other);
}

async function fromHead(repo: RepositoryPaths): Promise<Result<Comparison>> {
  const answer = await gitText(repo.root, ['rev-parse', 'HEAD^{commit}', ...ASK_BRANCH]);
  const scope: Scope = { key: 'uncommitted', kind: 'narrow' };
  if (!answer.ok) return (await hasCommits(repo)) ? answer : fromNothing(repo, { scope, files: null });
  const [commit = '', branch = ''] = answer.value.split('\n');
  const head = commit as CommitId;
  const where = { branch: branchOf(branch), mergeBase: head };
  return ok({ scope, where, headCommit: head, baseName: 'HEAD', baseTree: head, headTree: null, files: null });
}

async function ofCommit(repo: RepositoryPaths, name: string): Promise<Result<Comparison>> {
  const [found, branch] = await Promise.all([commitOf(repo, name), currentBranch(repo)]);
  if (!found.ok) return found;
  if (!branch.ok) return branch;
  if (found.value === null) return err({ kind: 'unknown-commit', commit: name });
  const id = found.value;
  // In a shallow clone, `git rev-parse` may report no parent for this commit. The stored commit object still names the
  // parent.
  const commit = await gitText(repo.root, ['cat-file', 'commit', id]);
  if (!commit.ok) return commit;
  const [, tree = '', parent = null] = /^tree (\w+)\n(?:parent (\w+)\n)?/.exec(commit.value) ?? [];
  const baseTree = await (parent === null ? emptyTree(repo) : treeOf(repo, parent));
  if (!baseTree.ok) return repo.shallow ? err({ kind: 'no-merge-base', base: name, shallow: true }) : baseTree;
  return ok({
    scope: { key: `commit ${id}`, kind: 'narrow' },
    where: { branch: branch.value, mergeBase: parent as CommitId | null },
    headCommit: null,
    baseName: parent === null ? null : `${name}^`,
    baseTree: baseTree.value,
    headTree: tree as SnapshotId,
    files: null,
  });
}

async function fromNothing(
  repo: RepositoryPaths,
  { scope, files }: Pick<Comparison, 'scope' | 'files'>,
): Promise<Result<Comparison>> {
  const [tree, branch] = await Promise.all([emptyTree(repo), currentBranch(repo)]);
  if (!tree.ok) return tree;
  if (!branch.ok) return branch;
  const where = { branch: branch.value, mergeBase: null };
  return ok({ scope, where, headCommit: null, baseName: null, baseTree: tree.value, headTree: null, files });
}

const LONGEST_KEY = 200;

function scopeOf(files: readonly RepoPath[] | null, otherBase: string | null): Scope {
  const base = otherBase === null ? '' : `base ${otherBase}`;
  if (files === null) return base === '' ? { key: 'full', kind: 'full' } : { key: base, kind: 'narrow' };
  const names = [...new Set(files)].sort(byCodePoint).map(quoteName).join(' ');
  const short = names.length <= LONGEST_KEY ? names : sha256(names);
  return { key: `files ${short}${base === '' ? '' : ` ${base}`}`, kind: 'narrow' };
}

async function currentBranch(repo: RepositoryPaths): Promise<Result<string | null>> {
  const branch = await gitText(repo.root, ['symbolic-ref', '-q', 'HEAD'], { expected: [0, 1] });
  return branch.ok ? ok(branch.value || null) : branch;
}

function treeOf(repo: RepositoryPaths, commit: string): Promise<Result<string>> {
  return gitText(repo.root, ['rev-parse', '--verify', `${commit}^{tree}`]);
}

// The id of the empty tree depends on the repository's object format (SHA-1 or SHA-256), so git computes it.
function emptyTree(repo: RepositoryPaths): Promise<Result<string>> {
  return gitText(repo.root, ['hash-object', '-t', 'tree', '/dev/null']);
}
