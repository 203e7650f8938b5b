import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LARGEST_UNTRACKED_BYTES } from '@onceover/base/kernel/repository';
import {
  asPaths,
  brief,
  CHANGE,
  compareAt,
  type Repo,
  snapshotsAt,
  someRepo,
  takeAt,
  value,
} from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

/** Whether the repository has stored this content. */
function isStored(repo: Repo, content: string | Buffer): boolean {
  const bytes = Buffer.from(content);
  const id = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  return repo.git('cat-file', '--batch-all-objects', '--batch-check').includes(id);
}

describe('withheld files', () => {
  const secret = { path: '.env', why: 'secret' };

  test('are untracked files that look like secrets or are too large; git does not store them', async () => {
    const repo = someRepo();
    const large = Buffer.alloc(LARGEST_UNTRACKED_BYTES + 1, 'x');
    repo.write('.env', 'TOKEN=1');
    repo.write('deep/id_rsa', 'key');
    repo.write('large.bin', large);
    repo.write('just.bin', large.subarray(1));
    repo.write('.env.example', 'TOKEN=');
    const snapshot = await takeAt(repo.root);
    expect(brief(snapshot.entries)).toEqual(['A .env.example', 'A just.bin']);
    const withheld = [secret, { path: 'deep/id_rsa', why: 'secret' }, { path: 'large.bin', why: 'too-large' }];
    expect(snapshot.withheld).toEqual(withheld);
    const tree = value(await snapshot.tree());
    expect(repo.git('ls-tree', '-r', '--name-only', tree).split('\n')).not.toContain('.env');
    expect(['TOKEN=1', 'key', large].map((content) => isStored(repo, content))).toEqual([false, false, false]);
    expect(isStored(repo, 'TOKEN=')).toBe(true);
  });

  test.each<[string, boolean, (repo: Repo) => unknown]>([
    ['untracked', true, () => {}],
    ['ignored', false, (repo) => repo.write('.git/info/exclude', '.env')],
    ['committed', false, (repo) => repo.commit()],
    ['staged', false, (repo) => repo.git('add', '.env')],
    ['to be added', false, (repo) => repo.git('add', '-N', '.env')],
    [
      'no longer tracked',
      true,
      (repo) => [repo.commit(), repo.git('rm', '-q', '--cached', '.env'), repo.git('commit', '-qm', 'gone')],
    ],
  ])('a secret that is %s: %s', async (_, isWithheld, act) => {
    const repo = someRepo();
    repo.write('.env', 'TOKEN=1');
    act(repo);
    repo.write('.env', 'TOKEN=2');
    const { withheld, entries } = await takeAt(repo.root);
    expect(withheld).toEqual(isWithheld ? [secret] : []);
    expect(isStored(repo, 'TOKEN=2')).toBe(entries.length > 0);
  });

  test('a secret from main that is now untracked is both deleted and withheld', async () => {
    const repo = someRepo({ '.env': 'TOKEN=1' });
    repo.git('rm', '-q', '--cached', '.env');
    repo.git('commit', '-q', '-m', 'gone');
    repo.write('.env', 'TOKEN=2');
    const snapshot = await takeAt(repo.root);
    expect(brief(snapshot.entries)).toEqual(['D .env']);
    expect(snapshot.withheld).toEqual([secret]);
  });

  test('a nested repository without a commit is reported', async () => {
    const repo = someRepo();
    repo.git('init', '-q', 'sub/inner');
    repo.write('sub/inner/x', '1');
    const inner = { path: 'sub/inner', why: 'repository' };
    expect(await takeAt(repo.root)).toMatchObject({ entries: [], withheld: [inner] });
    repo.git('-C', 'sub/inner', 'commit', '-q', '--allow-empty', '-m', 'one');
    const snapshot = await takeAt(repo.root);
    expect([brief(snapshot.entries), snapshot.withheld]).toEqual([['A 160000 sub/inner'], []]);
  });

  test('a nested repository without a commit that replaced a file is reported, and the file is deleted', async () => {
    const repo = someRepo();
    repo.remove('a.txt');
    repo.git('init', '-q', 'a.txt');
    const snapshot = await takeAt(repo.root);
    expect(brief(snapshot.entries)).toEqual(['D a.txt']);
    expect(snapshot.withheld).toEqual([{ path: 'a.txt', why: 'repository' }]);
  });

  test('a file in a generated folder is not reported', async () => {
    const repo = someRepo();
    repo.write('.deepwork/tmp/.env', '1');
    const snapshot = await takeAt(repo.root, CHANGE, { folders: asPaths('.deepwork/tmp') });
    expect(snapshot).toMatchObject({ entries: [], withheld: [] });
  });
});

