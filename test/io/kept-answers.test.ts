import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Place } from '../../src/domain/change.ts';
import { openKeptAnswers } from '../../src/io/kept-answers.ts';
import { someRepo, takeAt } from '../support/snapshots.ts';

function placeOf(root: string): Place {
  return { root, commonDir: join(root, '.git') } as Place;
}

function fileIn(root: string): string {
  const folder = join(root, '.git/onceover/answers');
  return join(folder, readdirSync(folder)[0] ?? '');
}

test('an answer is kept for its key alone, byte by byte', () => {
  const place = placeOf(someRepo().root);
  const first = openKeptAnswers(place);
  expect(first.get('diff', 'a')).toBeNull();
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
  first.put('diff', 'a', bytes);
  first.save();
  const second = openKeptAnswers(place);
  expect(second.get('diff', 'a')).toEqual(bytes);
  expect(second.get('diff', 'b')).toBeNull();
  expect(second.get('staged', 'a')).toBeNull();
  second.put('diff', 'b', Buffer.from('2'));
  second.save();
  expect(openKeptAnswers(place).get('diff', 'a')).toBeNull();
});

test('one that is too long is not kept', () => {
  const place = placeOf(someRepo().root);
  const kept = openKeptAnswers(place);
  kept.put('diff', 'a', Buffer.alloc(256 * 1024 + 1));
  kept.save();
  expect(openKeptAnswers(place).get('diff', 'a')).toBeNull();
});

test.each<[string, (path: string) => void]>([
  ['is something else', (path) => writeFileSync(path, 'nonsense')],
  ['holds a list', (path) => writeFileSync(path, '[1]')],
  ['holds answers that are none', (path) => writeFileSync(path, '{"diff":{"key":"a","answer":1}}')],
  ['was cut', (path) => writeFileSync(path, readFileSync(path).subarray(0, 20))],
])('a file that %s answers nothing', (_title, spoil) => {
  const place = placeOf(someRepo().root);
  const kept = openKeptAnswers(place);
  kept.put('diff', 'a', Buffer.from('1'));
  kept.save();
  spoil(fileIn(place.root));
  expect(openKeptAnswers(place).get('diff', 'a')).toBeNull();
});

test('nothing is written through a symlink, and the look goes on', async () => {
  const repo = someRepo();
  mkdirSync(join(repo.root, '.git/onceover'));
  mkdirSync(join(repo.root, 'elsewhere'));
  symlinkSync(join(repo.root, 'elsewhere'), join(repo.root, '.git/onceover/answers'));
  repo.write('a.txt', '2');
  expect((await takeAt(repo.root)).entries.map(({ path }) => path)).toEqual(['a.txt']);
  expect(readdirSync(join(repo.root, 'elsewhere'))).toEqual([]);
});

test('what is staged, unstaged and staged again is seen each time', async () => {
  const repo = someRepo({ '.gitignore': '*.log\n' });
  repo.write('x.log', '1');
  const seen = async () =>
    (await takeAt(repo.root)).entries.map(({ path }) => path as string).filter((path) => path === 'x.log');
  expect(await seen()).toEqual([]);
  repo.git('add', '-f', 'x.log');
  expect(await seen()).toEqual(['x.log']);
  repo.git('rm', '-q', '--cached', 'x.log');
  expect(await seen()).toEqual([]);
  repo.git('add', '-f', 'x.log');
  expect(await seen()).toEqual(['x.log']);
});
