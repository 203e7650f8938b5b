import { describe, expect, test } from 'vitest';
import { chooseDelta, type Delta, type DeltaCandidate } from '../../../src/phases/do/build-prompt.ts';

const FORMATS: readonly Delta['format'][] = [3, 1, 0, 'sentences'];

describe('the delta', () => {
  test.each<[string, readonly (number | null)[], Delta['format'] | null, number]>([
    ['the first format is short enough: no other is made', [1999, 1, 1, 1], 3, 1],
    ['exactly a tenth is not under a tenth', [2000, 1999, 1, 1], 1, 2],
    ['the third', [9000, 8000, 1999, 1], 0, 3],
    ['by sentence', [9000, 8000, 7000, 100], 'sentences', 4],
    ['no format is short enough: the shortest', [9000, 8000, 7000, 7500], 0, 4],
    ['two have the same length: the first of them', [9000, 7000, 7000, 7000], 1, 4],
    ['an format that fails is left out', [null, 8000, null, null], 1, 4],
    ['no format can be made', [null, null, null, null], null, 4],
  ])('%s', async (_title, lengths, expected, callCount) => {
    let calls = 0;
    const candidates = FORMATS.map((format, n): DeltaCandidate => {
      const length = lengths[n] ?? null;
      return {
        format,
        async make() {
          calls += 1;
          return length === null ? null : 'x'.repeat(length);
        },
      };
    });
    expect((await chooseDelta(candidates, 20_000))?.format ?? null).toBe(expected);
    expect(calls).toBe(callCount);
  });

  test('under 800 characters is short enough even for the shortest prompt', async () => {
    const candidates = [799, 1].map((length) => ({ format: 3, make: async () => 'x'.repeat(length) }) as const);
    expect((await chooseDelta(candidates, 100))?.text).toHaveLength(799);
  });
});
