import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shareOf } from '../../src/kernel/statistics.ts';

describe('shareOf', () => {
  // The limits were computed separately, from the formula of Wilson's score interval.
  test.each([
    [0, 10, 0, 0.2775328],
    [1, 10, 0.01787621, 0.40415003],
    [5, 10, 0.2365931, 0.7634069],
    [10, 10, 0.7224672, 1],
    [3, 200, 0.00511424, 0.04316573],
  ])('%d of %d is between %d and %d', (hits, total, low, high) => {
    const share = shareOf(hits, total);
    expect(share?.share).toBe(hits / total);
    expect(share?.low).toBeCloseTo(low, 5);
    expect(share?.high).toBeCloseTo(high, 5);
  });

  test('returns null without trials', () => {
    expect(shareOf(0, 0)).toBeNull();
  });

  test('the interval contains the share, lies from 0 to 1, and shrinks with more trials', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.nat(10_000), (total, number) => {
        const hits = number % (total + 1);
        const fewTrials = shareOf(hits, total);
        const manyTrials = shareOf(hits * 10, total * 10);
        if (fewTrials === null || manyTrials === null) throw new Error('no share');
        expect(fewTrials.low).toBeGreaterThanOrEqual(0);
        expect(fewTrials.low).toBeLessThanOrEqual(fewTrials.share);
        expect(fewTrials.high).toBeGreaterThanOrEqual(fewTrials.share);
        expect(fewTrials.high).toBeLessThanOrEqual(1);
        expect(manyTrials.high - manyTrials.low).toBeLessThan(fewTrials.high - fewTrials.low);
      }),
    );
  });
});
