import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bar } from '../../src/text/bar.ts';
import { cells } from '../../src/text/width.ts';

describe('bars', () => {
  test.each([
    [0, 10, '', ''],
    [10, 10, '████', '####'],
    [5, 10, '██', '##'],
    [1, 10, '▍', '#'],
    [1, 1_000_000, '▏', '#'],
    [3, 10, '█▎', '#'],
    [1, 0, '', ''],
    [20, 10, '████', '####'],
  ])('%i of %i', (amount, most, blocks, ascii) => {
    expect([bar(amount, most, 4, 'blocks'), bar(amount, most, 4, 'ascii')]).toEqual([blocks, ascii]);
  });

  test('never wider than it may be, never nothing for something', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 60 }), (amount, most, width) => {
        for (const style of ['blocks', 'ascii'] as const) {
          const drawn = bar(amount, most, width, style);
          expect(cells(drawn)).toBeLessThanOrEqual(width);
          expect(drawn !== '').toBe(amount > 0 && most > 0);
        }
      }),
    );
  });
});
