import { byCodePoint } from '@onceover/base/kernel/collections';
import type { RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import type { Comparison, DiffSection, Selection, Snapshots } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import {
  blobOf,
  differences,
  type MemoryClone,
  type MemoryTree,
  type MemoryWorktree,
  type Moment,
  treeId,
} from './git.ts';

/** Trees in memory; `collect` removes trees that no commit has and no caller keeps, like git's garbage collection. */
export type MemorySnapshots = Snapshots & { collect(): void };

/** Snapshots of a working tree in memory, without secrets or renames. */
export function memorySnapshots(clone: MemoryClone, worktree: MemoryWorktree): MemorySnapshots {
  const trees = new Map<string, MemoryTree>();
  const kept = new Set<SnapshotId>();
  const held = new Map<string, ReadonlySet<SnapshotId>>();
  const store = (tree: MemoryTree): SnapshotId => {
    const id = treeId(tree);
    trees.set(id, tree);
    return id;
  };
  const find = (id: string): Result<MemoryTree> => {
    const tree = trees.get(id);
    return tree === undefined ? err({ kind: 'git-failed', command: `git cat-file ${id}`, said: 'gone' }) : ok(tree);
  };
  return {
    collect() {
      const kinds = [kept, clone.trees().map(treeId), ...held.values()];
      const needed = new Set<string>(kinds.flatMap((ids) => [...ids]));
      for (const id of trees.keys()) if (!needed.has(id)) trees.delete(id);
    },
    async compare(selection, usualBase) {
      const compared = compareIn(clone, worktree.now(), selection, usualBase ?? 'main');
      if (compared === null) return err({ kind: 'unknown-base', base: String(usualBase) });
      const { base, head, ...rest } = compared;
      return ok<Comparison>({
        ...rest,
        headCommit: null,
        baseTree: store(base),
        headTree: head === null ? null : store(head),
      });
    },
    async take({ baseTree, headTree, files }) {
      const base = find(baseTree);
      const head = headTree === null ? ok(worktree.now().files) : find(headTree);
      if (!base.ok) return base;
      if (!head.ok) return head;
      const entries = differences(base.value, head.value).filter(({ path }) => isWanted(path, files));
      return ok({
        entries,
        withheld: [],
        mayHave: () => true,
        unnameable: [],
        tree: async () => ok(store(head.value)),
      });
    },
    async keep(tree) {
      kept.add(tree);
      return ok(undefined);
    },
    async prune(keep) {
      for (const tree of kept) if (!keep.has(tree)) kept.delete(tree);
      return ok(undefined);
    },
    async hold(owner, wanted) {
      held.set(owner, wanted);
      return ok(undefined);
    },
    async sections(from, to) {
      return sectionsBetween(find(from), find(to), null);
    },
    async plainSections(from, to, paths) {
      return sectionsBetween(find(from), find(to), paths);
    },
    async changedFiles(from, to) {
      const [before, after] = [find(from), find(to)];
      if (!before.ok) return before;
      if (!after.ok) return after;
      return ok(new Map(differences(before.value, after.value).map(({ path, headBlob }) => [path, headBlob])));
    },
    branchMark: async () => null,
    // Without a reflog, only a base that moved shows that the change may be another one.
    async onlyGrew({ mergeBase }, { where }) {
      return ok(mergeBase === where.mergeBase);
    },
    async filesIn(tree, paths) {
      const found = find(tree);
      if (!found.ok) return found;
      const there = paths.flatMap((path) => {
        const file = found.value.get(path);
        return file === undefined ? [] : [[path, { id: blobOf(file), mode: file.mode }] as const];
      });
      return ok(new Map(there));
    },
    async textIn(tree, path) {
      const found = find(tree);
      if (!found.ok) return found;
      const text = found.value.get(path)?.text ?? null;
      return ok(text?.includes('\0') === true ? null : text);
    },
    touched(paths) {
      const { writes } = worktree.now();
      return paths.map((path) => writes.get(path) ?? 0).join(' ');
    },
    async trackedIn() {
      return ok(new Set<RepoPath>());
    },
    async files() {
      return ok([...worktree.now().files.keys()].sort(byCodePoint));
    },
  };
}

/** The two sides of a comparison; `head` is null for the working tree. */
export type Compared = Omit<Comparison, 'baseTree' | 'headTree' | 'headCommit'> & {
  readonly base: MemoryTree;
  readonly head: MemoryTree | null;
};

/** Resolves a selection at a moment; null if it names a missing branch. */
export function compareIn(
  clone: MemoryClone,
  { branch, commit }: Moment,
  selection: Selection,
  usual: string,
): Compared | null {
  if (selection.kind === 'uncommitted') {
    const scope = { key: 'uncommitted', kind: 'narrow' } as const;
    const where = { branch, mergeBase: commit };
    return { scope, where, baseName: 'HEAD', base: clone.treeOf(commit), head: null, files: null };
  }
  if (selection.kind === 'commit') {
    const parent = clone.parentOf(commit);
    return {
      scope: { key: `commit ${commit}`, kind: 'narrow' },
      where: { branch, mergeBase: parent },
      baseName: 'HEAD^',
      base: parent === null ? new Map() : clone.treeOf(parent),
      head: clone.treeOf(commit),
      files: null,
    };
  }
  const usualTip = clone.branches.get(usual);
  const tip = clone.branches.get(selection.base ?? usual);
  if (tip === undefined || usualTip === undefined) return null;
  const mergeBase = clone.mergeBase(tip, commit);
  const isUsual = mergeBase === clone.mergeBase(usualTip, commit);
  const files = selection.kind === 'files' ? selection.files : null;
  const words = [
    ...(files === null ? [] : [`files ${[...files].sort(byCodePoint).join(' ')}`]),
    ...(isUsual ? [] : [`base ${selection.base}`]),
  ];
  return {
    scope: words.length === 0 ? { key: 'full', kind: 'full' } : { key: words.join(' '), kind: 'narrow' },
    where: { branch, mergeBase },
    baseName: selection.base ?? usual,
    base: clone.treeOf(mergeBase),
    head: null,
    files,
  };
}

/** Whether a path is one of the selected files, or in one of the selected folders. */
export function isWanted(path: RepoPath, files: readonly RepoPath[] | null): boolean {
  return files === null || files.some((one) => path === one || path.startsWith(`${one}/`));
}

const NONE = '0'.repeat(40);

function sectionsBetween(
  from: Result<MemoryTree>,
  to: Result<MemoryTree>,
  paths: readonly RepoPath[] | null,
): Result<readonly DiffSection[]> {
  if (!from.ok) return from;
  if (!to.ok) return to;
  const lines = (tree: MemoryTree, path: RepoPath, mark: string) =>
    (tree.get(path)?.text ?? '').split('\n').map((line) => `${mark}${line}\n`);
  return ok(
    differences(from.value, to.value)
      .filter(({ path }) => paths === null || paths.includes(path))
      .map(({ path, baseBlob, headBlob }) => {
        const names = `diff --git a/${path} b/${path}\nindex ${baseBlob ?? NONE}..${headBlob ?? NONE}\n@@ -1 +1 @@\n`;
        const text = [names, ...lines(from.value, path, '-'), ...lines(to.value, path, '+')].join('');
        return { paths: [path], text };
      }),
  );
}
