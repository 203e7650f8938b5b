import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import {
  brief,
  CHANGE,
  NOTHING,
  type Repo,
  snapshotsAt,
  someRepo,
  takeAt,
  value,
} from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

const ownFolder = (repo: Repo) => join(repo.root, '.git/onceover');

function keptIndex(repo: Repo): string {
  const folder = join(ownFolder(repo), 'indexes');
  const [name, ...otherNames] = readdirSync(folder);
  expect(otherNames).toEqual([]);
  return join(folder, name ?? '');
}

test('the private index is kept, and no other file is left', async () => {
  const repo = someRepo();
  repo.write('new.txt', '1');
  value(await (await takeAt(repo.root)).tree());
  expect(readdirSync(ownFolder(repo))).toEqual(['answers', 'indexes']);
  expect(statSync(keptIndex(repo)).isFile()).toBe(true);
});

test('the private index keeps file times, so that git does not read unchanged files again', async () => {
  const repo = someRepo();
  repo.write('a.txt', '2');
  // The files must be older than the snapshot.
  await setTimeout(2000);
  await takeAt(repo.root);
  const dirty = repo.git('-c', 'alias.ours=!GIT_INDEX_FILE=$1 git diff-files --name-only #', 'ours', keptIndex(repo));
  expect(dirty).toBe('');
});

test('sees a change of the same size in the same second', async () => {
  const repo = someRepo();
  const inOneSecond = async () => {
    // Wait a little into the second, because the clock of the file system lags behind.
    await setTimeout(1030 - (Date.now() % 1000));
    const second = Math.floor(Date.now() / 1000);
    repo.write('b.txt', 'b\n');
    await takeAt(repo.root);
    repo.write('b.txt', '2\n');
    return Math.floor(Date.now() / 1000) === second;
  };
  for (let n = 0; n < 5 && !(await inOneSecond()); n++);
  await setTimeout(1000);
  expect(brief((await takeAt(repo.root)).entries)).toEqual(['M b.txt']);
});

test('sees a change in the same second with the old time and length', async () => {
  const repo = someRepo();
  const write = (text: string) => {
    repo.write('b.txt', text);
    utimesSync(join(repo.root, 'b.txt'), 1_000_000_000, 1_000_000_000);
  };
  const inOneSecond = async () => {
    await setTimeout(1030 - (Date.now() % 1000));
    const second = Math.floor(Date.now() / 1000);
    write('b\n');
    await takeAt(repo.root);
    write('2\n');
    return Math.floor(Date.now() / 1000) === second;
  };
  for (let n = 0; n < 5 && !(await inOneSecond()); n++);
  expect(brief((await takeAt(repo.root)).entries)).toEqual(['M b.txt']);
});

test('a failure leaves no files', async () => {
  const repo = someRepo();
  const snapshots = await snapshotsAt(repo.root);
  const comparison = value(await snapshots.compare(CHANGE, null));
  const brokenComparison = { ...comparison, baseTree: '1'.repeat(40) };
  expect(await snapshots.take(brokenComparison, NOTHING)).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
  expect(readdirSync(ownFolder(repo))).toEqual(['indexes']);
  expect(readdirSync(join(ownFolder(repo), 'indexes'))).toEqual([]);
});

describe('a kept index that git cannot use', () => {
  const withSum = (bytes: Buffer) => Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]);

  test.each<[string, (path: string, bytes: Buffer) => void]>([
    ['is empty', (path) => writeFileSync(path, '')],
    ['is something else', (path) => writeFileSync(path, 'nonsense')],
    ['is something else with a right sum', (path) => writeFileSync(path, withSum(Buffer.from('DIRC nonsense')))],
    ['was cut', (path, bytes) => writeFileSync(path, bytes.subarray(0, bytes.length / 2))],
    ['was cut, and has a right sum', (path, bytes) => writeFileSync(path, withSum(bytes.subarray(0, 200)))],
    ['hides what is in it', (path, bytes) => writeFileSync(path, hideAll(bytes))],
    ['is locked', (path) => writeFileSync(`${path}.lock`, '')],
    ['is a symlink', (path) => [rmSync(path), symlinkSync('/dev/zero', path)]],
    ['is gone', (path) => rmSync(path)],
  ])('%s', async (_, act) => {
    const repo = someRepo();
    await takeAt(repo.root);
    const indexPath = keptIndex(repo);
    act(indexPath, readFileSync(indexPath));
    repo.write('a.txt', '2');
    repo.write('new.txt', '2');
    for (let n = 0; n < 2; n++) expect(brief((await takeAt(repo.root)).entries)).toEqual(['M a.txt', 'A new.txt']);
    expect(statSync(keptIndex(repo)).isFile()).toBe(true);
  });

  /** Marks every entry as assume-unchanged, which is one bit in the flags before its name. */
  function hideAll(bytes: Buffer): Buffer {
    const copy = Buffer.from(bytes);
    for (const name of ['a.txt', 'b.txt', 'sub/c.txt']) {
      const at = copy.indexOf(name) - 2;
      copy.writeUInt16BE(copy.readUInt16BE(at) | 0x8000, at);
    }
    return copy;
  }
});

