import { describe, expect, test } from 'vitest';
import { filesToHandOver, needsFile, opensAgain } from '../../src/economy/handover.ts';

test.each([
  [[], 0.65],
  [[{ handed: [], opened: ['/repo/src/a.ts'] }], 1],
  [[{ handed: [], opened: [] }], 0],
  [
    [
      { handed: [], opened: [] },
      { handed: [], opened: ['src/a.ts'] },
    ],
    0.5,
  ],
  // A reviewer that got the file and opened nothing does not show whether it would have opened it.
  [[{ handed: ['src/a.ts'], opened: [] }], 0.65],
  [[{ handed: ['src/a.ts'], opened: ['lib/b.ts'] }], 0.65],
  // A reviewer that opens what it got already pays twice.
  [[{ handed: ['src/a.ts'], opened: ['/repo/src/a.ts'] }], 0],
] as const)('%j: opens a changed file again with %f', (earlier, likely) => {
  expect(opensAgain(earlier)).toBe(likely);
});

test('a file that the first prompt showed as a whole is expected only of a reviewer that opened files again', () => {
  expect(opensAgain([], true)).toBe(0);
  expect(opensAgain([{ handed: [], opened: ['src/a.ts'] }], true)).toBe(1);
});

describe('files to hand over', () => {
  const chosenLengths = (
    likely: number,
    contextTokens: number,
    { lengths = [4000, 60, 9000, 0, -5], kind = 'resumed' as 'fresh' | 'resumed' } = {},
  ) =>
    filesToHandOver(
      lengths.map((length) => ({ more: length, likely })),
      { kind, contextTokens },
    ).map(({ more }) => more);

  test.each([
    [1, 10_000, [60, 4000, 9000]],
    // A reviewer that never opens files again saves nothing.
    [0, 10_000, []],
    // The larger the file, the more is wasted if it is not needed.
    [0.7, 10_000, [60, 4000]],
    [0.7, 100_000, [60, 4000, 9000]],
    [0.7, 100, [60]],
  ])('likely %f, context of %i tokens', (likely, context, expected) => {
    expect(chosenLengths(likely, context)).toEqual(expected);
  });

  test('the files in a resumed prompt have at most 60,000 characters, those in a new one 120,000', () => {
    const lengths = [50_000, 61_000, 9000, 2000];
    expect(chosenLengths(1, 100_000, { lengths })).toEqual([2000, 9000]);
    expect(chosenLengths(1, 100_000, { lengths, kind: 'fresh' })).toEqual([2000, 9000, 50_000]);
  });
});

test.each([
  ['no review is known', [], 0],
  ['every review opened it', ['opened', 'opened'], 1],
  ['one of two opened it', ['opened', 'neither'], 0.5],
  ['a review that got it in its prompt did not have to open it', ['handed'], 1],
  ['a review opened it although its prompt contained it', ['both', 'opened'], 0],
  ['no review needed it', ['neither', 'neither'], 0],
] as const)('how likely a new session opens a file: %s', (_, reviews, likely) => {
  const earlier = reviews.map((review) => ({
    needed: review === 'neither' ? ['b.ts'] : ['a.ts', 'b.ts'],
    twice: review === 'both' ? ['a.ts'] : [],
  }));
  expect(needsFile(earlier, 'a.ts')).toBe(likely);
});
