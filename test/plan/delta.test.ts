import { describe, expect, test } from 'vitest';
import { chooseDelta, type DeltaCandidate, type DeltaEncoding } from '../../src/plan/delta.ts';

const ENCODINGS: readonly DeltaEncoding[] = ['context-3', 'context-1', 'context-0', 'sentences'];

describe('the delta', () => {
  test.each<[string, readonly (number | null)[], DeltaEncoding | null, number]>([
    ['the first is short enough: no other is made', [249, 1, 1, 1], 'context-3', 1],
    ['exactly a quarter is not under a quarter', [250, 249, 1, 1], 'context-1', 2],
    ['the third', [900, 800, 249, 1], 'context-0', 3],
    ['by sentence', [900, 800, 700, 100], 'sentences', 4],
    ['none is short enough: the shortest', [900, 800, 700, 750], 'context-0', 4],
    ['two are the same: the first of them', [900, 700, 700, 700], 'context-1', 4],
    ['one that cannot be made is left out', [null, 800, null, null], 'context-1', 4],
    ['none can be made', [null, null, null, null], null, 4],
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
    expect((await chooseDelta(candidates, 1000))?.encoding ?? null).toBe(expected);
    expect(calls).toBe(made);
  });
});
