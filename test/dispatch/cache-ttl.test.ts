import { describe, expect, test } from 'vitest';
import { cacheTtl, lastGap } from '../../src/dispatch/decide-resume.ts';

const MINUTE = 60_000;

test.each([
  ['auto', null, '5m'],
  ['auto', 0, '5m'],
  ['auto', 5 * MINUTE, '5m'],
  ['auto', 5 * MINUTE + 1, '1h'],
  ['auto', Number.NaN, '5m'],
  ['5m', 60 * MINUTE, '5m'],
  ['1h', 0, '1h'],
] as const)('%s, %s ms since: %s', (set, gap, expected) => {
  expect(cacheTtl(set, gap)).toBe(expected);
});

describe('the longest gap between calls of the last loop', () => {
  /** A dispatch of a loop that ended at a minute and took so many. */
  const sent = (run: string, role: string, minute: number, took = 0) => ({
    run,
    role,
    at: new Date(minute * MINUTE).toISOString(),
    durationMs: took * MINUTE,
  });

  test.each<[string, ReturnType<typeof sent>[], number | null]>([
    ['none', [], null],
    ['one dispatch', [sent('a', 'x', 0)], null],
    ['one of each role', [sent('a', 'x', 0), sent('a', 'y', 9)], null],
    ['from the end of one to the beginning of the next', [sent('a', 'x', 10, 4), sent('a', 'x', 20, 3)], 7],
    ['the longest', [sent('a', 'x', 0), sent('a', 'x', 2), sent('a', 'x', 9), sent('a', 'x', 10)], 7],
    ['by role', [sent('a', 'x', 0), sent('a', 'y', 4), sent('a', 'x', 6), sent('a', 'y', 8)], 6],
    ['the last loop', [sent('a', 'x', 0), sent('a', 'x', 30), sent('b', 'x', 31), sent('b', 'x', 33)], 2],
    ['the last that had any', [sent('a', 'x', 0), sent('a', 'x', 8), sent('b', 'x', 31), sent('b', 'y', 90)], 8],
    ['not across loops', [sent('a', 'x', 0), sent('b', 'x', 90)], null],
  ])('%s', (_title, dispatches, minutes) => {
    expect(lastGap(dispatches)).toBe(minutes === null ? null : minutes * MINUTE);
  });
});
