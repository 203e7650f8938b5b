import { describe, expect, test } from 'vitest';
import { continuingPays, expectedReads, groupReaders, sharingPays } from '../../src/economy/sharing.ts';

const readers = (text: string) =>
  text
    .split(' ')
    .map((reader) => ({ key: reader.split(':')[0] ?? '', review: reader.split(':')[1] ?? '', one: reader }));

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
] as const)('share_reading: %s, readers %s', (setting, readerNames, expected) => {
  const groups = groupReaders(readers(readerNames), setting).map((group) => group.map(({ one }) => one).join(' '));
  expect(groups).toEqual(expected);
});

describe('whether sharing pays', () => {
  const reads = (files: number, tokens: number, again = 0) => ({ files, tokens, again });
  test.each([
    [2, 12_000, reads(2, 4000), true],
    [3, 12_000, reads(1, 2000), true],
    [6, 12_000, reads(8, 16_000), true],
    // A single reviewer has no one to share with.
    [1, 12_000, reads(8, 16_000), false],
    // Reviewers that open nothing would pay for the reading alone.
    [3, 12_000, reads(0, 0), false],
    [6, 50_000, reads(0, 0), false],
    [2, 3000, reads(1, 200), false],
    // Forks that open the files again pay for them twice.
    [3, 12_000, reads(2, 2000, 2), false],
    [3, 12_000, reads(8, 8000, 8), false],
    [3, 12_000, reads(8, 8000, 1), true],
  ] as const)('%i readers, %i tokens of prompt, %o: %s', (count, stable, likelyReads, pays) => {
    expect(sharingPays(count, stable, likelyReads)).toBe(pays);
  });

  test('more readers never make sharing dearer', () => {
    for (const files of [1, 2, 8]) {
      const pays = [2, 3, 4, 6, 10].map((count) => sharingPays(count, 5000, reads(files, files * 300)));
      expect(pays).toEqual([...pays].sort((a, b) => Number(a) - Number(b)));
    }
  });

  test('reviewers are expected to open what earlier ones of the same agent opened', () => {
    const alone = (openedFiles: number, agent = 'claude') => ({ agent, opened: openedFiles, reading: null, again: 0 });
    const fork = (again: number, reading: number, openedFiles = again) => ({
      agent: 'claude',
      opened: openedFiles,
      reading,
      again,
    });
    expect(expectedReads([], 'claude')).toEqual({ files: 2, tokens: 2000, again: 0 });
    expect(expectedReads([alone(9, 'opencode')], 'claude')).toEqual({ files: 2, tokens: 2000, again: 0 });
    expect(expectedReads([alone(0), alone(0)], 'claude')).toEqual({ files: 0, tokens: 0, again: 0 });
    expect(expectedReads([alone(1), alone(3)], 'claude')).toEqual({ files: 2, tokens: 2000, again: 0 });
    expect(expectedReads([fork(0, 4), fork(3, 4), alone(1)], 'claude')).toEqual({ files: 3, tokens: 3000, again: 1.5 });
    // Files that the reading did not open are not opened again.
    expect(expectedReads([fork(0, 4, 3)], 'claude')).toEqual({ files: 4, tokens: 4000, again: 0 });
    // Only the last twelve reviews count.
    expect(expectedReads([alone(50), ...Array(12).fill(alone(1))], 'claude').files).toBe(1);
  });
});

describe('whether continuing a reading pays', () => {
  const CACHED = { read: 0.1, write: 1.25 };
  const readers = (count: number, alone: number, ownTokens = 700) => Array(count).fill({ alone, ownTokens });
  const usual = {
    contextTokens: 13_000,
    isExpired: false,
    deltaTokens: 3000,
    again: 0,
    fileTokens: 1000,
    prices: CACHED,
    newReading: null,
  };
  // A resumed reviewer reads its context and writes the changes: 0.1 × 14,000 + 1.25 × 3,000.
  const resumedCost = 5150;
  const anew = { readers: readers(3, 0), isExpired: true };
  const opening = (files: number) => ({ uncached: 13_000, cached: files * 10_000, shared: 0, stableTokens: 5000 });
  test.each([
    ['three reviewers share the changes', { readers: readers(3, resumedCost) }, true],
    ['a single reviewer has no one to share with', { readers: readers(1, resumedCost) }, false],
    ['small changes cost less than a call more', { readers: readers(3, 2000), deltaTokens: 400 }, false],
    ['long rubrics would be sent again', { readers: readers(3, resumedCost, 4000) }, false],
    ['forks that open files again pay for them', { readers: readers(3, resumedCost), again: 2 }, false],
    ['only the reading has expired', { readers: readers(3, resumedCost), isExpired: true }, false],
    // Each of three sessions would write its 14,000 tokens again.
    ['all sessions have expired', { readers: readers(3, 21_250), isExpired: true }, true],
    // The reading costs 5,050 and each fork 2,475, 12,475 in all.
    ['a small saving is not worth the memory of three sessions', { readers: readers(3, 4300) }, false],
    ['a larger one is', { readers: readers(3, 4500) }, true],
    // A new reading writes its 13,000 tokens, and no changes.
    ['a new reading opens few files again', { ...anew, newReading: opening(2) }, false],
    ['a new reading opens many files again', { ...anew, newReading: opening(8) }, true],
    // Each of the three opens eight files, in the longer context of the reading or in a session of its own.
    ['forks open all files again', { ...anew, newReading: opening(8), again: 8, deltaTokens: 500 }, false],
    ['forks open a large file again', { ...anew, newReading: opening(8), again: 1, fileTokens: 15_000 }, false],
    ['forks open a small file again', { ...anew, newReading: opening(8), again: 1 }, true],
  ] as const)('%s', (_, different, pays) => {
    expect(continuingPays({ ...usual, ...different })).toBe(pays);
  });
});
