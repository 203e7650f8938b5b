import type { CommitId, RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import type { Snapshots } from '@onceover/base/kernel/repository';
import { memoryClone, memoryWorktree } from '@onceover/testing/memory/git.ts';
import { memorySnapshots } from '@onceover/testing/memory/snapshots.ts';
import { repoWith } from '@onceover/testing/repo.ts';
import { asPaths, handy, NOTHING, snapshotsAt, value } from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';

type Opened = {
  readonly snapshots: Snapshots;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Makes a file executable. */
  runnable(path: string): void;
};

const FIRST = { 'a.md': 'same\n', 'docs/b.md': 'same\n', 'docs/c.md': 'other\n', 'run.sh': 'run\n' };

filesInTreeContract('in memory', async () => {
  const clone = memoryClone(FIRST);
  const git = memoryWorktree(clone, 'work', clone.branches.get('main') as CommitId);
  return {
    snapshots: memorySnapshots(clone, git),
    write: (path, text) => git.write(path as RepoPath, text),
    remove: (path) => git.remove(path as RepoPath),
    runnable: (path) => git.chmod(path as RepoPath),
  };
});

filesInTreeContract('of git', async () => {
  const repo = handy(repoWith(FIRST));
  const runnable = (path: string) => repo.mode(path, 0o755);
  return { snapshots: await snapshotsAt(repo.root), write: repo.write, remove: repo.remove, runnable };
});

/** The contract of `filesIn` and `textIn` of Snapshots. */
function filesInTreeContract(name: string, open: () => Promise<Opened>): void {
  const treeNow = async (snapshots: Snapshots): Promise<SnapshotId> => {
    const comparison = value(await snapshots.compare({ kind: 'uncommitted' }, null));
    return value(await value(await snapshots.take(comparison, NOTHING)).tree());
  };

  describe(`files in a tree ${name}`, () => {
    test('have an id and a mode; folders and missing paths are left out', async () => {
      const { snapshots, write, remove, runnable } = await open();
      runnable('run.sh');
      write('docs/new.md', 'same\n');
      write(ODD, 'odd\n');
      remove('docs/c.md');
      const requestedPaths = ['a.md', 'docs/b.md', 'docs/c.md', 'docs', 'docs/new.md', 'run.sh', 'nowhere.md', ODD, ''];
      const tree = await treeNow(snapshots);
      const files = value(await snapshots.filesIn(tree, asPaths(...requestedPaths)));
      expect([...files.keys()].sort()).toEqual([ODD, 'a.md', 'docs/b.md', 'docs/new.md', 'run.sh'].sort());
      const of = (path: string) => files.get(path as RepoPath);
      expect(new Set(['a.md', 'docs/b.md', 'docs/new.md'].map((path) => of(path)?.id)).size).toBe(1);
      expect(of('run.sh')).toEqual({ id: expect.any(String), mode: '100755' });
      expect(of('a.md')).toEqual({ id: expect.any(String), mode: '100644' });
      expect(of('run.sh')?.id).not.toBe(of('a.md')?.id);
      const texts = ['a.md', 'docs/new.md', ODD, 'docs/c.md', 'docs'] as RepoPath[];
      const contents = await Promise.all(texts.map(async (path) => value(await snapshots.textIn(tree, path))));
      expect(contents).toEqual(['same\n', 'same\n', 'odd\n', null, null]);
    });

    test('do not change later, and the same content has the same id in every tree', async () => {
      const { snapshots, write } = await open();
      const before = await treeNow(snapshots);
      write('a.md', 'new\n');
      write('docs/c.md', 'new\n');
      const after = await treeNow(snapshots);
      const [old, now] = await Promise.all(
        [before, after].map(async (tree) =>
          value(await snapshots.filesIn(tree, asPaths('a.md', 'docs/b.md', 'docs/c.md'))),
        ),
      );
      const id = (files: typeof old, path: string) => files?.get(path as RepoPath)?.id;
      expect(id(now, 'a.md')).not.toBe(id(old, 'a.md'));
      expect(id(now, 'docs/b.md')).toBe(id(old, 'docs/b.md'));
      expect(id(now, 'docs/c.md')).toBe(id(now, 'a.md'));
    });

    test('are empty for no paths, and a missing tree is a failure', async () => {
      const { snapshots } = await open();
      expect(await snapshots.filesIn(await treeNow(snapshots), [])).toEqual({ ok: true, value: new Map() });
      const missingTree = 'f'.repeat(40) as SnapshotId;
      expect(await snapshots.filesIn(missingTree, asPaths('a.md'))).toMatchObject({ ok: false });
      expect(await snapshots.textIn(missingTree, 'a.md' as RepoPath)).toMatchObject({ ok: false });
    });

    test('have no text if they are not text', async () => {
      const { snapshots, write } = await open();
      write('a.md', 'a\0b');
      expect(await snapshots.textIn(await treeNow(snapshots), 'a.md' as RepoPath)).toEqual({ ok: true, value: null });
    });
  });
}

const ODD = ':(top) *ä\n-"x".md';

test('git reports symlinks and submodules with their modes', async () => {
  const repo = handy(repoWith(FIRST));
  repo.link('link.md', 'a.md');
  repo.write('inner/x', 'x');
  repo.git('-C', 'inner', 'init', '-q');
  repo.git('-C', 'inner', 'add', 'x');
  repo.git('-C', 'inner', 'commit', '-q', '-m', 'x');
  const snapshots = await snapshotsAt(repo.root);
  const comparison = value(await snapshots.compare({ kind: 'uncommitted' }, null));
  const tree = value(await value(await snapshots.take(comparison, NOTHING)).tree());
  const files = value(await snapshots.filesIn(tree, asPaths('link.md', 'inner', 'a.md/x', 'inner/x')));
  expect([...files].map(([path, { mode }]) => [path, mode])).toEqual([
    ['inner', '160000'],
    ['link.md', '120000'],
  ]);
  expect(await snapshots.textIn(tree, 'link.md' as RepoPath)).toEqual({ ok: true, value: null });
});
