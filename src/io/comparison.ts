import type { CommitId, RepoPath, SnapshotId } from '../domain/brand.ts';
import { type Base, type Place, USUAL_BASES } from '../domain/change.ts';
import { sha256 } from '../domain/digest.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Comparison } from '../domain/ports.ts';
import { quoteName } from '../domain/quote-name.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Scope, Selection } from '../domain/scope.ts';
import { askByName } from './ambiguous.ts';
import { baseTree } from './base-tree.ts';
import { commitOf, hasCommits, isName, mergeBaseWith } from './diff.ts';
import { ASK_BRANCH, askFooting, branchOf, type Footing, readFooting } from './footing.ts';
import { git } from './git.ts';

/** The two sides of what was asked for; without any commit the first one is empty. */
export async function findComparison(
  place: Place,
  selection: Selection,
  usualBase: string | null,
  known: Footing | null = null,
): Promise<Result<Comparison>> {
  const usual = usualBase ?? place.usualBase;
  switch (selection.kind) {
    case 'change':
      return fromBase(place, { asked: selection.base, usual, files: null, known });
    case 'files':
      return fromBase(place, { asked: selection.base, usual, files: selection.files, known });
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
  /** What git has just said already. */
  readonly known: Footing | null;
};

async function fromBase(place: Place, { asked, usual, files, known }: Wanted): Promise<Result<Comparison>> {
  const [footing, usualBase] = await Promise.all([
    footingFrom(place, asked ?? usual, known),
    asked === null || asked === usual ? null : mergeBase(place, usual),
  ]);
  if (!footing.ok) {
    if (await hasCommits(place)) return footing;
    return fromNothing(place, { scope: scopeOf(files, null), files });
  }
  const { base, head, branch } = footing.value;
  const tree = await baseTree(place, base);
  if (!tree.ok) return tree;
  const isUsual = usualBase === null || (usualBase.ok && isSameBase(usualBase.value, base));
  return done({
    scope: scopeOf(files, isUsual ? null : base.name),
    where: { branch, mergeBase: base.commit },
    headCommit: head,
    baseName: base.name,
    baseTree: tree.value,
    headTree: null,
    files,
  });
}

// Where there are two merge-bases, a change is measured from what both come to.
function isSameBase(one: NonNullable<Base>, other: NonNullable<Base>): boolean {
  const commits = ({ commit, others = [] }: NonNullable<Base>) => [commit, ...others].sort().join(' ');
  return commits(one) === commits(other);
}

/** The merge-base, the last commit and the branch, by one question to git. */
async function footingFrom(place: Place, name: string | null, known: Footing | null): Promise<Result<Footing>> {
  if (name === null) return failed({ kind: 'no-base', tried: USUAL_BASES });
  if (known?.base.name === name) return done(known);
  if (!isName(name)) return failed({ kind: 'unknown-base', base: name });
  const question = ['rev-parse', ...askFooting(name)];
  const answer = await askByName(place.root, question);
  if (!answer.ok) return answer;
  const read = answer.value.code === 0 ? readFooting(name, answer.value.stdout.toString('utf8').split('\n')) : null;
  if (read !== null) return done(read.footing);
  const base = await mergeBaseWith(place, name);
  return base.ok
    ? failed({ kind: 'git-failed', command: `git ${question.join(' ')}`, said: answer.value.stderr })
    : base;
}

async function fromHead(place: Place): Promise<Result<Comparison>> {
  const answer = await git(place.root, ['rev-parse', 'HEAD^{commit}', ...ASK_BRANCH]);
  const scope: Scope = { key: 'uncommitted', kind: 'narrow' };
  if (!answer.ok) return (await hasCommits(place)) ? answer : fromNothing(place, { scope, files: null });
  const [commit = '', branch = ''] = answer.value.stdout.toString('utf8').split('\n');
  const head = commit as CommitId;
  const where = { branch: branchOf(branch), mergeBase: head };
  return done({ scope, where, headCommit: head, baseName: 'HEAD', baseTree: head, headTree: null, files: null });
}

async function ofCommit(place: Place, name: string): Promise<Result<Comparison>> {
  const [found, branch] = await Promise.all([commitOf(place, name), currentBranch(place)]);
  if (!found.ok) return found;
  if (!branch.ok) return branch;
  if (found.value === null) return failed({ kind: 'unknown-commit', commit: name });
  const id = found.value;
  const commit = await git(place.root, ['cat-file', 'commit', id]);
  if (!commit.ok) return commit;
  // As it is written, not as a shallow clone pretends: there the parent is missing, and that is not having none.
  const [tree, parent] = readCommit(commit.value.stdout.toString('latin1'));
  const baseTree = parent === null ? await emptyTree(place) : await treeOf(place, parent);
  if (!baseTree.ok) return place.shallow ? failed({ kind: 'no-merge-base', base: name, shallow: true }) : baseTree;
  return done({
    scope: { key: `commit ${id}`, kind: 'narrow' },
    where: { branch: branch.value, mergeBase: parent },
    headCommit: null,
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
  { scope, files }: Pick<Comparison, 'scope' | 'files'>,
): Promise<Result<Comparison>> {
  const [tree, branch] = await Promise.all([emptyTree(place), currentBranch(place)]);
  if (!tree.ok) return tree;
  if (!branch.ok) return branch;
  const where = { branch: branch.value, mergeBase: null };
  return done({ scope, where, headCommit: null, baseName: null, baseTree: tree.value, headTree: null, files });
}

const LONGEST_KEY = 200;

function scopeOf(files: readonly RepoPath[] | null, otherBase: string | null): Scope {
  const base = otherBase === null ? '' : `base ${otherBase}`;
  if (files === null) return base === '' ? { key: 'full', kind: 'full' } : { key: base, kind: 'narrow' };
  const names = [...new Set(files)].sort(byCodePoint).map(quoteName).join(' ');
  const short = names.length <= LONGEST_KEY ? names : sha256(names);
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
