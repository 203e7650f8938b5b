import { describe, expect, test } from 'vitest';
import { expectedReads, groupReaders, sharingPays } from '../../src/dispatch/decide-sharing.ts';

const readers = (text: string) =>
  text.split(' ').map((one) => ({ key: one.split(':')[0] ?? '', review: one.split(':')[1] ?? '', one }));

test.each([
  ['reviews', 'a:code a:docs a:tests', ['a:code a:docs a:tests']],
  ['reviews', 'a:code b:docs', []],
  ['reviews', 'a:code', []],
  ['reviews', 'a:code a:code', []],
  // The second reviewers of both reviews share another reading than the first ones.
  ['reviews', 'a:code a:code a:docs a:docs', ['a:code a:docs', 'a:code a:docs']],
  ['reviews', 'a:code a:code a:docs', ['a:code a:docs']],
  ['all', 'a:code a:code a:docs', ['a:code a:code a:docs']],
  ['all', 'a:code b:code', []],
  ['off', 'a:code a:docs', []],
] as const)('share_reading: %s, readers %s', (setting, given, expected) => {
  const groups = groupReaders(readers(given), setting).map((group) => group.map(({ one }) => one).join(' '));
  expect(groups).toEqual(expected);
});

describe('whether sharing pays', () => {
  test.each([
    [2, 12_000, { files: 2, tokens: 4000 }, true],
    [3, 12_000, { files: 1, tokens: 2000 }, true],
    [6, 12_000, { files: 8, tokens: 16_000 }, true],
    // A single reviewer has no one to share with.
    [1, 12_000, { files: 8, tokens: 16_000 }, false],
    // Reviewers that open nothing would pay for the reading alone.
    [3, 12_000, { files: 0, tokens: 0 }, false],
    [6, 50_000, { files: 0, tokens: 0 }, false],
    [2, 3000, { files: 1, tokens: 200 }, false],
  ] as const)('%i readers, %i tokens of prompt, %o: %s', (count, stable, reads, expected) => {
    expect(sharingPays(count, stable, reads)).toBe(expected);
  });

  test('more readers never make sharing dearer', () => {
    for (const files of [1, 2, 8]) {
      const pays = [2, 3, 4, 6, 10].map((count) => sharingPays(count, 5000, { files, tokens: files * 300 }));
      expect(pays).toEqual([...pays].sort((a, b) => Number(a) - Number(b)));
    }
  });

  test('what earlier reviewers opened is expected again; without any, that they open files', () => {
    expect(expectedReads([])).toEqual({ files: 2, tokens: 2000 });
    expect(expectedReads([0, 0])).toEqual({ files: 0, tokens: 0 });
    expect(expectedReads([1, 3])).toEqual({ files: 2, tokens: 2000 });
  });
});
