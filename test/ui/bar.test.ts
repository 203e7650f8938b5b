import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cells } from '../../src/ui/layout.ts';
import { bar } from '../../src/ui/style.ts';

describe('bar', () => {
  test.each([
    [0, 10, '', ''],
    [10, 10, '████', '####'],
    [5, 10, '██', '##'],
    [1, 10, '▍', '#'],
    [1, 1_000_000, '▏', '#'],
    [3, 10, '█▎', '#'],
    [1, 0, '', ''],
    [20, 10, '████', '####'],
  ])('draws %i of %i', (amount, most, blocks, ascii) => {
    expect([bar(amount, most, 4, 'blocks'), bar(amount, most, 4, 'ascii')]).toEqual([blocks, ascii]);
  });

  test('fits its width, and is never empty for an amount above zero', () => {
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
