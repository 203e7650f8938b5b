import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { asPaths, type Repo, snapshotsAt, someRepo, takeAt, value } from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

const path = (name: string) => name as RepoPath;

/** Pins a tree in which a.txt has this text. No other ref points to it. */
async function keep(root: string, text: string): Promise<SnapshotId> {
  writeFileSync(join(root, 'a.txt'), text);
  const tree = value(await (await takeAt(root)).tree());
  value(await (await snapshotsAt(root)).keep(tree));
  writeFileSync(join(root, 'a.txt'), 'a\n');
  return tree;
}

function collect(repo: Repo, root = repo.root): void {
  repo.git('-C', root, 'reflog', 'expire', '--expire=now', '--all');
  repo.git('-C', root, 'gc', '-q', '--prune=now');
}

const textOf = async (root: string, tree: SnapshotId) => (await snapshotsAt(root)).textIn(tree, path('a.txt'));
const refsOf = (repo: Repo, root = repo.root) =>
  repo
    .git('-C', root, 'for-each-ref', '--format=%(refname)', 'refs/onceover', 'refs/worktree')
    .split('\n')
    .slice(0, -1);

describe('a pinned tree', () => {
  test('survives git gc, unlike other trees', async () => {
    const repo = someRepo();
    const keptTree = await keep(repo.root, 'kept');
    const droppedTree = await keep(repo.root, 'dropped');
    value(await (await snapshotsAt(repo.root)).prune(new Set([keptTree])));
    collect(repo);
    expect(await textOf(repo.root, keptTree)).toEqual({ ok: true, value: 'kept' });
    expect(await textOf(repo.root, droppedTree)).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
    expect(refsOf(repo)).toEqual([`refs/onceover/main/${keptTree}`]);
  });

  test('can be pinned twice', async () => {
    const repo = someRepo();
    expect(await keep(repo.root, 'kept')).toBe(await keep(repo.root, 'kept'));
    expect(refsOf(repo)).toHaveLength(1);
  });

  test('can be unpinned twice', async () => {
    const repo = someRepo();
    await keep(repo.root, 'kept');
    const snapshots = await snapshotsAt(repo.root);
    for (let n = 0; n < 2; n++) expect(await snapshots.prune(new Set())).toEqual({ ok: true, value: undefined });
    expect(repo.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\nrefs/heads/work\n');
  });

  test('leaves no reflog and does not disturb git', async () => {
    const repo = someRepo();
    repo.git('config', 'core.logAllRefUpdates', 'always');
    await keep(repo.root, 'kept');
    collect(repo);
    expect(existsSync(join(repo.root, '.git/logs/refs/onceover'))).toBe(false);
    const copy = join(temporaryFolder(), 'copy');
    repo.git('clone', '-q', `file://${repo.root}`, copy);
    expect({
      log: repo.git('log', '--all', '--format=%s'),
      decorated: repo.git('log', '--all', '--format=%D'),
      fsck: repo.git('fsck', '--full', '--strict'),
      stash: repo.git('stash', 'list'),
      branches: repo.git('branch', '-a', '--format=%(refname)'),
      tags: repo.git('tag'),
      described: repo.git('describe', '--all'),
      fetched: repo.git('fetch', copy),
      reflog: repo.git('reflog', '--all'),
      status: repo.git('status', '--porcelain'),
    }).toEqual({
      log: 'first\n',
      decorated: 'HEAD -> work, main\n',
      fsck: '',
      stash: '',
      branches: 'refs/heads/main\nrefs/heads/work\n',
      tags: '',
      described: 'heads/main\n',
      fetched: '',
      reflog: '',
      status: '',
    });
    expect(repo.git('-C', copy, 'for-each-ref')).not.toContain('onceover');
  });
});

/** Makes a tree without a ref in which a.txt has this text. */
async function loose(root: string, text: string): Promise<SnapshotId> {
  const tree = await keep(root, text);
  value(await (await snapshotsAt(root)).prune(new Set()));
  return tree;
}

describe('a tree that is pinned for an owner', () => {
  test('survives a prune until the owner pins other trees', async () => {
    const repo = someRepo();
    const [first, second, otherOwnerTree] = [
      await loose(repo.root, '1'),
      await loose(repo.root, '2'),
      await loose(repo.root, '3'),
    ];
    const snapshots = await snapshotsAt(repo.root);
    value(await snapshots.hold('one', new Set([first])));
    value(await snapshots.hold('two', new Set([otherOwnerTree])));
    value(await snapshots.prune(new Set()));
    collect(repo);
    expect((await textOf(repo.root, first)).ok).toBe(true);
    expect((await textOf(repo.root, second)).ok).toBe(false);
    // A missing tree is skipped, and the other trees are still pinned.
    const third = await loose(repo.root, '4');
    value(await snapshots.hold('one', new Set([second, third])));
    collect(repo);
    expect((await textOf(repo.root, first)).ok).toBe(false);
    expect(await textOf(repo.root, third)).toEqual({ ok: true, value: '4' });
    expect(await textOf(repo.root, otherOwnerTree)).toEqual({ ok: true, value: '3' });
    for (const owner of ['one', 'two']) value(await snapshots.hold(owner, new Set()));
    expect(repo.git('for-each-ref')).not.toContain('onceover');
  });

  test('survives in another working tree as long as that exists', async () => {
    const repo = someRepo();
    const linkedRoot = join(temporaryFolder(), 'other');
    repo.git('worktree', 'add', '-q', linkedRoot, '-b', 'other');
    const there = await loose(linkedRoot, 'there');
    value(await (await snapshotsAt(linkedRoot)).hold('one', new Set([there])));
    const here = await snapshotsAt(repo.root);
    value(await here.prune(new Set()));
    value(await here.hold('one', new Set()));
    collect(repo);
    expect((await textOf(linkedRoot, there)).ok).toBe(true);
    repo.git('worktree', 'remove', '--force', linkedRoot);
    value(await here.prune(new Set()));
    expect(repo.git('for-each-ref')).not.toContain('onceover');
  });

  test('needs a full object id', async () => {
    const snapshots = await snapshotsAt(someRepo().root);
    expect(await snapshots.hold('one', new Set(['--all' as SnapshotId]))).toMatchObject({ ok: false });
  });
});

describe('in another working tree of the clone', () => {
  async function twoTrees() {
    const repo = someRepo();
    const linkedRoot = join(temporaryFolder(), 'other');
    repo.git('worktree', 'add', '-q', linkedRoot, '-b', 'other');
    return { repo, other: linkedRoot, here: await keep(repo.root, 'here'), there: await keep(linkedRoot, 'there') };
  }

  test('has its own refs', async () => {
    const { repo, other, here, there } = await twoTrees();
    const ofHere = `refs/onceover/main/${here}`;
    expect(refsOf(repo)).toEqual([ofHere, `refs/onceover/worktrees/other/${there}`]);
    expect(refsOf(repo, other)).toEqual(refsOf(repo));
    value(await (await snapshotsAt(other)).prune(new Set()));
    expect([refsOf(repo), refsOf(repo, other)]).toEqual([[ofHere], [ofHere]]);
  });

  test.each(['here', 'there'])('a collection that runs %s loses nothing and breaks nothing', async (where) => {
    const { repo, other, here, there } = await twoTrees();
    for (const root of [repo.root, other]) value(await (await snapshotsAt(root)).prune(new Set([here, there])));
    collect(repo, where === 'here' ? repo.root : other);
    expect(await textOf(repo.root, here)).toEqual({ ok: true, value: 'here' });
    expect(await textOf(other, there)).toEqual({ ok: true, value: 'there' });
    for (const root of [repo.root, other]) {
      expect(repo.git('-C', root, 'fsck', '--full')).toBe('');
      expect(repo.git('-C', root, 'log', '--all', '--format=%s')).toBe('first\n');
      repo.git('-C', root, 'fetch', '-q', repo.root);
    }
  });

  test('unpins all trees of a removed working tree', async () => {
    const { repo, other, here, there } = await twoTrees();
    repo.git('worktree', 'remove', '--force', other);
    value(await (await snapshotsAt(repo.root)).prune(new Set([here, there])));
    collect(repo);
    expect((await textOf(repo.root, here)).ok).toBe(true);
    expect((await textOf(repo.root, there)).ok).toBe(false);
    expect(repo.git('for-each-ref')).not.toContain(there);
  });
});

describe('a text in a tree', () => {
  test.each<[string, string | null, (repo: Repo) => unknown]>([
    ['plain.txt', 'text\n', (repo) => repo.write('plain.txt', 'text\n')],
    ['run.sh', 'text\n', (repo) => [repo.write('run.sh', 'text\n'), repo.mode('run.sh', 0o755)]],
    ['empty.txt', '', (repo) => repo.write('empty.txt', '')],
    ['mark.txt', '\ufeffä😀', (repo) => repo.write('mark.txt', '\ufeffä😀')],
    [':(top)x', 'odd', (repo) => repo.write(':(top)x', 'odd')],
    ['new\nline', 'odd', (repo) => repo.write('new\nline', 'odd')],
    ['*', 'star', (repo) => repo.write('*', 'star')],
    ['-dash', 'odd', (repo) => repo.write('-dash', 'odd')],
    ['ä/日本', 'odd', (repo) => repo.write('ä/日本', 'odd')],
    ['just.txt', 'x'.repeat(4 * 1024 * 1024), (repo) => repo.write('just.txt', 'x'.repeat(4 * 1024 * 1024))],
    ['long.txt', null, (repo) => repo.write('long.txt', 'x'.repeat(4 * 1024 * 1024 + 1))],
    ['never.txt', null, () => {}],
    ['sub', null, () => {}],
    ['sub/', null, () => {}],
    ['', null, () => {}],
    ['./a.txt', null, () => {}],
    ['link', null, (repo) => repo.link('link', 'a.txt')],
    ['zero.bin', null, (repo) => repo.write('zero.bin', 'a\0b')],
    ['latin.txt', null, (repo) => repo.write('latin.txt', Buffer.from([0x61, 0xe4]))],
  ])('%j', async (name, text, act) => {
    const repo = someRepo();
    act(repo);
    const tree = value(await (await takeAt(repo.root)).tree());
    expect(await (await snapshotsAt(repo.root)).textIn(tree, path(name))).toEqual({ ok: true, value: text });
  });
});

describe('the fingerprint of written files', () => {
  test.each<[string, boolean, (repo: Repo) => unknown]>([
    ['nothing', false, () => {}],
    ['read', false, (repo) => repo.git('hash-object', 'a.txt')],
    ['another file', false, (repo) => repo.write('sub/c.txt', '2')],
    ['written', true, (repo) => repo.write('a.txt', '2')],
    ['written and put back', true, (repo) => [repo.write('a.txt', '2'), repo.write('a.txt', 'a\n')]],
    ['put back with its time', true, (repo) => putBack(repo)],
    ['replaced by the same', true, (repo) => [repo.remove('a.txt'), repo.write('a.txt', 'a\n')]],
    ['removed', true, (repo) => repo.remove('a.txt')],
    ['its mode', true, (repo) => repo.mode('a.txt', 0o755)],
    ['made', true, (repo) => repo.write('none.txt', '')],
  ])('%s', async (_, differs, act) => {
    const repo = someRepo();
    const { touched } = await snapshotsAt(repo.root);
    const paths = asPaths('a.txt', 'b.txt', 'none.txt');
    const before = touched(paths);
    act(repo);
    expect(touched(paths) !== before).toBe(differs);
  });

  function putBack(repo: Repo): void {
    const file = join(repo.root, 'a.txt');
    const { atime, mtime } = statSync(file);
    repo.write('a.txt', 'b\n');
    repo.write('a.txt', 'a\n');
    utimesSync(file, atime, mtime);
  }
});

describe('listed files', () => {
  const odd = ['*', ':(top)x', '-dash', 'ä'];

  test('are the tracked files below a folder', async () => {
    const repo = someRepo(Object.fromEntries(odd.map((name) => [`${name}/in`, ''])));
    repo.write('sub/staged.txt', '');
    repo.git('add', 'sub');
    repo.write('sub/untracked.txt', '');
    const { trackedIn } = await snapshotsAt(repo.root);
    expect(value(await trackedIn(path('sub')))).toEqual(new Set(['sub/c.txt', 'sub/staged.txt']));
    expect(value(await trackedIn(path('su')))).toEqual(new Set());
    expect(value(await trackedIn(path('a.txt')))).toEqual(new Set(['a.txt']));
    for (const name of odd) expect(value(await trackedIn(path(name)))).toEqual(new Set([`${name}/in`]));
    expect(value(await trackedIn(path(''))).size).toBe(4 + odd.length);
  });

  test('are all tracked and untracked files, each once', async () => {
    const repo = someRepo();
    repo.write('a.txt', 'ours');
    repo.commit();
    repo.git('checkout', '-q', '-b', 'other', 'main');
    repo.write('a.txt', 'theirs');
    repo.commit();
    expect(() => repo.git('merge', '-q', 'work')).toThrow();
    repo.write('.git/info/exclude', '*.log');
    repo.write('x.log', '');
    repo.write('Z', '');
    repo.git('init', '-q', 'inner');
    rmSync(join(repo.root, 'b.txt'));
    const { files } = await snapshotsAt(repo.root);
    expect(await files()).toEqual({ ok: true, value: ['Z', 'a.txt', 'b.txt', 'inner', 'sub/c.txt'] });
  });
});
