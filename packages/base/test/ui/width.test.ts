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
  ])('%j takes %i', (text, columns) => {
    expect(cells(text)).toBe(columns);
  });

  test.each([
    ['short', 5, 'short', 'short'],
    ['longer', 5, 'long…', '…nger'],
    ['日本語', 5, '日本…', '…本語'],
    ['日本語', 4, '日…', '…語'],
    ['abc', 1, '…', '…'],
    ['abc', 0, '', ''],
  ])('%j in %i: %j, or %j', (text, limit, start, end) => {
    expect([cut(text, limit), cutStart(text, limit)]).toEqual([start, end]);
  });

  test('cuts to the width, and pads to exactly the width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, limit) => {
        expect(cells(cut(text, limit))).toBeLessThanOrEqual(limit);
        expect(cells(cutStart(text, limit))).toBeLessThanOrEqual(limit);
        expect(cells(padCells(cut(text, limit), limit))).toBe(limit);
      }),
    );
  });
});
