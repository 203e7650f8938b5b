import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseDelta, type DeltaCandidate, type DeltaEncoding } from '../../src/plan/delta.ts';
import { sentenceChanges, sentenceDiff } from '../../src/plan/sentence-diff.ts';

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

describe('a change by sentences', () => {
  test('one sentence of a long paragraph', () => {
    const before = '# Title\n\n## Scope\nOne stays. Two goes here. Three stays as well.\nEnd.';
    const after = '# Title\n\n## Scope\nOne stays. Two is other. Three stays as well.\nEnd.';
    expect(sentenceDiff(before, after)).toBe('@@ line 4 -> 4 @@ ## Scope\n-Two goes here. \n+Two is other. ');
  });

  test.each<[string, string, string, string]>([
    ['nothing', 'a. b.', 'a. b.', ''],
    ['something new at the end', 'a.', 'a.\nb.', '@@ line 1 -> 2 @@\n+b.'],
    ['something gone', 'a.\nb.', 'b.', '@@ line 1 -> 1 @@\n-a.'],
    ['an empty text', '', 'b.', '@@ line 1 -> 1 @@\n-\n+b.'],
    ['another order', 'a.\nb.\nc.', 'b.\nc.\na.', '@@ line 1 -> 1 @@\n-a.\n@@ line 3 -> 3 @@\n+a.'],
  ])('%s', (_title, before, after, expected) => {
    expect(sentenceDiff(before, after)).toBe(expected);
  });

  const word = fc.constantFrom('a', 'bb', 'c.', 'd! ', '## H\n', '\n', 'e? “f.” ', '…', ' ', '| t | u |\n');
  const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(''));

  test('it tells everything that is gone and everything that is new, and no more', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = sentenceChanges(before, after);
        const balance = (list: readonly string[]) => list.join('').replaceAll('\n', '').length;
        const gone = balance(changes.flatMap(({ removed }) => removed));
        const come = balance(changes.flatMap(({ added }) => added));
        expect(balance([before]) - gone + come).toBe(balance([after]));
        expect(changes.length === 0).toBe(before === after);
        for (const { added } of changes) for (const one of added) expect(after).toContain(one);
        for (const { removed } of changes) for (const one of removed) expect(before).toContain(one);
      }),
      { numRuns: 2000 },
    );
  });

  test.each<[string, (n: number) => string, (n: number) => string]>([
    ['that differ here and there', (n) => `Sentence ${n} of it. `, (n) => `Sentence ${n % 50 === 0 ? -n : n} of it. `],
    ['that differ throughout', (n) => `Old ${n} words. `, (n) => `New ${n} words. `],
    ['that repeat themselves', (n) => `Same ${n % 7}. `, (n) => `Same ${(n * 3) % 7}. `],
    ['that are one line without an end', (n) => `word${n} `, (n) => `word${n % 999 === 0 ? 'x' : n} `],
  ])('texts of a megabyte %s are compared in seconds', (_title, before, after) => {
    const make = (one: (n: number) => string) => {
      let all = '';
      for (let n = 0; all.length < 1_000_000; n += 1) all += one(n) + (n % 10 === 9 ? '\n' : '');
      return all;
    };
    const [old, now] = [make(before), make(after)];
    const start = performance.now();
    expect(sentenceDiff(old, now).length).toBeGreaterThan(0);
    expect(performance.now() - start).toBeLessThan(4000);
  });

  test('a document in one endless line is compared in time too', () => {
    const line = 'word '.repeat(200_000);
    const start = performance.now();
    expect(sentenceDiff(line, `${line}more`).length).toBeGreaterThan(1_000_000);
    expect(performance.now() - start).toBeLessThan(4000);
  });
});
