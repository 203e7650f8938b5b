import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Repository } from '@onceover/base/kernel/repository';
import { type History, memoryRepository, type Tree } from '@onceover/testing/memory/repository.ts';
import { emptyRepo } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { findRepository } from '../../src/git/locate.ts';
import { openRepository } from '../../src/git/repository.ts';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

repositoryContract('in memory', async (history) => memoryRepository(history));
repositoryContract('of git', async ({ base, head, now, ignored = [] }) => {
  const repo = emptyRepo();
  let there: Tree = {};
  const become = (tree: Tree) => {
    for (const path of Object.keys(there)) if (!(path in tree)) rmSync(join(repo.root, path));
    for (const [path, content] of Object.entries(tree)) repo.write(path, content);
    there = tree;
  };
  if (base !== null) {
    become(base);
    repo.commit();
    repo.git('checkout', '-q', '-b', 'work');
  }
  become(head);
  if (base === null) repo.git('add', '-A');
  else repo.commit();
  become(now);
  repo.write('.git/info/exclude', ignored.map((path) => `/${path}\n`).join(''));
  const place = await findRepository(repo.root);
  if (!place.ok) throw new Error(JSON.stringify(place.failure));
  return openRepository(place.value);
});

/** The contract of Repository. */
function repositoryContract(name: string, open: (history: History) => Promise<Repository>): void {
  const listing = { nested: [], unwatched: [], unnameable: [] };

  describe(`repository ${name}`, () => {
    test.each<[string, Tree, Tree, Tree, string[], string[]]>([
      ['unchanged', { a: '1' }, { a: '1' }, { a: '1' }, [], []],
      ['committed', { a: '1', b: '1' }, { a: '2', b: '1' }, { a: '2', b: '1' }, ['a'], []],
      ['uncommitted', { a: '1' }, { a: '1' }, { a: '2' }, ['a'], []],
      ['committed and reverted', { a: '1' }, { a: '2' }, { a: '1' }, [], []],
      ['added', { a: '1' }, { a: '1', b: '1' }, { a: '1', b: '1' }, ['b'], []],
      ['untracked', { a: '1' }, { a: '1' }, { a: '1', 'c/d': '1' }, ['c/d'], []],
      ['added and removed', { a: '1' }, { a: '1', b: '1' }, { a: '1' }, [], []],
      ['deleted in a commit', { a: '1', b: '1' }, { b: '1' }, { b: '1' }, [], ['a']],
      ['deleted, uncommitted', { a: '1', b: '1' }, { a: '1', b: '1' }, { b: '1' }, [], ['a']],
      ['deleted and recreated', { a: '1', b: '1' }, { b: '1' }, { a: '1', b: '1' }, ['a'], []],
      ['moved', { a: '1' }, { b: '1' }, { b: '1' }, ['b'], ['a']],
    ])('%s', async (_, base, head, now, changedPaths, deletedPaths) => {
      const repository = await open({ base, head, now });
      const changes = await repository.changes(null);
      expect(changes).toMatchObject({
        ok: true,
        value: { base: { name: 'main' }, changed: changedPaths, deleted: deletedPaths, submodules: [] },
      });
      expect(await repository.changes('main')).toEqual(changes);
    });

    test('sorts paths by code point', async () => {
      const sortedPaths = ['Z', 'a-b', 'a/b', '\uff5e', '\u{1f600}'];
      const tree = Object.fromEntries(sortedPaths.toReversed().map((path) => [path, '']));
      const withNewFiles = await open({ base: {}, head: { 'a-b': '', Z: '' }, now: tree });
      expect(await withNewFiles.changes(null)).toMatchObject({ value: { changed: sortedPaths } });
      const withoutFiles = await open({ base: tree, head: tree, now: {} });
      expect(await withoutFiles.changes(null)).toMatchObject({ value: { deleted: sortedPaths } });
    });

    test('reports every file as a change if there is no commit', async () => {
      const repository = await open({ base: null, head: { a: '1', gone: '1' }, now: { a: '1', b: '1' } });
      expect(await repository.changes(null)).toMatchObject({
        ok: true,
        value: { base: null, changed: ['a', 'b'], deleted: [] },
      });
    });

    test('lists all tracked and untracked paths, also together with the changes', async () => {
      const repository = await open({ base: { a: '1' }, head: { a: '1', b: '1' }, now: { a: '2', 'c/d': '1' } });
      const fullListing = { ...listing, tracked: ['a', 'b'], untracked: ['c/d'] };
      expect(await repository.listing()).toEqual({ ok: true, value: { listing: fullListing, deleted: ['b'] } });
      expect(await repository.changes(null)).toMatchObject({ value: { listing: fullListing } });
    });

    test('leaves out ignored files unless they are tracked', async () => {
      const ignoredPaths = ['a', 'c', 'gone'];
      const tree = { a: '1', b: '1' };
      const repository = await open({ base: tree, head: tree, now: { a: '2', b: '1', c: '1' }, ignored: ignoredPaths });
      const value = { changed: ['a'], listing: { tracked: ['a', 'b'], untracked: [] } };
      expect(await repository.changes(null)).toMatchObject({ ok: true, value });
      const answers = await Promise.all(['a', 'b', 'c', 'gone'].map((path) => repository.ignores(path as RepoPath)));
      expect(answers).toEqual([false, false, true, true].map((answer) => ({ ok: true, value: answer })));
    });

    test('fails for an unknown base', async () => {
      const repository = await open({ base: { a: '1' }, head: { a: '1' }, now: { a: '1' } });
      expect(await repository.changes('nope')).toEqual({ ok: false, failure: { kind: 'unknown-base', base: 'nope' } });
    });

    test('knows the paths of the last commit and of the base', async () => {
      const repository = await open({ base: { a: '', b: '' }, head: { b: '', c: '' }, now: { d: '' } });
      const trackedPaths = await repository.known(['never', 'd', 'c', 'b', 'a'] as RepoPath[], null);
      expect(trackedPaths).toEqual({ ok: true, value: new Set(['a', 'b', 'c']) });
    });

    test('knows no path if there is no commit', async () => {
      const repository = await open({ base: null, head: { a: '' }, now: { a: '' } });
      expect(await repository.known(['a'] as RepoPath[], null)).toEqual({ ok: true, value: new Set() });
    });

    test('returns no known paths for an empty list', async () => {
      const repository = await open({ base: { a: '1' }, head: { a: '1' }, now: { a: '1' } });
      expect(await repository.known([], null)).toEqual({ ok: true, value: new Set() });
    });
  });
}
