import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { repoWith, type TestRepo } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { filesAheadAt } from '../../src/config/read-ahead.ts';
import { orThrow } from '../../src/git/git.ts';
import { findRepository } from '../../src/git/locate.ts';
import { commitFiles, diskFiles, sparseFiles } from '../../src/git/tree-files.ts';

test('reads the same text from disk and from a commit, also if it is read ahead', async () => {
  const repo = repoWith({ 'plain.md': 'text\n', 'mark.md': '\ufefftext\n', 'long.md': 'aaaaaaäz', 'empty.md': '' });
  repo.write('zero.md', 'a\0b');
  repo.write('latin.md', Buffer.from([0x61, 0xe4, 0x62]));
  repo.write('folder/in.md', 'in\n');
  repo.write('*', 'star');
  symlinkSync('/etc/hostname', join(repo.root, 'link.md'));
  repo.commit('files');
  const commit = repo.git('rev-parse', 'HEAD').trim();
  const names = ['plain.md', 'mark.md', 'long.md', 'empty.md', 'zero.md', 'latin.md', 'folder/in.md', '*', 'link.md'];
  const paths = orThrow(await findRepository(repo.root));
  const ahead = orThrow(await filesAheadAt(paths, commit, [...names, 'never.md', 'folder']));
  for (const files of [diskFiles(repo.root), commitFiles(repo.root, commit), ahead]) {
    const readFile = (name: string, limit = 100) => files.read(name, limit);
    expect(readFile('plain.md')).toEqual({ kind: 'text', text: 'text\n', bytes: 5, cut: false });
    expect(readFile('folder/in.md')).toMatchObject({ text: 'in\n' });
    expect(readFile('*')).toMatchObject({ text: 'star' });
    expect(readFile('empty.md')).toEqual({ kind: 'text', text: '', bytes: 0, cut: false });
    // A byte order mark is not part of the text.
    expect(readFile('mark.md')).toMatchObject({ text: 'text\n' });
    // The limit is in bytes, and the cut text ends with a whole character.
    expect(readFile('long.md', 7)).toEqual({ kind: 'text', text: 'aaaaaa', bytes: 6, cut: true });
    expect(readFile('long.md', 8)).toEqual({ kind: 'text', text: 'aaaaaaä', bytes: 8, cut: true });
    expect(readFile('zero.md')).toEqual({ kind: 'unusable', why: 'binary' });
    expect(readFile('latin.md')).toEqual({ kind: 'unusable', why: 'not-utf8' });
    expect(readFile('never.md')).toEqual({ kind: 'unusable', why: 'missing' });
    expect(readFile('folder')).toEqual({ kind: 'unusable', why: 'not-a-file' });
    expect(readFile('link.md').kind).toBe('unusable');
    expect([files.isSymlink('link.md'), files.isSymlink('plain.md')]).toEqual([true, false]);
  }
});

test('a failure of git is not a missing file', async () => {
  const { root } = repoWith({ a: '' });
  expect(commitFiles(root, '0'.repeat(40)).read('a', 100)).toEqual({ kind: 'unusable', why: 'unreadable' });
});

test.each(['0'.repeat(40), 'never', '-x', ''])('has no files for %j, which names no commit', async (name) => {
  const repo = orThrow(await findRepository(repoWith({ a: '' }).root));
  expect(await filesAheadAt(repo, name, ['a'])).toMatchObject({
    ok: false,
    failure: { kind: 'unknown-base', base: name },
  });
});

test('fails if the name of a branch is also that of a tag', async () => {
  const repo = repoWith({ a: '' });
  repo.git('tag', 'main');
  const result = await filesAheadAt(orThrow(await findRepository(repo.root)), 'main', ['a']);
  expect(result).toMatchObject({ ok: false, failure: { kind: 'ambiguous-name' } });
});

describe.each<[string, (repo: TestRepo) => void]>([
  ['an index that names every file', (repo) => repo.git('sparse-checkout', 'set', '--no-sparse-index', 'in')],
  ['a sparse index with folders', (repo) => repo.git('sparse-checkout', 'set', '--sparse-index', 'in')],
  [
    'one that is split in two',
    (repo) => {
      repo.git('sparse-checkout', 'set', '--no-sparse-index', 'in');
      repo.git('update-index', '--split-index');
    },
  ],
  [
    'one that shortens names',
    (repo) => {
      repo.git('sparse-checkout', 'set', '--no-sparse-index', 'in');
      repo.git('update-index', '--index-version', '4');
    },
  ],
])('a sparse checkout with %s', (_, leaveOut) => {
  test('reads a file that is not checked out', () => {
    const repo = repoWith({ 'in/x.md': 'x\n', 'out/y.md': 'y\n', 'out/deep/z.md': 'z\n' });
    leaveOut(repo);
    const files = sparseFiles({ root: repo.root, index: join(repo.root, '.git/index') });
    const text = (path: string) => files.read(path, 100);
    expect(diskFiles(repo.root).read('out/y.md', 100)).toEqual({ kind: 'unusable', why: 'missing' });
    expect([text('in/x.md'), text('out/y.md'), text('out/deep/z.md')]).toMatchObject([
      { text: 'x\n' },
      { text: 'y\n' },
      { text: 'z\n' },
    ]);
    expect(text('out/never.md')).toEqual({ kind: 'unusable', why: 'missing' });
  });
});
