import { describe, expect, test } from 'vitest';
import { seededRandom } from '../src/decide/random.ts';
import { EXPOSED } from '../src/describe/proof.ts';
import { compareVariants, exposureOf, scoreTrials, type Trial } from '../src/judge/scores.ts';
import type { CaseResult, CountedShare } from '../src/types.ts';

/** The true rates of a scripted reviewer. */
type Rates = { readonly detects: number; readonly alarms: number };

/** Plays a proof: a reviewer finds each bug with one probability and raises a false alarm with another. */
function simulate({ detects, alarms }: Rates, counts: { bugs: number; clean: number }, random: () => number): Trial[] {
  const trial = (id: string, isBug: boolean, repeat: number): Trial => {
    const isFound = isBug && random() < detects;
    const verdict = isFound || random() < alarms ? 'fail' : 'pass';
    return { case: id, class: isBug ? 'guard' : null, repeat, verdict, found: isFound };
  };
  const ids = [
    ...Array.from({ length: counts.bugs }, (_, i) => [`bug ${i}`, true] as const),
    ...Array.from({ length: counts.clean }, (_, i) => [`clean ${i}`, false] as const),
  ];
  return ids.flatMap(([id, isBug]) => [trial(id, isBug, 1), trial(id, isBug, 2)]);
}

describe('scores', () => {
  test.each([
    [
      'rubber-stamp',
      { detects: 0, alarms: 0 },
      'This gate passes nearly everything: it passed 18 of 18 (95 %: 82–100 %)',
    ],
    [
      'always-fails',
      { detects: 0.3, alarms: 1 },
      'This gate fails nearly everything: it failed 12 of 12 (95 %: 76–100 %)',
    ],
  ] as const)('30 cases expose a reviewer that is a %s, in one line', (exposure, rates, line) => {
    const scores = scoreTrials(simulate(rates, { bugs: 18, clean: 12 }, seededRandom(1)));
    const actualExposure = exposureOf(scores);
    expect(actualExposure).toBe(exposure);
    expect(EXPOSED[exposure](scores)).toContain(line);
    expect(EXPOSED[exposure](scores)).not.toContain('\n');
  });

  test('an average reviewer, and one with few cases, is not exposed', () => {
    const random = seededRandom(3);
    const average = { detects: 0.5, alarms: 0.2 };
    const wrong = Array.from({ length: 200 }, () => simulate(average, { bugs: 18, clean: 12 }, random)).filter(
      (trials) => exposureOf(scoreTrials(trials)) !== null,
    );
    expect(wrong).toEqual([]);
    expect(exposureOf(scoreTrials(simulate({ detects: 0, alarms: 0 }, { bugs: 3, clean: 2 }, random)))).toBeNull();
  });

  test('repeated reviews of a case count for flips only', () => {
    const trial = (repeat: number, verdict: 'pass' | 'fail'): Trial => ({
      ...{ case: 'a', class: 'guard', repeat, verdict, found: verdict === 'fail' },
    });
    const scores = scoreTrials([trial(1, 'fail'), trial(2, 'pass'), trial(3, 'fail')]);
    const counts = ({ count, of }: CountedShare) => [count, of];
    expect(counts(scores.found)).toEqual([1, 1]);
    expect(counts(scores.falsePasses)).toEqual([0, 1]);
    expect(counts(scores.flips)).toEqual([1, 1]);
    expect(scores.falseAlarms).toEqual({ count: 0, of: 0, low: 0, high: 1 });
  });
});

describe('comparison of variants', () => {
  const result = (id: number, sessions: 'new' | 'resumed', isFound: boolean): CaseResult => ({
    ...{
      case: String(id),
      title: 'a scenario',
      source: 'scenario',
      class: 'guard',
      gate: 'review:src:code',
      repeat: 1,
      found: isFound,
    },
    ...{
      variant: { reviewers: null, sessions, reading: null },
      verdict: isFound ? 'fail' : 'pass',
      reviewers: [],
      calls: 1,
      usage: null,
    },
  });
  const compareNew = (onlyNew: number, bothCount: number) =>
    compareVariants(
      Array.from({ length: onlyNew + bothCount }, (_, i) => [
        result(i, 'new', true),
        result(i, 'resumed', i >= onlyNew),
      ]).flat(),
    );

  test('eight bugs that only one variant found are more than chance', () => {
    expect(compareNew(8, 4)).toMatchObject([{ cases: 12, onlyA: 8, onlyB: 0 }]);
    expect(compareNew(8, 4)[0]?.p).toBeLessThan(0.01);
  });

  test('the same difference is less certain if it is one of several', () => {
    const results = ['new', 'resumed', 'skipped'] as const;
    const variantResults = results.flatMap((sessions) =>
      Array.from({ length: 12 }, (_, i) => ({
        ...result(i, 'new', sessions !== 'resumed' || i >= 6),
        variant: { reviewers: null, sessions, reading: null },
      })),
    );
    const two = variantResults.filter(({ variant }) => variant.sessions !== 'skipped');
    expect(compareVariants(two)).toMatchObject([{ onlyA: 6, onlyB: 0, p: expect.closeTo(0.031, 3) }]);
    expect(compareVariants(variantResults).map(({ onlyA, onlyB, p }) => [onlyA, onlyB, Number(p.toFixed(3))])).toEqual([
      ...[
        [6, 0, 0.094],
        [0, 0, 1],
        [0, 6, 0.094],
      ],
    ]);
  });

  test('three such bugs are not', () => {
    expect(compareNew(3, 9)[0]?.p).toBeGreaterThan(0.05);
  });
});
