import { expect, test } from 'vitest';
import { seededRandom } from '../src/decide/random.ts';
import { scoreRows } from '../src/describe/proof.ts';
import { scoreReviewers, scoreTrials, scoreVariants } from '../src/judge/scores.ts';
import type { BugClass, CaseResult, CountedShare, ReviewerResult } from '../src/types.ts';

const PROOFS = 500;

/**
 * The true rates of a scripted reviewer. `flips` is the probability that its second review of the same input gives the
 * other verdict.
 */
type Rates = { readonly detects: Readonly<Record<string, number>>; readonly alarms: number; readonly flips: number };

const CLASSES = ['boundary', 'guard', 'await'] as const;
const USD_PER_REVIEW = 1000;

type Case = { readonly id: string; readonly class: BugClass | null };

/** Simulates both reviews of a case by these reviewers. The gate fails if one of them fails. */
function results({ id, class: kind }: Case, reviewers: readonly Rates[], random: () => number): readonly CaseResult[] {
  const first = reviewers.map(({ detects, alarms }, i): ReviewerResult => {
    const isFound = kind !== null && random() < (detects[kind] ?? 0);
    const verdict = isFound || random() < alarms ? 'fail' : 'pass';
    return { slot: i + 1, agent: `agent-${i + 1}`, model: null, verdict, found: isFound };
  });
  const second = first.map((result, i): ReviewerResult => {
    if (random() >= (reviewers[i]?.flips ?? 0)) return result;
    return { ...result, verdict: result.verdict === 'pass' ? 'fail' : 'pass' };
  });
  return [first, second].map((reviewerResults, i) => ({
    ...{ case: id, title: id, source: 'mutant', class: kind, gate: 'review:src:code', repeat: i + 1, calls: 1 },
    variant: { reviewers: null, sessions: 'new', reading: null },
    verdict: reviewerResults.some(({ verdict }) => verdict === 'fail') ? 'fail' : 'pass',
    found: reviewerResults.some(({ found }) => found),
    reviewers: reviewerResults,
    usage: {
      ...{ inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1 },
      costUsd: USD_PER_REVIEW,
    },
  }));
}

const product = (numbers: readonly number[]) => numbers.reduce((result, factor) => result * factor, 1);
const share = (list: readonly Case[], chance: (one: Case) => number) =>
  list.reduce((sum, bugCase) => sum + chance(bugCase), 0) / list.length;

/** Returns the true value of each score of these reviewers together. */
function truthOf(cases: readonly Case[], reviewers: readonly Rates[]) {
  const bugs = cases.filter((bugCase) => bugCase.class !== null);
  const finds = (bugCase: Case) => 1 - product(reviewers.map(({ detects }) => 1 - (detects[bugCase.class ?? ''] ?? 0)));
  const passes = ({ class: kind }: Case) =>
    reviewers.map(({ detects, alarms }) => (1 - (detects[kind ?? ''] ?? 0)) * (1 - alarms));
  const flips = (bugCase: Case) => {
    const ways = passes(bugCase).map((pass, i) => ({ pass, flips: reviewers[i]?.flips ?? 0 }));
    const bothPass = product(ways.map((way) => way.pass * (1 - way.flips)));
    const firstPasses = product(ways.map((way) => way.pass));
    const secondPasses = product(ways.map((way) => way.pass * (1 - way.flips) + (1 - way.pass) * way.flips));
    return firstPasses - bothPass + (secondPasses - bothPass);
  };
  return {
    found: share(bugs, finds),
    falseAlarms: 1 - product(reviewers.map(({ alarms }) => 1 - alarms)),
    falsePasses: share(bugs, (bugCase) => product(passes(bugCase))),
    flips: share(cases, flips),
    byClass: Object.fromEntries(CLASSES.map((kind) => [kind, finds({ id: '', class: kind })])),
  };
}

