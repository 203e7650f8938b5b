import { createHash } from 'node:crypto';
import { byCodePoint } from '@onceover/base/kernel/collections';
import type { CommitId, RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import type { Entry } from '@onceover/base/kernel/repository';

type MemoryFile = { readonly mode: '100644' | '100755'; readonly text: string };

export type MemoryTree = ReadonlyMap<RepoPath, MemoryFile>;

/** A working tree at one moment; `writes` counts the writes to each path. */
export type Moment = {
  readonly branch: string | null;
  readonly commit: CommitId;
  readonly files: MemoryTree;
  readonly writes: ReadonlyMap<RepoPath, number>;
};

/** Commits and branches, as far as runs need them. */
export type MemoryClone = {
  readonly branches: ReadonlyMap<string, CommitId>;
  treeOf(commit: CommitId): MemoryTree;
  /** The trees of all commits. */
  trees(): readonly MemoryTree[];
  parentOf(commit: CommitId): CommitId | null;
  mergeBase(a: CommitId, b: CommitId): CommitId;
  /** Adds a commit; the named branch moves there. */
  commit(tree: MemoryTree, parents: readonly CommitId[], branch: string | null): CommitId;
  setBranch(name: string, commit: CommitId): void;
};

/** Makes a clone with one commit on main. */
export function memoryClone(files: Readonly<Record<string, string>>): MemoryClone {
  const commits: { readonly tree: MemoryTree; readonly parents: readonly CommitId[] }[] = [];
  const branches = new Map<string, CommitId>();
  const numberOf = (commit: CommitId) => Number(commit.slice(1));
  const get = (commit: CommitId) => {
    const found = commits[numberOf(commit)];
    if (found === undefined) throw new Error(`no commit ${commit}`);
    return found;
  };
  const ancestors = (commit: CommitId): Set<CommitId> => {
    const found = new Set([commit]);
    for (const one of found) for (const parent of get(one).parents) found.add(parent);
    return found;
  };
  const clone: MemoryClone = {
    branches,
    treeOf: (commit) => get(commit).tree,
    trees: () => commits.map(({ tree }) => tree),
    parentOf: (commit) => get(commit).parents[0] ?? null,
    mergeBase(a, b) {
      const ofB = ancestors(b);
      // A commit is newer than its parents, so the newest common commit is the merge base.
      const shared = [...ancestors(a)].filter((one) => ofB.has(one)).sort((x, y) => numberOf(y) - numberOf(x));
      return shared[0] ?? ('c0' as CommitId);
    },
    commit(tree, parents, branch) {
      const id = `c${commits.length}` as CommitId;
      commits.push({ tree, parents });
      if (branch !== null) branches.set(branch, id);
      return id;
    },
    setBranch: (name, commit) => branches.set(name, commit),
  };
  clone.commit(
    new Map(Object.entries(files).map(([path, text]) => [path as RepoPath, { mode: '100644', text }])),
    [],
    'main',
  );
  return clone;
}

/** A working tree of the clone, with the actions of users. */
export type MemoryWorktree = {
  now(): Moment;
  write(path: RepoPath, text: string): void;
  remove(path: RepoPath): void;
  chmod(path: RepoPath): void;
  commit(): void;
  /** Commits only these paths in their current state; returns null if none of them differs from the last commit. */
  commitOnly(paths: readonly RepoPath[]): CommitId | null;
  amend(): void;
  /** Switches to a branch and creates it here if it does not exist; uncommitted changes come along. */
  switchTo(branch: string): void;
  detach(): void;
  merge(branch: string): void;
  rebase(branch: string): void;
};

/** Makes a working tree on a branch. */
export function memoryWorktree(clone: MemoryClone, branch: string, at: CommitId): MemoryWorktree {
  let now: Moment = { branch, commit: at, files: clone.treeOf(at), writes: new Map() };
  clone.setBranch(branch, at);
  const put = (files: MemoryTree, more: Partial<Moment> = {}) => {
    const writes = new Map(now.writes);
    for (const path of new Set([...now.files.keys(), ...files.keys()])) {
      if (now.files.get(path) !== files.get(path)) writes.set(path, (writes.get(path) ?? 0) + 1);
    }
    now = { ...now, ...more, files, writes };
  };
  const edit = (change: (files: Map<RepoPath, MemoryFile>) => void) => {
    const files = new Map(now.files);
    change(files);
    put(files);
  };
  const committed = (tree: MemoryTree, parents: readonly CommitId[]) => {
    const id = clone.commit(tree, parents, now.branch);
    now = { ...now, commit: id };
  };
  const goTo = (commit: CommitId, onto: string | null) =>
    put(merged(clone.treeOf(now.commit), now.files, clone.treeOf(commit)), { branch: onto, commit });
  return {
    now: () => now,
    write: (path, text) => edit((files) => files.set(path, { mode: files.get(path)?.mode ?? '100644', text })),
    remove: (path) => edit((files) => files.delete(path)),
    chmod: (path) =>
      edit((files) => {
        const file = files.get(path);
        if (file !== undefined) files.set(path, { ...file, mode: file.mode === '100644' ? '100755' : '100644' });
      }),
    commit: () => committed(now.files, [now.commit]),
    commitOnly(paths) {
      const tree = new Map(clone.treeOf(now.commit));
      const differing = paths.filter((path) => !isSameFile(now.files.get(path), tree.get(path)));
      if (differing.length === 0) return null;
      for (const path of differing) {
        const file = now.files.get(path);
        if (file === undefined) tree.delete(path);
        else tree.set(path, file);
      }
      committed(tree, [now.commit]);
      return now.commit;
    },
    amend() {
      const parent = clone.parentOf(now.commit);
      if (parent !== null) committed(now.files, [parent]);
    },
    switchTo(name) {
      const target = clone.branches.get(name);
      if (target === undefined) clone.setBranch(name, now.commit);
      goTo(target ?? now.commit, name);
    },
    detach: () => goTo(now.commit, null),
    merge(name) {
      const other = clone.branches.get(name) ?? now.commit;
      const base = clone.mergeBase(now.commit, other);
      if (base === other) return;
      const tree = merged(clone.treeOf(base), clone.treeOf(now.commit), clone.treeOf(other));
      goTo(clone.commit(tree, [now.commit, other], now.branch), now.branch);
    },
    rebase(name) {
      const other = clone.branches.get(name) ?? now.commit;
      const base = clone.mergeBase(now.commit, other);
      if (base === other) return;
      const tree = merged(clone.treeOf(base), clone.treeOf(now.commit), clone.treeOf(other));
      goTo(clone.commit(tree, [other], now.branch), now.branch);
    },
  };
}

/** Merges both changes to a tree; if both changed a file, ours wins. */
function merged(base: MemoryTree, ours: MemoryTree, theirs: MemoryTree): MemoryTree {
  const tree = new Map<RepoPath, MemoryFile>();
  for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
    const file = isSameFile(ours.get(path), base.get(path)) ? theirs.get(path) : ours.get(path);
    if (file !== undefined) tree.set(path, file);
  }
  return tree;
}

function isSameFile(a: MemoryFile | undefined, b: MemoryFile | undefined): boolean {
  return a?.mode === b?.mode && a?.text === b?.text;
}

/** Returns the differences between two trees, ordered by path. */
export function differences(base: MemoryTree, head: MemoryTree): Entry[] {
  const entries: Entry[] = [];
  for (const path of [...new Set([...base.keys(), ...head.keys()])].sort(byCodePoint)) {
    const [before, after] = [base.get(path), head.get(path)];
    if (isSameFile(before, after)) continue;
    const mode = (after ?? before)?.mode ?? '';
    const blob = (file: MemoryFile | undefined) => (file === undefined ? null : blobOf(file));
    entries.push({ path, mode, baseBlob: blob(before), headBlob: blob(after) });
  }
  return entries;
}

/** Returns the name of a file's content. */
export function blobOf({ text }: MemoryFile): string {
  return hash(text);
}

export function treeId(tree: MemoryTree): SnapshotId {
  const lines = [...tree].map(([path, { mode, text }]) => `${mode} ${hash(text)} ${path}`);
  return hash(lines.sort(byCodePoint).join('\n')) as SnapshotId;
}

function hash(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