/** Whether a user other than root can reach the test folder. */
function nobodyGetsThere(): boolean {
  if (process.geteuid?.() !== 0) return true;
  const folder = tmpdir();
  process.seteuid?.(65534);
  try {
    statSync(folder);
    return true;
  } catch {
    return false;
  } finally {
    process.seteuid?.(0);
  }
}

describe.skipIf(!nobodyGetsThere())('what cannot be read is an error', () => {
  test.each<[string, string, (repo: Repo) => void]>([
    ['a tracked file', 'a.txt', (repo) => repo.mode('a.txt', 0)],
    ['an untracked file', 'new.txt', (repo) => repo.mode('new.txt', 0)],
    ['a folder of tracked files', 'sub', (repo) => repo.mode('sub', 0)],
    [
      'an ignored folder of tracked files',
      'sub',
      (repo) => [repo.write('.git/info/exclude', 'sub/'), repo.mode('sub', 0)],
    ],
    ['a folder of untracked files', 'fresh', (repo) => repo.mode('fresh', 0)],
  ])('%s', async (_, name, act) => {
    const repo = someRepo();
    for (const path of ['a.txt', 'sub/c.txt', 'new.txt', 'fresh/x']) repo.write(path, '2');
    act(repo);
    const comparison = await compareAt(repo.root);
    const result = await asNobody(repo, async () => (await snapshotsAt(repo.root)).take(comparison, { folders: [] }));
    expect(result).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
    expect(result.ok ? '' : JSON.stringify(result.failure)).toContain(name);
  });

  test('readable files cause no failure', async () => {
    const repo = someRepo();
    repo.write('sub/c.txt', '2');
    const comparison = await compareAt(repo.root);
    const result = await asNobody(repo, async () => (await snapshotsAt(repo.root)).take(comparison, { folders: [] }));
    expect(brief(value(result).entries)).toEqual(['M sub/c.txt']);
  });

  test('a FIFO instead of a tracked file', async () => {
    const repo = someRepo();
    repo.remove('a.txt');
    execFileSync('mkfifo', [join(repo.root, 'a.txt')]);
    const snapshots = await snapshotsAt(repo.root);
    const result = await snapshots.take(await compareAt(repo.root), { folders: [] });
    expect(result).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
  });

  test('fails even if git’s settings say to ignore errors', async () => {
    const repo = someRepo();
    repo.git('config', 'add.ignoreErrors', 'true');
    repo.mode('a.txt', 0);
    repo.touch('a.txt');
    const comparison = await compareAt(repo.root);
    const result = await asNobody(repo, async () => (await snapshotsAt(repo.root)).take(comparison, { folders: [] }));
    expect(result).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
  });

  /** Root can read every file, so the repository gets another owner. */
  async function asNobody<T>(repo: Repo, act: () => Promise<T>): Promise<T> {
    const isRoot = process.geteuid?.() === 0;
    if (!isRoot) return act();
    writeFileSync(join(repo.root, '.git/onceover-test'), '');
    execFileSync('chown', ['-R', '65534', dirname(repo.root)]);
    process.seteuid?.(65534);
    try {
      return await act();
    } finally {
      process.seteuid?.(0);
    }
  }
});

test('a large file in a nested repository is compared by its content', async () => {
  const repo = someRepo();
  const text = 'a'.repeat(5 * 1024 * 1024);
  repo.write('lib/small', 'x');
  repo.git('init', '-q', 'lib');
  repo.git('-C', 'lib', 'add', 'small');
  repo.git('-C', 'lib', 'commit', '-q', '-m', 'one');
  repo.write('lib/large', `${text}good`);
  const { dirty } = await takeAt(repo.root);
  expect(dirty).toMatchObject([{ path: 'lib' }]);
  repo.touch('lib/large');
  expect((await takeAt(repo.root)).dirty).toEqual(dirty);
  repo.write('lib/large', `${text}evil`);
  repo.touch('lib/large');
  expect((await takeAt(repo.root)).dirty).not.toEqual(dirty);
});
