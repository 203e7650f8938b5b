import { describe, expect, test } from 'vitest';
import { filesToHandOver, opensAgain } from '../../src/dispatch/decide-handover.ts';

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

describe('files to hand over', () => {
  const files = [4000, 60, 9000, 0, -5].map((more) => ({ more }));
  const chosen = (likely: number, contextTokens: number, room: number) =>
    filesToHandOver(files, { likely, contextTokens, room }).map(({ more }) => more);

  test.each([
    [1, 10_000, 100_000, [60, 4000, 9000]],
    // A reviewer that never opens files again saves nothing.
    [0, 10_000, 100_000, []],
    // The larger the file, the more is wasted if it is not needed.
    [0.7, 10_000, 100_000, [60, 4000]],
    [0.7, 100_000, 100_000, [60, 4000, 9000]],
    [0.7, 100, 100_000, [60]],
    [1, 10_000, 5000, [60, 4000]],
    [1, 10_000, 0, []],
  ])('likely %f, context of %i tokens, room for %i characters', (likely, context, room, expected) => {
    expect(chosen(likely, context, room)).toEqual(expected);
  });
});