describe('an index with the paths of the last commit is reused and gives the same result', () => {
  test.each<[string, ...((repo: Repo) => void)[]]>([
    ['nothing', () => {}],
    ['a change, and back', (repo) => repo.write('a.txt', '2'), (repo) => repo.git('checkout', 'a.txt')],
    ['a deletion, and back', (repo) => rmSync(join(repo.root, 'a.txt')), (repo) => repo.git('checkout', 'a.txt')],
    [
      'an ignored file of the commit goes and comes',
      (repo) => {
        repo.write('.gitignore', 'b.txt\n');
        repo.git('add', '-A');
        repo.commit();
      },
      (repo) => rmSync(join(repo.root, 'b.txt')),
      (repo) => repo.git('checkout', 'b.txt'),
    ],
    [
      'a new file that is then ignored',
      (repo) => repo.write('new.txt', '1'),
      (repo) => repo.write('.gitignore', 'new.txt\n'),
    ],
    ['a commit', (repo) => repo.write('new.txt', '1'), (repo) => repo.commit(), (repo) => repo.git('reset', 'HEAD~')],
    ['another branch', (repo) => repo.git('checkout', '-b', 'side'), (repo) => repo.write('a.txt', '3')],
    [
      'a file becomes a folder',
      (repo) => {
        rmSync(join(repo.root, 'a.txt'));
        repo.write('a.txt/inner', '1');
      },
    ],
    [
      'taken as unchanged',
      (repo) => repo.git('update-index', '--assume-unchanged', 'a.txt'),
      (repo) => repo.write('a.txt', '4'),
    ],
  ])('%s', async (_, ...acts) => {
    const repo = someRepo();
    await takeAt(repo.root);
    expect(keptIndex(repo)).toContain(repo.git('rev-parse', 'HEAD').trim());
    for (const act of acts) {
      act(repo);
      const firstLook = await lookedAt(repo);
      const again = await lookedAt(repo);
      rmSync(keptIndex(repo));
      const anew = await lookedAt(repo);
      expect([firstLook, again]).toEqual([anew, anew]);
    }
  });

  test('a submodule that is no longer checked out has the commit’s value', async () => {
    const repo = someRepo();
    const inner = join(repo.root, 'inner');
    repo.git('init', '-q', 'inner');
    const commitInner = () => repo.git('-C', 'inner', 'commit', '-q', '--allow-empty', '-m', 'inner');
    repo.git('-C', 'inner', 'config', 'user.name', 'test');
    repo.git('-C', 'inner', 'config', 'user.email', 'test@example.invalid');
    commitInner();
    repo.git('add', '-A');
    repo.commit();
    repo.git('branch', '-f', 'main');
    commitInner();
    repo.git('add', '-A');
    repo.commit();
    repo.git('-C', 'inner', 'reset', '-q', '--hard', 'HEAD~');
    expect((await lookedAt(repo)).entries).toEqual([]);
    rmSync(inner, { recursive: true });
    mkdirSync(inner);
    expect((await lookedAt(repo)).entries).toEqual(['M 160000 inner']);
  });

  async function lookedAt(repo: Repo) {
    const snapshot = await takeAt(repo.root);
    return { entries: brief(snapshot.entries), tree: value(await snapshot.tree()) };
  }
});

test('removes old leftovers of a killed process', async () => {
  const repo = someRepo();
  await takeAt(repo.root);
  for (const name of ['index-old', 'index-young']) {
    mkdirSync(join(ownFolder(repo), name));
    for (const file of ['index', 'index.lock']) writeFileSync(join(ownFolder(repo), name, file), '');
  }
  utimesSync(join(ownFolder(repo), 'index-old'), 1_000_000, 1_000_000);
  await takeAt(repo.root);
  expect(readdirSync(ownFolder(repo)).sort()).toEqual(['answers', 'index-young', 'indexes']);
});

test('four snapshots at the same time', async () => {
  const repo = someRepo();
  repo.write('a.txt', '2');
  repo.write('new.txt', '2');
  for (let n = 0; n < 3; n++) {
    const snapshots = await Promise.all([1, 2, 3, 4].map(() => takeAt(repo.root)));
    const trees = await Promise.all(snapshots.map(async (snapshot) => value(await snapshot.tree())));
    for (const { entries } of snapshots) expect(brief(entries)).toEqual(['M a.txt', 'A new.txt']);
    expect(new Set(trees).size).toBe(1);
    expect(readdirSync(ownFolder(repo))).toEqual(['answers', 'indexes']);
    repo.touch('b.txt');
  }
});

test('each working tree has its own index, and the oldest are removed', async () => {
  const repo = someRepo();
  const linkedRoot = join(temporaryFolder(), 'other');
  repo.git('worktree', 'add', '-q', linkedRoot, '-b', 'other');
  writeFileSync(join(linkedRoot, 'a.txt'), 'other');
  repo.write('b.txt', 'here');
  for (let n = 0; n < 2; n++) {
    expect(brief((await takeAt(linkedRoot)).entries)).toEqual(['M a.txt']);
    expect(brief((await takeAt(repo.root)).entries)).toEqual(['M b.txt']);
  }
  const folder = join(ownFolder(repo), 'indexes');
  expect(readdirSync(folder)).toHaveLength(2);
  for (let n = 0; n < 70; n++) writeFileSync(join(folder, `old${n}`), '');
  for (let n = 0; n < 70; n++) utimesSync(join(folder, `old${n}`), n, n);
  writeFileSync(join(linkedRoot, 'a.txt'), 'another');
  await takeAt(linkedRoot);
  expect(readdirSync(folder)).toHaveLength(64);
  expect(existsSync(join(folder, 'old0'))).toBe(false);
});
