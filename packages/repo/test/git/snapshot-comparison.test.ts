import { join } from 'node:path';
import type { Selection } from '@onceover/base/kernel/repository';
import { DEFAULT_BASES } from '@onceover/base/kernel/repository';
import { emptyRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { asPaths, CHANGE, compareAt, type Repo, snapshotsAt, someRepo } from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const idOf = (repo: Repo, name: string) => repo.git('rev-parse', name).trim();

/** Makes main, branch work with one more commit, and branch early one commit before the end of main. */
function grownRepo(): Repo {
  const repo = someRepo();
  repo.git('branch', 'early');
  repo.write('a.txt', 'main');
  repo.commit();
  repo.git('branch', '-f', 'main');
  repo.write('b.txt', 'work');
  repo.commit();
  return repo;
}

describe('a change', () => {
  test('is compared with its merge-base with the default base', async () => {
    const repo = grownRepo();
    expect(await compareAt(repo.root)).toEqual({
      scope: { key: 'full', kind: 'full' },
      where: { branch: 'refs/heads/work', mergeBase: idOf(repo, 'main') },
      headCommit: idOf(repo, 'work'),
      baseName: 'main',
      baseTree: idOf(repo, 'main'),
      headTree: null,
      files: null,
    });
  });

  test('is compared with the configured base rather than the default one', async () => {
    const repo = grownRepo();
    const comparison = await (await snapshotsAt(repo.root)).compare(CHANGE, 'early');
    expect(comparison).toMatchObject({ value: { scope: { key: 'full' }, baseName: 'early' } });
  });

  test.each<[string, string, string]>([
    ['the usual base by name', 'main', 'full'],
    ['another commit with the same merge-base', 'twin', 'full'],
    ['another base', 'early', 'base early'],
  ])('%s', async (_, base, key) => {
    const repo = grownRepo();
    repo.git('branch', 'twin', 'main');
    repo.git('checkout', '-q', 'twin');
    repo.write('c.txt', 'twin');
    repo.commit();
    repo.git('checkout', '-q', 'work');
    const { scope, baseName } = await compareAt(repo.root, { kind: 'change', base });
    expect({ key: scope.key, baseName }).toEqual({ key, baseName: base });
    expect(scope.kind).toBe(key === 'full' ? 'full' : 'narrow');
  });

  test('has a narrow scope if its base shares only one of two merge-bases with the default base', async () => {
    const repo = grownRepo();
    repo.git('checkout', '-q', '-b', 'side', 'early');
    repo.write('c.txt', 'side');
    repo.commit();
    repo.git('checkout', '-q', '-b', 'crossed', 'main');
    repo.git('merge', '-q', '--no-edit', 'side');
    repo.git('checkout', '-q', 'work');
    repo.git('merge', '-q', '--no-edit', 'side');
    const bases = repo.git('merge-base', '--all', 'HEAD', 'crossed').trim().split('\n');
    expect(bases.sort()).toEqual([idOf(repo, 'main'), idOf(repo, 'side')].sort());
    for (const [base, usual] of [
      ['crossed', 'main'],
      ['main', 'crossed'],
      ['crossed', 'side'],
    ] as const) {
      const comparison = await (await snapshotsAt(repo.root)).compare({ kind: 'change', base }, usual);
      expect(comparison).toMatchObject({ value: { scope: { key: `base ${base}`, kind: 'narrow' } } });
    }
  });

  test('has no branch on a detached HEAD', async () => {
    const repo = grownRepo();
    repo.git('checkout', '-q', '--detach');
    expect(await compareAt(repo.root)).toMatchObject({ where: { branch: null, mergeBase: idOf(repo, 'main') } });
  });

  test('is compared with the empty tree if there is no commit', async () => {
    const repo = emptyRepo();
    const emptyComparison = {
      where: { branch: 'refs/heads/main', mergeBase: null },
      baseName: null,
      baseTree: EMPTY_TREE,
      headTree: null,
    };
    expect(await compareAt(repo.root)).toMatchObject({ ...emptyComparison, scope: { key: 'full', kind: 'full' } });
    const scope = { key: 'uncommitted', kind: 'narrow' };
    expect(await compareAt(repo.root, { kind: 'uncommitted' })).toMatchObject({ ...emptyComparison, scope });
  });
});

describe('files', () => {
  const keyOf = async (repo: Repo, names: string[], base: string | null = null) =>
    (await compareAt(repo.root, { kind: 'files', files: asPaths(...names), base })).scope.key;

  test('are sorted in the scope', async () => {
    const repo = grownRepo();
    expect(await keyOf(repo, ['b', 'a'])).toBe('files a b');
    expect(await keyOf(repo, ['a b'])).toBe('files "a b"');
    expect(await keyOf(repo, ['a\nb'])).toBe('files "a\\nb"');
    expect(await keyOf(repo, ['a', 'b', 'a'])).toBe('files a b');
    expect(await keyOf(repo, ['a'], 'early')).toBe('files a base early');
    const files = asPaths('b', 'a');
    const comparison = await compareAt(repo.root, { kind: 'files', files, base: null });
    expect(comparison).toMatchObject({ files, scope: { kind: 'narrow' }, baseName: 'main' });
  });

  test('get a short scope key if there are many', async () => {
    const repo = grownRepo();
    const many = Array.from({ length: 100 }, (_, n) => `file${n}`);
    const key = await keyOf(repo, many);
    expect(key).toMatch(/^files [0-9a-f]{64}$/);
    expect(await keyOf(repo, [...many].reverse())).toBe(key);
    expect(await keyOf(repo, [...many, 'more'])).not.toBe(key);
  });
});

test('compares uncommitted changes with HEAD', async () => {
  const repo = grownRepo();
  expect(await compareAt(repo.root, { kind: 'uncommitted' })).toEqual({
    scope: { key: 'uncommitted', kind: 'narrow' },
    where: { branch: 'refs/heads/work', mergeBase: idOf(repo, 'HEAD') },
    headCommit: idOf(repo, 'HEAD'),
    baseName: 'HEAD',
    baseTree: idOf(repo, 'HEAD'),
    headTree: null,
    files: null,
  });
});

describe('a commit', () => {
  test('is compared with its first parent', async () => {
    const repo = grownRepo();
    const id = idOf(repo, 'HEAD');
    expect(await compareAt(repo.root, { kind: 'commit', commit: 'work' })).toEqual({
      scope: { key: `commit ${id}`, kind: 'narrow' },
      where: { branch: 'refs/heads/work', mergeBase: idOf(repo, 'main') },
      headCommit: null,
      baseName: 'work^',
      baseTree: idOf(repo, 'main^{tree}'),
      headTree: idOf(repo, 'HEAD^{tree}'),
      files: null,
    });
    repo.git('checkout', '-q', '-b', 'side', 'early');
    repo.write('c.txt', '1');
    repo.commit();
    repo.git('merge', '-q', '-m', 'merged', 'work');
    const merge = await compareAt(repo.root, { kind: 'commit', commit: 'HEAD' });
    expect(merge.baseTree).toBe(idOf(repo, 'HEAD^1^{tree}'));
  });

  test('is compared with the empty tree if it is the first', async () => {
    const repo = grownRepo();
    const first = await compareAt(repo.root, { kind: 'commit', commit: idOf(repo, 'early') });
    expect(first).toMatchObject({ baseName: null, baseTree: EMPTY_TREE, headTree: idOf(repo, 'early^{tree}') });
  });

  test('does not count as the first if its parent was not fetched', async () => {
    const repo = grownRepo();
    const root = join(temporaryFolder(), 'clone');
    repo.git('clone', '-q', '--depth=1', `file://${repo.root}`, root);
    const comparison = await (await snapshotsAt(root)).compare({ kind: 'commit', commit: 'HEAD' }, null);
    expect(comparison).toEqual({ ok: false, failure: { kind: 'no-merge-base', base: 'HEAD', shallow: true } });
  });
});

describe('in a shallow clone, if the history ends', () => {
  const empty = (repo: Repo, count: number) => {
    for (let i = 0; i < count; i++) repo.git('commit', '-q', '--allow-empty', '-m', `${i}`);
  };
  /** Makes main with a fix, branch work after the fix, and a shorter path from work to the commit before the fix. */
  function roundabout(commitsOfWork: number): Repo {
    const repo = someRepo();
    empty(repo, 3);
    repo.git('branch', 'before');
    repo.write('a.txt', 'fix');
    repo.commit();
    repo.git('branch', '-f', 'main');
    empty(repo, commitsOfWork);
    repo.git(
      'merge',
      '-q',
      '-s',
      'ours',
      '-m',
      'merge',
      repo.git('commit-tree', 'before^{tree}', '-p', 'before', '-m', 'x').trim(),
    );
    repo.git('checkout', '-q', 'main');
    repo.git('tag', 'shared');
    repo.git('commit', '-q', '--allow-empty', '-m', 'the base goes on');
    repo.git('checkout', '-q', 'work');
    return repo;
  }
  const compareIn = async (repo: Repo, depth: number) => {
    const root = join(temporaryFolder(), 'clone');
    repo.git('clone', '-q', `--depth=${depth}`, '--no-single-branch', `file://${repo.root}`, root);
    return (await snapshotsAt(root)).compare({ kind: 'change', base: 'origin/main' }, null);
  };

  test('below the merge-base, the change is the same as in a full clone', async () => {
    const repo = roundabout(1);
    expect(await compareIn(repo, 4)).toMatchObject({ ok: true, value: { baseTree: idOf(repo, 'shared') } });
  });

  test('above the merge-base, the comparison fails instead of using an older commit', async () => {
    const failure = { kind: 'no-merge-base', base: 'origin/main', shallow: true };
    expect(await compareIn(roundabout(5), 4)).toEqual({ ok: false, failure });
  });

  test('beside a base that the branch contains, the change is compared with that base', async () => {
    const repo = someRepo();
    empty(repo, 3);
    repo.git('checkout', '-q', 'main');
    repo.git('commit', '-q', '--allow-empty', '-m', 'the base goes on');
    repo.git('checkout', '-q', '-b', 'merged');
    repo.git('merge', '-q', '--no-ff', '-m', 'merge', 'work');
    expect(await compareIn(repo, 2)).toMatchObject({ ok: true, value: { baseTree: idOf(repo, 'main') } });
  });
});

describe('a failed comparison', () => {
  const change = (base: string): Selection => ({ kind: 'change', base });
  const commit = (name: string): Selection => ({ kind: 'commit', commit: name });

  test.each<[string, Selection, object, (repo: Repo) => unknown]>([
    ['an unknown base', change('never'), { kind: 'unknown-base', base: 'never' }, () => {}],
    ['an option as a base', change('--all'), { kind: 'unknown-base', base: '--all' }, () => {}],
    ['no base at all', CHANGE, { kind: 'no-base', tried: DEFAULT_BASES }, (repo) => repo.git('branch', '-D', 'main')],
    [
      'a base that shares nothing',
      change('alien'),
      { kind: 'no-merge-base', base: 'alien', shallow: false },
      (repo) => repo.git('branch', 'alien', repo.git('commit-tree', 'HEAD^{tree}', '-m', 'alien').trim()),
    ],
    ['an unknown commit', commit('never'), { kind: 'unknown-commit', commit: 'never' }, () => {}],
    ['an option as a commit', commit('--all'), { kind: 'unknown-commit', commit: '--all' }, () => {}],
    ['nothing as a commit', commit(''), { kind: 'unknown-commit', commit: '' }, () => {}],
    ['a range as a commit', commit('early..main'), { kind: 'unknown-commit', commit: 'early..main' }, () => {}],
    ['a file as a commit', commit('main:a.txt'), { kind: 'unknown-commit', commit: 'main:a.txt' }, () => {}],
  ])('%s', async (_, selection, failure, act) => {
    const repo = grownRepo();
    act(repo);
    expect(await (await snapshotsAt(repo.root)).compare(selection, null)).toEqual({ ok: false, failure });
  });
});
