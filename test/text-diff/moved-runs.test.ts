import { expect, test } from 'vitest';
import { commonPairs, movedBlocks } from '../../src/text-diff/align.ts';

const long = (letter: string) => letter.repeat(70);
const list = (letters: string) => [...letters].map((one) => (one === one.toUpperCase() ? long(one) : one));

test.each<[string, string, string, readonly (readonly [from: number, to: number, count: number])[]]>([
  ['finds no block if nothing moved', 'ABC', 'ABC', []],
  ['finds one moved text', 'ABCD', 'BCDA', [[0, 3, 1]]],
  ['joins consecutive long texts into one block', 'ABCDEF', 'CDEFAB', [[0, 4, 2]]],
  ['includes short texts that moved with a long one', 'aBcDEFGH', 'DEFGHaBc', [[0, 5, 3]]],
  ['ignores a block that is too short', 'abCDE', 'CDEab', []],
  ['ignores a text that occurs twice on one side', 'ABCD', 'BCDAA', []],
  ['includes a repeated text next to a unique one', 'ABCDEF', 'CDEFABA', [[0, 4, 2]]],
  [
    'orders two blocks by their new position',
    'ABCDEFG',
    'EFGCDAB',
    [
      [2, 3, 2],
      [0, 5, 2],
    ],
  ],
  ['does not take an added text for a moved one', 'ABC', 'XABC', []],
])('%s', (_title, before, after, expected) => {
  const [old, now] = [list(before), list(after)];
  const runs = movedBlocks(old, now, commonPairs(old, now));
  expect(runs.map(({ from, to, count }) => [from, to, count])).toEqual(expected);
});
