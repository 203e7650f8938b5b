import { describe, expect, test } from 'vitest';
import { chooseDelta, type DeltaCandidate, type DeltaEncoding } from '../../../src/phases/do/build-prompt.ts';

const ENCODINGS: readonly DeltaEncoding[] = ['context-3', 'context-1', 'context-0', 'sentences'];

describe('the delta', () => {
  test.each<[string, readonly (number | null)[], DeltaEncoding | null, number]>([
    ['the first encoding is short enough: no other is made', [1999, 1, 1, 1], 'context-3', 1],
    ['exactly a tenth is not under a tenth', [2000, 1999, 1, 1], 'context-1', 2],
    ['the third', [9000, 8000, 1999, 1], 'context-0', 3],
    ['by sentence', [9000, 8000, 7000, 100], 'sentences', 4],
    ['no encoding is short enough: the shortest', [9000, 8000, 7000, 7500], 'context-0', 4],
    ['two have the same length: the first of them', [9000, 7000, 7000, 7000], 'context-1', 4],
    ['an encoding that fails is left out', [null, 8000, null, null], 'context-1', 4],
    ['no encoding can be made', [null, null, null, null], null, 4],
  ])('%s', async (_title, lengths, expected, made) => {
    let calls = 0;
    const candidates = ENCODINGS.map((encoding, n): DeltaCandidate => {
      const length = lengths[n] ?? null;
      return {
        encoding,
        async make() {
          calls += 1;
          return length === null ? null : 'x'.repeat(length);
        },
      };
    });
    expect((await chooseDelta(candidates, 20_000))?.encoding ?? null).toBe(expected);
    expect(calls).toBe(made);
  });

  test('under 800 characters is short enough even for the shortest prompt', async () => {
    const candidates = [799, 1].map(
      (length) => ({ encoding: 'context-3', make: async () => 'x'.repeat(length) }) as const,
    );
    expect((await chooseDelta(candidates, 100))?.text).toHaveLength(799);
  });
});
