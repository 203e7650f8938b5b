import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { someRepo, takeAt } from '@onceover/testing/snapshots.ts';
import { expect, test } from 'vitest';
import { openAnswerCache } from '../../src/git/answer-cache.ts';

function placeOf(root: string): RepositoryPaths {
  return { root, commonDir: join(root, '.git') } as RepositoryPaths;
}

function fileIn(root: string): string {
  const folder = join(root, '.git/onceover/answers');
  return join(folder, readdirSync(folder)[0] ?? '');
}

test('returns the same bytes for the same key only', () => {
  const place = placeOf(someRepo().root);
  const first = openAnswerCache(place);
  expect(first.get('diff', 'a')).toBeNull();
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
  first.put('diff', 'a', bytes);
  first.save();
  const second = openAnswerCache(place);
  expect(second.get('diff', 'a')).toEqual(bytes);
  expect(second.get('diff', 'b')).toBeNull();
  expect(second.get('staged', 'a')).toBeNull();
  second.put('diff', 'b', Buffer.from('2'));
  second.save();
  expect(openAnswerCache(place).get('diff', 'a')).toBeNull();
});

test('does not cache an answer that is too long', () => {
  const place = placeOf(someRepo().root);
  const cache = openAnswerCache(place);
  cache.put('diff', 'a', Buffer.alloc(256 * 1024 + 1));
  cache.save();
  expect(openAnswerCache(place).get('diff', 'a')).toBeNull();
});

test.each<[string, (path: string) => void]>([
  ['is not JSON', (path) => writeFileSync(path, 'nonsense')],
  ['contains a list', (path) => writeFileSync(path, '[1]')],
  ['contains invalid answers', (path) => writeFileSync(path, '{"diff":{"key":"a","answer":1}}')],
  [
    'has one wrong bit',
    (path) => {
      const bytes = readFileSync(path);
      const at = bytes.lastIndexOf('1');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(path, bytes);
    },
  ],
  ['is truncated', (path) => writeFileSync(path, readFileSync(path).subarray(0, 20))],
])('ignores a cache file that %s', (_title, spoil) => {
  const place = placeOf(someRepo().root);
  const cache = openAnswerCache(place);
  cache.put('diff', 'a', Buffer.from('1'));
  cache.save();
  spoil(fileIn(place.root));
  expect(openAnswerCache(place).get('diff', 'a')).toBeNull();
});

test('takes the snapshot without writing through a symlink', async () => {
  const repo = someRepo();
  mkdirSync(join(repo.root, '.git/onceover'));
  mkdirSync(join(repo.root, 'elsewhere'));
  symlinkSync(join(repo.root, 'elsewhere'), join(repo.root, '.git/onceover/answers'));
  repo.write('a.txt', '2');
  expect((await takeAt(repo.root)).entries.map(({ path }) => path)).toEqual(['a.txt']);
  expect(readdirSync(join(repo.root, 'elsewhere'))).toEqual([]);
});

test('sees each change when a file is staged, unstaged and staged again', async () => {
  const repo = someRepo({ '.gitignore': '*.log\n' });
  repo.write('x.log', '1');
  const pathsInSnapshot = async () =>
    (await takeAt(repo.root)).entries.map(({ path }) => path as string).filter((path) => path === 'x.log');
  expect(await pathsInSnapshot()).toEqual([]);
  repo.git('add', '-f', 'x.log');
  expect(await pathsInSnapshot()).toEqual(['x.log']);
  repo.git('rm', '-q', '--cached', 'x.log');
  expect(await pathsInSnapshot()).toEqual([]);
  repo.git('add', '-f', 'x.log');
  expect(await pathsInSnapshot()).toEqual(['x.log']);
});
