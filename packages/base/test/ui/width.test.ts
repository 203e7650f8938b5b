import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cells, cut, cutStart, padCells } from '../../src/ui/layout.ts';

describe('cells', () => {
  test.each([
    ['', 0],
    ['plain', 5],
    ['日本', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['👍', 2],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['…', 1],
    ['한글', 4],
    ['\u200b', 0],
  ])('%j takes %i', (text, expected) => {
    expect(cells(text)).toBe(expected);
  });

  test.each([
    ['short', 5, 'short', 'short'],
    ['longer', 5, 'long…', '…nger'],
    ['日本語', 5, '日本…', '…本語'],
    ['日本語', 4, '日…', '…語'],
    ['abc', 1, '…', '…'],
    ['abc', 0, '', ''],
  ])('%j in %i: %j, or %j', (text, most, start, end) => {
    expect([cut(text, most), cutStart(text, most)]).toEqual([start, end]);
  });

  test('cuts to the width, and pads to exactly the width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, most) => {
        expect(cells(cut(text, most))).toBeLessThanOrEqual(most);
        expect(cells(cutStart(text, most))).toBeLessThanOrEqual(most);
        expect(cells(padCells(cut(text, most), most))).toBe(most);
      }),
    );
  });
});
