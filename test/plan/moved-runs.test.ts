import { expect, test } from 'vitest';
import { commonPairs } from '../../src/plan/common-pairs.ts';
import { movedRuns } from '../../src/plan/moved-runs.ts';

const long = (letter: string) => letter.repeat(70);
const list = (letters: string) => [...letters].map((one) => (one === one.toUpperCase() ? long(one) : one));

test.each<[string, string, string, readonly (readonly [from: number, to: number, count: number])[]]>([
  ['nothing moved', 'ABC', 'ABC', []],
  ['one', 'ABCD', 'BCDA', [[0, 3, 1]]],
  ['a run of long ones is one run', 'ABCDEF', 'CDEFAB', [[0, 4, 2]]],
  ['short ones in a run go with it', 'aBcDEFGH', 'DEFGHaBc', [[0, 5, 3]]],
  ['short ones alone', 'abCDE', 'CDEab', []],
  ['twice on one side: which of them is not known', 'ABCD', 'BCDAA', []],
  ['twice, beside one that is there once', 'ABCDEF', 'CDEFABA', [[0, 4, 2]]],
  [
    'two runs, in the order in which they stand now',
    'ABCDEFG',
    'EFGCDAB',
    [
      [2, 3, 2],
      [0, 5, 2],
    ],
  ],
  ['new ones are not moved', 'ABC', 'XABC', []],
])('%s', (_title, before, after, expected) => {
  const [old, now] = [list(before), list(after)];
  const runs = movedRuns(old, now, commonPairs(old, now));
  expect(runs.map(({ from, to, count }) => [from, to, count])).toEqual(expected);
});