/** Returns the lower and the upper end of the cost per bug, as the report shows them. */
function costPerBug(caseResults: readonly CaseResult[]): readonly [low: number, high: number] | null {
  const variants = scoreVariants(caseResults);
  const proof = {
    ...{ gate: 'review:src:code', promptDigest: '', agentsDigest: '', at: '', agents: [], comparisons: [], calls: 0 },
    ...{ scores: scoreTrials(caseResults), reviewers: [], variants, usage: variants[0]?.usage ?? null },
  };
  const text = scoreRows(proof).find(([label]) => label === 'cost')?.[1] ?? '';
  const [, low, high] = /per bug found \(95 %: \$([\d.]+)–\$([\d.]+)\)/.exec(text) ?? [];
  return low === undefined || high === undefined ? null : [Number(low), Number(high)];
}

/** Counts for each score how many intervals contain the true value. */
function coverage(): ReadonlyMap<string, readonly [inside: number, of: number]> {
  const random = seededRandom(20_261_119);
  const counts = new Map<string, readonly [inside: number, of: number]>();
  const note = (score: string, isInside: boolean) => {
    const [inside, of] = counts.get(score) ?? [0, 0];
    counts.set(score, [inside + (isInside ? 1 : 0), of + 1]);
  };
  const compare = (score: string, { of, low, high }: CountedShare, truth: number) => {
    if (of > 0) note(score, truth >= low && truth <= high);
  };
  for (let i = 0; i < PROOFS; i++) {
    const rates = (): Rates => ({
      detects: Object.fromEntries(CLASSES.map((kind) => [kind, 0.05 + 0.9 * random()])),
      alarms: 0.02 + 0.5 * random(),
      flips: 0.02 + 0.3 * random(),
    });
    const reviewers = [rates(), rates()];
    const numbers = (maxExtra: number) => Array.from({ length: 12 + Math.floor(random() * maxExtra) }, (_, k) => k);
    const cases: readonly Case[] = [
      ...CLASSES.flatMap((kind) => numbers(20).map((k) => ({ id: `${kind} ${k}`, class: kind }))),
      ...numbers(40).map((k) => ({ id: `clean ${k}`, class: null })),
    ];
    const caseResults = cases.flatMap((bugCase) => results(bugCase, reviewers, random));
    const truth = truthOf(cases, reviewers);
    const scores = scoreTrials(caseResults);
    for (const name of ['found', 'falseAlarms', 'falsePasses', 'flips'] as const) {
      compare(name, scores[name], truth[name]);
    }
    for (const classScore of scores.byClass)
      compare(`found ${classScore.class}`, classScore.found, truth.byClass[classScore.class] ?? -1);
    for (const { slot, scores: reviewerScores } of scoreReviewers(caseResults)) {
      const alone = truthOf(
        cases,
        reviewers.filter((_, k) => k === slot - 1),
      );
      for (const name of ['found', 'falseAlarms', 'falsePasses', 'flips'] as const) {
        compare(`reviewer ${slot} ${name}`, reviewerScores[name], alone[name]);
      }
    }
    const cost = costPerBug(caseResults);
    const bugs = cases.filter((bugCase) => bugCase.class !== null).length;
    const perBug = (cases.length * USD_PER_REVIEW) / (bugs * truth.found);
    if (cost !== null) note('cost per bug found', perBug >= cost[0] && perBug <= cost[1]);
  }
  return counts;
}

test('for each score of 500 simulated proofs, at least 93 % of the intervals contain the true value', () => {
  const counts = coverage();
  expect([...counts.keys()]).toEqual([
    ...['found', 'falseAlarms', 'falsePasses', 'flips', 'found boundary', 'found guard', 'found await'],
    ...[1, 2].flatMap((slot) =>
      ['found', 'falseAlarms', 'falsePasses', 'flips'].map((name) => `reviewer ${slot} ${name}`),
    ),
    'cost per bug found',
  ]);
  for (const [score, [inside, of]] of counts) {
    expect({ score, of }).toEqual({ score, of: PROOFS });
    expect({ score, isEnough: inside / of >= 0.93, inside }).toMatchObject({ score, isEnough: true });
  }
});
