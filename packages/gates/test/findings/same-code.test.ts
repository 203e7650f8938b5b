import { finding, path, reported } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupBySameCode, problemsIn } from '../../src/findings/same-code.ts';
import type { KnownFinding } from '../../src/findings/types.ts';

const anchor = (text: string, occurrence = 1) => ({ text, occurrence });

describe('two findings', () => {
  const first = finding({ id: 'F1', slot: 1, line: 5, anchor: anchor('a = 1\nb = 2') });

  test.each<[string, Partial<KnownFinding>, boolean]>([
    ['of two reviewers on the same lines', { slot: 2 }, true],
    ['of a rule and a review on the same lines', { gate: 'rule:.:style' }, true],
    ['of one reviewer', {}, false],
    ['on lines that overlap', { slot: 2, line: 6, anchor: anchor('b = 2\nc = 3') }, true],
    ['of which one quotes a part of the line', { slot: 2, line: 6, anchor: anchor('= 2') }, true],
    ['on other lines', { slot: 2, line: 7, anchor: anchor('c = 3') }, false],
    ['with the same line number, but other code', { slot: 2, line: 5, anchor: anchor('x = 9') }, false],
    ['with the same code, reported before it moved', { slot: 2, line: 40 }, true],
    ['with the same text elsewhere', { slot: 2, line: 40, anchor: anchor('a = 1\nb = 2', 2) }, false],
    ['in another file', { slot: 2, file: path('src/b.ts') }, false],
    ['without a file', { slot: 2, file: null }, false],
    ['without code', { slot: 2, anchor: null }, false],
    ['with a long quotation', { slot: 2, anchor: anchor(Array(11).fill('a = 1').join('\n')) }, false],
  ])('%s', (_title, differs, isOne) => {
    const second = { ...first, id: 'F2', ...differs };
    const groups = problemsIn([reported(first), reported(second)]);
    expect(groups).toHaveLength(isOne ? 1 : 2);
  });

  test('an open finding and a warning stay apart', () => {
    expect(problemsIn([reported(first), reported({ ...first, id: 'F2', slot: 2 }, 'warning')])).toHaveLength(2);
  });

  test('the most severe one comes first', () => {
    const [problem] = problemsIn([reported(first), reported({ ...first, id: 'F2', slot: 2, priority: 'critical' })]);
    expect(problem?.map((one) => one.finding.id)).toEqual(['F2', 'F1']);
  });
});

test('groups keep every finding once, never two of one reviewer, and do not depend on the order', () => {
  const some = fc.array(
    fc.record({
      slot: fc.integer({ min: 1, max: 3 }),
      line: fc.integer({ min: 1, max: 6 }),
      length: fc.integer({ min: 1, max: 3 }),
      priority: fc.constantFrom('critical', 'high', 'medium', 'low'),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(some, fc.infiniteStream(fc.nat()), (list, random) => {
      const all = list.map(({ slot, line, length, priority }, index) => {
        const text = Array.from({ length }, (_, at) => `line ${line + at}`).join('\n');
        return {
          ...finding({ id: `F${index + 1}`, slot, line, priority, anchor: anchor(text) }),
          state: 'open',
        } as const;
      });
      const keysOf = (findings: typeof all) =>
        groupBySameCode(findings, (one) => one).map((group) => group.map(({ id }) => id).join());
      const groups = groupBySameCode(all, (one) => one);
      expect(
        groups
          .flat()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(all.map(({ id }) => id).sort());
      for (const group of groups) expect(new Set(group.map(({ slot }) => slot)).size).toBe(group.length);
      const mixed = all
        .map((one) => ({ one, rank: random.next().value }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ one }) => one);
      expect(keysOf(mixed).sort()).toEqual(keysOf(all).sort());
    }),
    { numRuns: 200 },
  );
});
