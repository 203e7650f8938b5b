import { describe, expect, test } from 'vitest';
import {
  compareVariants,
  exposureOf,
  scoreReviewers,
  scoreTrials,
  scoreVariants,
  type Trial,
  variantKey,
} from '../../src/judge/scores.ts';
import type { CaseResult, CountedShare, ProofVariant, ReviewerResult, Scores } from '../../src/types.ts';

const NEW: ProofVariant = { reviewers: null, sessions: 'new', reading: null };
const RESUMED: ProofVariant = { reviewers: null, sessions: 'resumed', reading: null };
const THREE: ProofVariant = { reviewers: 3, sessions: 'new', reading: null };

function result(differs: Partial<CaseResult> = {}): CaseResult {
  return {
    ...{
      case: 'a',
      title: 'src/a.ts:1: a removed guard',
      source: 'mutant',
      class: 'guard',
      gate: 'review:src:code',
      variant: NEW,
      repeat: 1,
    },
    ...{ verdict: 'fail', found: true, reviewers: [], calls: 1, usage: null },
    ...differs,
  };
}

function reviewer(differs: Partial<ReviewerResult> = {}): ReviewerResult {
  return { slot: 1, agent: 'claude', model: null, verdict: 'fail', found: true, ...differs };
}

const counts = ({ count, of }: CountedShare) => [count, of];

describe('scoreReviewers', () => {
  test('counts the verdicts of the reviewer, not those of the gate', () => {
    const miss = reviewer({ slot: 2, verdict: 'pass', found: false });
    const rows = scoreReviewers([
      result({ case: 'a', reviewers: [reviewer(), miss] }),
      result({ case: 'b', class: null, found: false, reviewers: [reviewer({ found: false }), miss] }),
    ]);
    expect(
      rows.map(({ slot, scores: { found, falseAlarms, falsePasses } }) => ({
        slot,
        found: counts(found),
        falseAlarms: counts(falseAlarms),
        falsePasses: counts(falsePasses),
      })),
    ).toEqual([
      { slot: 1, found: [1, 1], falseAlarms: [1, 1], falsePasses: [0, 1] },
      { slot: 2, found: [0, 1], falseAlarms: [0, 1], falsePasses: [1, 1] },
    ]);
  });

  test.each<[string, readonly ReviewerResult[], readonly (readonly [number, string, string | null])[]]>([
    ['no reviewers', [], []],
    ['the same reviewer in two cases', [reviewer(), reviewer()], [[1, 'claude', null]]],
    [
      'two agents with the same number',
      [reviewer(), reviewer({ agent: 'codex' })],
      [
        [1, 'claude', null],
        [1, 'codex', null],
      ],
    ],
    [
      'two models of one agent',
      [reviewer({ model: 'large' }), reviewer({ model: 'small' })],
      [
        [1, 'claude', 'large'],
        [1, 'claude', 'small'],
      ],
    ],
    [
      'reviewers out of order',
      [reviewer({ slot: 3 }), reviewer({ slot: 1 }), reviewer({ slot: 2 })],
      [
        [1, 'claude', null],
        [2, 'claude', null],
        [3, 'claude', null],
      ],
    ],
  ])('has a row for each number, agent and model: %s', (_title, reviewers, rowKeys) => {
    const rows = scoreReviewers(
      reviewers.map((reviewerResult, i) => result({ case: `case ${i}`, reviewers: [reviewerResult] })),
    );
    expect(rows.map(({ slot, agent, model }) => [slot, agent, model])).toEqual(rowKeys);
  });

  test('counts two different verdicts of a reviewer on the same case as a flip', () => {
    const [row] = scoreReviewers([
      result({ repeat: 1, reviewers: [reviewer()] }),
      result({ repeat: 2, reviewers: [reviewer({ verdict: 'pass', found: false })] }),
    ]);
    expect(counts(row?.scores.flips ?? { count: -1, of: -1, low: 0, high: 1 })).toEqual([1, 1]);
  });
});

describe('scoreVariants', () => {
  test('has one row for each variant, in the order in which they were played', () => {
    const rows = scoreVariants([
      result({ variant: RESUMED }),
      result({ variant: NEW, found: false, verdict: 'pass' }),
      result({ variant: { ...RESUMED }, case: 'b', found: false, verdict: 'pass' }),
      result({ variant: THREE }),
    ]);
    expect(rows.map(({ variant, scores }) => [variant, counts(scores.found)])).toEqual([
      [RESUMED, [1, 2]],
      [NEW, [0, 1]],
      [THREE, [1, 1]],
    ]);
  });

  test('has no row without results', () => {
    expect(scoreVariants([])).toEqual([]);
  });
});

