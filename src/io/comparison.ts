import { createHash } from 'node:crypto';
import type { CommitId, RepoPath, SnapshotId } from '../domain/brand.ts';
import { type Base, type Place, USUAL_BASES } from '../domain/change.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Comparison } from '../domain/ports.ts';
import { quoteName } from '../domain/quote-name.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Scope, Selection } from '../domain/scope.ts';
import { hasCommits, mergeBaseWith } from './diff.ts';
import { git } from './git.ts';

/** The two sides of what was asked for; without any commit the first one is empty. */
export async function findComparison(
  place: Place,
  selection: Selection,
  usualBase: string | null,
): Promise<Result<Comparison>> {
  const usual = usualBase ?? place.usualBase;
  switch (selection.kind) {
    case 'change':
      return fromBase(place, { asked: selection.base, usual, files: null });
    case 'files':
      return fromBase(place, { asked: selection.base, usual, files: selection.files });
    case 'uncommitted':
      return fromHead(place);
    case 'commit':
      return ofCommit(place, selection.commit);
  }
}

type Wanted = {
  readonly asked: string | null;
  readonly usual: string | null;
  readonly files: readonly RepoPath[] | null;
};

async function fromBase(place: Place, { asked, usual, files }: Wanted): Promise<Result<Comparison>> {
  const [base, branch, usualBase] = await Promise.all([
    mergeBase(place, asked ?? usual),
    currentBranch(place),
    asked === null || asked === usual ? null : mergeBase(place, usual),
  ]);
  if (!branch.ok) return branch;
  if (!base.ok) {
    if (await hasCommits(place)) return base;
    return fromNothing(place, { branch: branch.value, scope: scopeOf(files, null), files });
  }
  const tree = await treeOf(place, base.value.commit);
  if (!tree.ok) return tree;
  const isUsual = usualBase === null || (usualBase.ok && usualBase.value.commit === base.value.commit);
  return done({
    scope: scopeOf(files, isUsual ? null : base.value.name),
    where: { branch: branch.value, mergeBase: base.value.commit },
    baseName: base.value.name,
    baseTree: tree.value,
    headTree: null,
    files,
  });
}

async function fromHead(place: Place): Promise<Result<Comparison>> {
  const [head, branch] = await Promise.all([
    git(place.root, ['rev-parse', 'HEAD^{commit}', 'HEAD^{tree}']),
    currentBranch(place),
  ]);
  if (!branch.ok) return branch;
  const scope: Scope = { key: 'uncommitted', kind: 'narrow' };
  if (!head.ok) {
    return (await hasCommits(place)) ? head : fromNothing(place, { branch: branch.value, scope, files: null });
  }
  const [commit = '', baseTree = ''] = head.value.stdout.toString('utf8').split('\n');
  const where = { branch: branch.value, mergeBase: commit as CommitId };
  return done({ scope, where, baseName: 'HEAD', baseTree, headTree: null, files: null });
}

async function ofCommit(place: Place, name: string): Promise<Result<Comparison>> {
  const unknown = failed({ kind: 'unknown-commit', commit: name } as const);
  // A name that looks like an option, or is none at all, must not reach git.
  if (name === '' || name.startsWith('-') || name.includes('\0')) return unknown;
  const verified = ['rev-parse', '--verify', '--quiet', `${name}^{commit}`];
  const [found, branch] = await Promise.all([
    git(place.root, verified, { expected: [0, 1, 128] }),
    currentBranch(place),
  ]);
  if (!found.ok) return found;
  if (!branch.ok) return branch;
  if (found.value.code !== 0) return unknown;
  const id = found.value.stdout.toString('utf8').trim();
  const commit = await git(place.root, ['cat-file', 'commit', id]);
  if (!commit.ok) return commit;
  // As it is written, not as a shallow clone pretends: there the parent is missing, and that is not having none.
  const [tree, parent] = readCommit(commit.value.stdout.toString('latin1'));
  const baseTree = parent === null ? await emptyTree(place) : await treeOf(place, parent);
  if (!baseTree.ok) return place.shallow ? failed({ kind: 'no-merge-base', base: name, shallow: true }) : baseTree;
  return done({
    scope: { key: `commit ${id}`, kind: 'narrow' },
    where: { branch: branch.value, mergeBase: parent },
    baseName: parent === null ? null : `${name}^`,
    baseTree: baseTree.value,
    headTree: tree,
    files: null,
  });
}

function readCommit(text: string): [tree: SnapshotId, parent: CommitId | null] {
  const [, tree = '', parent] = /^tree (\w+)\n(?:parent (\w+)\n)?/.exec(text) ?? [];
  return [tree as SnapshotId, (parent as CommitId | undefined) ?? null];
}

async function fromNothing(
  place: Place,
  { branch, scope, files }: Pick<Comparison, 'scope' | 'files'> & { readonly branch: string | null },
): Promise<Result<Comparison>> {
  const tree = await emptyTree(place);
  if (!tree.ok) return tree;
  const where = { branch, mergeBase: null };
  return done({ scope, where, baseName: null, baseTree: tree.value, headTree: null, files });
}

const LONGEST_KEY = 200;

function scopeOf(files: readonly RepoPath[] | null, otherBase: string | null): Scope {
  const base = otherBase === null ? '' : `base ${otherBase}`;
  if (files === null) return base === '' ? { key: 'full', kind: 'full' } : { key: base, kind: 'narrow' };
  const names = [...new Set(files)].sort(byCodePoint).map(quoteName).join(' ');
  const short = names.length <= LONGEST_KEY ? names : createHash('sha256').update(names).digest('hex');
  return { key: `files ${short}${base === '' ? '' : ` ${base}`}`, kind: 'narrow' };
}

async function mergeBase(place: Place, name: string | null): Promise<Result<NonNullable<Base>>> {
  return name === null ? failed({ kind: 'no-base', tried: USUAL_BASES }) : mergeBaseWith(place, name);
}

async function currentBranch(place: Place): Promise<Result<string | null>> {
  const answer = await git(place.root, ['symbolic-ref', '-q', 'HEAD'], { expected: [0, 1] });
  return answer.ok ? done(answer.value.stdout.toString('utf8').trim() || null) : answer;
}

async function treeOf(place: Place, commit: CommitId): Promise<Result<string>> {
  return oneLine(await git(place.root, ['rev-parse', '--verify', `${commit}^{tree}`]));
}

// git knows this tree without its being stored; its name depends on how the repository names objects.
async function emptyTree(place: Place): Promise<Result<string>> {
  return oneLine(await git(place.root, ['hash-object', '-t', 'tree', '/dev/null']));
}

function oneLine(answer: Awaited<ReturnType<typeof git>>): Result<string> {
  return answer.ok ? done(answer.value.stdout.toString('utf8').trim()) : answer;
}
