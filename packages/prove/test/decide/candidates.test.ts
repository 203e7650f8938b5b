import { expect, test } from 'vitest';
import { candidatesInOrder, type DroppedCases } from '../../src/decide/candidates.ts';
import { roundOf, withId } from '../../src/decide/cases.ts';
import type { CaseSource, ProofCase } from '../../src/types.ts';

const casesOf = (source: CaseSource, count: number): readonly ProofCase[] =>
  Array.from({ length: count }, (_, i) =>
    withId({
      ...{ source, title: `${source} ${i + 1}`, base: null, baseFiles: [], planted: null, unedited: null },
      rounds: [roundOf(`${source} ${i + 1}`, [])],
    }),
  );

/** Tries the candidates in order. `drops` says why each of them is left out; those after its end are used. */
function tryCandidates(
  candidates: readonly ProofCase[],
  maxCases: number,
  drops: readonly (keyof DroppedCases | null)[],
) {
  const usedCases: ProofCase[] = [];
  const dropCounts: DroppedCases = { caughtByChecks: 0, checksFailAnyway: 0, notPlayable: 0, noVerdict: 0 };
  const titles: string[] = [];
  for (const candidate of candidatesInOrder(candidates, maxCases, usedCases, dropCounts)) {
    const drop = drops[titles.length] ?? null;
    titles.push(candidate.title);
    if (drop === null) usedCases.push(candidate);
    else dropCounts[drop]++;
  }
  return { titles, used: usedCases.length };
}

const forever = (drop: keyof DroppedCases) => Array.from({ length: 1000 }, () => drop);
const mutants = casesOf('mutant', 100);

test.each<[title: string, drops: readonly (keyof DroppedCases | null)[], expected: readonly string[]]>([
  ['usable cases are tried once', [], ['mutant 1', 'mutant 2']],
  ['a case that the checks catch is replaced', ['caughtByChecks'], ['mutant 1', 'mutant 3', 'mutant 2']],
  [
    'a replacement is replaced too',
    ['caughtByChecks', 'caughtByChecks'],
    ['mutant 1', 'mutant 3', 'mutant 4', 'mutant 2'],
  ],
])('%s', (_title, drops, titles) => {
  expect(tryCandidates(mutants, 2, drops)).toEqual({ titles, used: 2 });
});

test('a case is replaced only by a case from the same source', () => {
  const candidates = [...casesOf('mutant', 1), ...casesOf('clean', 3)];
  expect(tryCandidates(candidates, 2, ['caughtByChecks']).titles).toEqual(['mutant 1', 'clean 1']);
});

test.each<[keyof DroppedCases, tries: number]>([
  // The first two cases, and a replacement for each drop up to the limit.
  ['caughtByChecks', 18],
  ['checksFailAnyway', 4],
  ['notPlayable', 4],
  ['noVerdict', 4],
])('if every case ends with %s, two wanted cases give %i tries', (drop, tries) => {
  expect(tryCandidates(mutants, 2, forever(drop))).toMatchObject({ used: 0, titles: { length: tries } });
});