describe('compareVariants', () => {
  test('compares every two variants', () => {
    const rows = compareVariants([NEW, RESUMED, THREE].map((variant) => result({ variant })));
    expect(rows.map(({ a, b }) => [a, b])).toEqual([
      [NEW, RESUMED],
      [NEW, THREE],
      [RESUMED, THREE],
    ]);
  });

  test('counts the bugs that only the second variant found', () => {
    const rows = compareVariants([
      result({ found: false }),
      result({ case: 'b' }),
      result({ variant: RESUMED }),
      result({ case: 'b', variant: RESUMED }),
    ]);
    expect(rows).toEqual([{ a: NEW, b: RESUMED, cases: 2, onlyA: 0, onlyB: 1, p: 1 }]);
  });

  test.each<[string, readonly CaseResult[], readonly number[]]>([
    ['cases that only one variant played', [result({ variant: RESUMED, case: 'b' })], [0]],
    ['cases without a bug', [result({ variant: RESUMED, class: null })], []],
    ['repeated reviews', [result({ variant: RESUMED, repeat: 2 })], []],
  ])('leaves out %s', (_title, otherResults, caseCounts) => {
    expect(compareVariants([result(), ...otherResults]).map(({ cases }) => cases)).toEqual(caseCounts);
  });
});

test.each<[ProofVariant, string]>([
  [NEW, 'configured new'],
  [THREE, '3 new'],
  [{ reviewers: 1, sessions: 'skipped', reading: null }, '1 skipped'],
])('the key of the variant %j is "%s"', (variant, key) => {
  expect(variantKey(variant)).toBe(key);
});

describe('scoreTrials', () => {
  const trial = (differs: Partial<Trial>): Trial => ({
    ...{ case: 'a', class: 'guard', repeat: 1, verdict: 'fail', found: true },
    ...differs,
  });

  test('lists only classes that were played, in the order of all classes', () => {
    const trials = [
      trial({ case: 'a', class: 'unit' }),
      trial({ case: 'b', class: 'boundary', found: false }),
      trial({ case: 'c', class: 'unit', found: false }),
    ];
    expect(scoreTrials(trials).byClass.map((row) => [row.class, counts(row.found)])).toEqual([
      ['boundary', [0, 1]],
      ['unit', [1, 2]],
    ]);
  });

  test('has the widest interval without trials', () => {
    const noShare = { count: 0, of: 0, low: 0, high: 1 };
    expect(scoreTrials([])).toEqual({
      found: noShare,
      byClass: [],
      falseAlarms: noShare,
      falsePasses: noShare,
      flips: noShare,
    });
  });

  test.each<[string, readonly ('pass' | 'fail')[], readonly [number, number]]>([
    ['one review', ['fail'], [0, 0]],
    ['two reviews that agree', ['fail', 'fail'], [0, 1]],
    ['three reviews, of which the third has no pair', ['fail', 'fail', 'pass'], [0, 1]],
    ['four reviews with one flip', ['fail', 'fail', 'fail', 'pass'], [1, 2]],
  ])('counts the flips of %s', (_title, verdicts, flipCounts) => {
    const trials = verdicts.map((verdict, i) => trial({ repeat: i + 1, verdict }));
    expect(counts(scoreTrials(trials).flips)).toEqual(flipCounts);
  });
});

describe('exposureOf', () => {
  const share = (count: number, of: number, low: number, high: number): CountedShare => ({ count, of, low, high });
  const noShare = share(0, 0, 0, 1);
  const scores = (differs: Partial<Scores>): Scores => ({
    ...{ found: noShare, byClass: [], falseAlarms: noShare, falsePasses: noShare, flips: noShare },
    ...differs,
  });
  const passesAll = { found: share(0, 9, 0, 0.3), falsePasses: share(9, 9, 0.7, 1) };

  test.each<[string, Partial<Scores>, ReturnType<typeof exposureOf>]>([
    ['no cases', {}, null],
    ['passes everything', passesAll, 'rubber-stamp'],
    ['passes everything in 4 cases', { ...passesAll, found: share(0, 4, 0, 0.3) }, null],
    ['may pass less than half', { ...passesAll, falsePasses: share(6, 9, 0.49, 0.9) }, null],
    ['may find more than a third', { ...passesAll, found: share(1, 9, 0, 0.36) }, null],
    ['fails all harmless cases', { falseAlarms: share(5, 5, 0.57, 1) }, 'always-fails'],
    ['fails all of 4 harmless cases', { falseAlarms: share(4, 4, 0.51, 1) }, null],
    ['may fail less than half of the harmless cases', { falseAlarms: share(6, 9, 0.35, 0.9) }, null],
  ])('%s', (_title, differs, exposure) => {
    expect(exposureOf(scores(differs))).toBe(exposure);
  });
});
