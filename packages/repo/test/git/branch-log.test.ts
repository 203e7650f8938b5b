import type { CommitId } from '@onceover/base/kernel/ids';
import type { HistoryPoint } from '@onceover/base/kernel/repository';
import { compareAt, type Repo, snapshotsAt, someRepo, value } from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

async function pointAt({ root }: Repo): Promise<HistoryPoint> {
  const { where, headCommit } = await compareAt(root);
  return {
    mergeBase: where.mergeBase,
    head: headCommit,
    mark: await (await snapshotsAt(root)).branchMark(where.branch),
  };
}

async function grewSince({ root }: Repo, since: HistoryPoint): Promise<boolean> {
  return value(await (await snapshotsAt(root)).onlyGrew(since, await compareAt(root)));
}

function work(repo: Repo, text: string): void {
  repo.write('b.txt', text);
  repo.commit();
}

/** Deletes the branch and makes it again, a second later: reflogs have times in seconds. */
function again(repo: Repo): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100);
  repo.git('checkout', '-q', 'main');
  repo.git('branch', '-q', '-D', 'work');
  repo.git('checkout', '-q', '-b', 'work');
}

type Case = [string, since: (repo: Repo) => void, then: (repo: Repo) => void, grew: boolean];

describe('whether the history of a branch only grew', () => {
  test.each<Case>([
    ['nothing happened', () => {}, () => {}, true],
    ['uncommitted work was committed', () => {}, (repo) => work(repo, 'x'), true],
    ['uncommitted work was committed and amended', () => {}, (repo) => amend(repo), false],
    ['uncommitted work was committed, and the branch was reset', () => {}, (repo) => reset(repo), false],
    ['the branch was made again before its first commit', () => {}, again, false],
    ['a commit was added', (repo) => work(repo, 'x'), (repo) => work(repo, 'y'), true],
    [
      'a commit was amended',
      (repo) => work(repo, 'x'),
      (repo) => void repo.git('commit', '-q', '--amend', '-m', 'z'),
      false,
    ],
    [
      'the branch was reset',
      (repo) => work(repo, 'x'),
      (repo) => void repo.git('reset', '-q', '--hard', 'main'),
      false,
    ],
    ['the branch was made again', (repo) => work(repo, 'x'), again, false],
    [
      'the branch was merged',
      (repo) => work(repo, 'x'),
      (repo) => void repo.git('branch', '-f', 'main', 'work'),
      false,
    ],
    ['the base was merged into it', (repo) => work(repo, 'x'), mergeBase, false],
    [
      'another commit was checked out without a branch',
      (repo) => workDetached(repo, 'x'),
      (repo) => workDetached(repo, 'y'),
      false,
    ],
    ['a commit was added without a branch', (repo) => workDetached(repo, 'x'), (repo) => work(repo, 'y'), true],
    [
      'uncommitted work without a branch',
      (repo) => void repo.git('checkout', '-q', '--detach', 'main'),
      () => {},
      false,
    ],
  ])('%s', async (_title, since, then, hasOnlyGrown) => {
    const repo = someRepo();
    since(repo);
    const point = await pointAt(repo);
    then(repo);
    expect(await grewSince(repo, point)).toBe(hasOnlyGrown);
  });

  test('git cleaned up', async () => {
    const repo = someRepo();
    const point = await pointAt(repo);
    repo.git('gc', '-q', '--prune=now');
    expect(await grewSince(repo, point)).toBe(true);
  });

  test('a branch without a reflog, and without a commit of its own', async () => {
    const repo = someRepo();
    expect(await grewSince(repo, { ...(await pointAt(repo)), mark: null })).toBe(false);
  });

  test('a commit that no longer exists', async () => {
    const repo = someRepo();
    expect(await grewSince(repo, { ...(await pointAt(repo)), head: '1'.repeat(40) as CommitId })).toBe(false);
  });
});

function amend(repo: Repo): void {
  work(repo, 'x');
  repo.git('commit', '-q', '--amend', '-m', 'other words');
}

function reset(repo: Repo): void {
  work(repo, 'x');
  repo.git('reset', '-q', '--hard', 'main');
}

function mergeBase(repo: Repo): void {
  repo.git('checkout', '-q', 'main');
  repo.write('a.txt', 'theirs');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('merge', '-q', '-m', 'merge', 'main');
}

/** Commits on top of main, without a branch. */
function workDetached(repo: Repo, text: string): void {
  repo.git('checkout', '-q', '--detach', 'main');
  work(repo, text);
}

test('lists the files that differ between two trees', async () => {
  const repo = someRepo();
  repo.remove('a.txt');
  work(repo, 'x');
  const [from = '', to = '', blob = ''] = ['main', 'work', 'work:b.txt'].map((name) =>
    repo.git('rev-parse', name).trim(),
  );
  const changedFiles = value(await (await snapshotsAt(repo.root)).changedFiles(from, to));
  expect([...changedFiles]).toEqual([
    ['a.txt', null],
    ['b.txt', blob],
  ]);
});
