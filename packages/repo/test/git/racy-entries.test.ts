import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { byCodePoint } from '@onceover/base/kernel/collections';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { clearRacySizes, indexEntries, isCompleteIndex } from '../../src/git/scan/index-format.ts';

const NAMES = [
  'a',
  'deep/er/one with a long name.ts',
  'deep/er/one with a longer name.ts',
  'empty',
  'äöü',
  'x'.repeat(250),
];

/** Makes a repository with these files and returns its index. */
function sample(version: number, format: string) {
  const root = temporaryFolder();
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' });
  git('init', '-q', `--object-format=${format}`);
  mkdirSync(join(root, 'deep/er'), { recursive: true });
  for (const name of NAMES) writeFileSync(join(root, name), name === 'empty' ? '' : `text of ${name}\n`);
  git('-c', `index.version=${version}`, 'add', '-A');
  if (version === 3) git('update-index', '--skip-worktree', 'äöü', 'deep/er/one with a long name.ts');
  const path = join(root, '.git/index');
  const sizes = () =>
    [...git('-c', 'core.quotePath=false', 'ls-files', '--debug').matchAll(/size: (\d+)/g)].map(([, size]) =>
      Number(size),
    );
  return { git, path, index: readFileSync(path), sizes };
}

describe.each([
  [2, 'sha1'],
  [3, 'sha1'],
  [4, 'sha1'],
  [2, 'sha256'],
  [4, 'sha256'],
])('version %i of the format, %s', (version, format) => {
  test('is parsed to its last entry, and git can use the result', () => {
    const { git, path, index, sizes } = sample(version, format);
    expect(index.readUInt32BE(4)).toBe(version);
    expect(clearRacySizes(index, 2 ** 32)).toBe(index);
    expect(indexEntries(index)?.map(({ name }) => Buffer.from(name, 'latin1').toString('utf8'))).toEqual(
      [...NAMES].sort(byCodePoint),
    );
    expect(indexEntries(index)?.map(({ size }) => size)).toEqual(sizes());
    const before = git('ls-files', '-s', '-t');
    expect(sizes().filter((size) => size === 0)).toHaveLength(1);

    const clearedIndex = clearRacySizes(index, 0);
    if (clearedIndex === null) throw new Error('it could not be read');
    expect(isCompleteIndex(clearedIndex)).toBe(true);
    writeFileSync(path, clearedIndex);
    expect(sizes()).toEqual(NAMES.map(() => 0));
    expect(git('ls-files', '-s', '-t')).toBe(before);
    expect(
      git('status', '--porcelain')
        .split('\n')
        .filter((line) => !line.startsWith('A ')),
    ).toEqual(['']);
  });
});

test('clears only the sizes of entries from that second or later', () => {
  const { path, index, sizes } = sample(2, 'sha1');
  const [first, ...otherSizes] = sizes();
  const second = index.readUInt32BE(12);
  const older = Buffer.from(index);
  older.writeUInt32BE(second - 1, 12);
  createHash('sha1')
    .update(older.subarray(0, -20))
    .digest()
    .copy(older, older.length - 20);
  writeFileSync(path, clearRacySizes(older, second) ?? '');
  expect(sizes()).toEqual([first, ...otherSizes.map(() => 0)]);
});

test('returns null for bytes that are not an index', () => {
  const { index } = sample(2, 'sha1');
  for (const cut of [0, 1, 12, 100, index.length - 1]) expect(clearRacySizes(index.subarray(0, cut), 0)).toBe(null);
  expect(isCompleteIndex(index.subarray(0, index.length - 1))).toBe(false);
});
