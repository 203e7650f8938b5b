import { describe, expect, test } from 'vitest';
import { wrongResults } from '../src/describe/proof.ts';
import { scoreTrials } from '../src/judge/scores.ts';
import type { CaseResult, ProofVariant } from '../src/types.ts';

const NEW: ProofVariant = { reviewers: null, sessions: 'new', reading: null };
const NO_SCORES = scoreTrials([]);
const GATE = {
  gate: 'review:src:code',
  variants: [{ variant: NEW, usage: null, scores: NO_SCORES }],
} as const;

function result(differs: Partial<CaseResult> = {}): CaseResult {
  return {
    ...{ case: 'a', title: 'src/a.ts:1: a removed guard', source: 'mutant', class: 'guard', gate: 'review:src:code' },
    ...{ variant: NEW, repeat: 1, verdict: 'pass', found: false, reviewers: [], calls: 1, usage: null },
    ...differs,
  };
}

describe('the cases that a gate got wrong', () => {
  test('are missed bugs, and changes without a bug that failed', () => {
    const alarm = result({ class: null, verdict: 'fail', title: 'abc as it is: Add a cart' });
    expect(wrongResults(GATE, [alarm, result()])).toEqual([
      'missed: src/a.ts:1: a removed guard',
      'false alarm: abc as it is: Add a cart',
    ]);
  });

  test.each<[title: string, differs: Partial<CaseResult>]>([
    ['a found bug', { found: true, verdict: 'fail' }],
    ['a harmless change that passed', { class: null }],
    ['a bug of another gate', { gate: 'review:src:other' }],
    ['a repeated review', { repeat: 2 }],
    ['a bug of another variant', { variant: { ...NEW, sessions: 'resumed' } }],
  ])('do not include %s', (_title, differs) => {
    expect(wrongResults(GATE, [result(differs)])).toEqual([]);
  });

  test('are five of each, with the number of the others', () => {
    const lines = wrongResults(
      GATE,
      Array.from({ length: 8 }, () => result()),
    );
    expect(lines).toHaveLength(6);
    expect(lines.at(-1)).toBe('missed: 3 more; see --report html=FILE');
  });

  test('show a title with control characters on one line', () => {
    expect(wrongResults(GATE, [result({ title: 'a\u001b[2J\nb' })])).toEqual(['missed: a\\u001b[2J; b']);
  });
});
