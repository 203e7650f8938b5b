import { addUsage, type Usage } from '@onceover/base/kernel/agent';
import { grouped } from '@onceover/base/kernel/collections';
import { shareOf, signTest } from '@onceover/base/kernel/statistics';
import {
  BUG_CLASSES,
  type CaseResult,
  type CountedShare,
  type ProofVariant,
  type ReviewerScores,
  type Scores,
  type VariantComparison,
  type VariantScores,
} from '../types.ts';

/** The verdict of a gate, or of one reviewer, on one test case. */
export type Trial = Pick<CaseResult, 'case' | 'class' | 'repeat' | 'verdict' | 'found'>;

/** Returns the share of `count` in `of`, with its 95 % Wilson confidence interval. */
function countedShare(count: number, of: number): CountedShare {
  const { low, high } = shareOf(count, of) ?? { low: 0, high: 1 };
  return { count, of, low, high };
}

/**
 * Returns the scores over these verdicts. Only the first review of each test case counts. Repeated reviews of a case
 * are not independent, so they are used only to measure how often verdicts change.
 */
export function scoreTrials(trials: readonly Trial[]): Scores {
  const first = trials.filter(({ repeat }) => repeat === 1);
  const bugs = first.filter((trial) => trial.class !== null);
  const harmless = first.filter((trial) => trial.class === null);
  const foundIn = (list: readonly Trial[]) => countedShare(list.filter(({ found }) => found).length, list.length);
  return {
    found: foundIn(bugs),
    byClass: BUG_CLASSES.flatMap((name) => {
      const classBugs = bugs.filter((trial) => trial.class === name);
      return classBugs.length === 0 ? [] : [{ class: name, found: foundIn(classBugs) }];
    }),
    falseAlarms: countedShare(harmless.filter(({ verdict }) => verdict === 'fail').length, harmless.length),
    falsePasses: countedShare(bugs.filter(({ verdict }) => verdict === 'pass').length, bugs.length),
    flips: flipsIn(trials),
  };
}

/**
 * Returns how often two reviews of the same input had different verdicts. Compares the first review with the second,
 * the third with the fourth, and so on, so that no review is in two pairs.
 */
function flipsIn(trials: readonly Trial[]): CountedShare {
  let pairs = 0;
  let flips = 0;
  for (const caseTrials of grouped(trials, (trial) => trial.case).values()) {
    const verdicts = new Map(caseTrials.map(({ repeat, verdict }) => [repeat, verdict]));
    for (let repeat = 1; verdicts.has(repeat) && verdicts.has(repeat + 1); repeat += 2) {
      pairs++;
      if (verdicts.get(repeat) !== verdicts.get(repeat + 1)) flips++;
    }
  }
  return countedShare(flips, pairs);
}

/** Returns the scores of each reviewer, identified by its number, agent and model. */
export function scoreReviewers(results: readonly CaseResult[]): readonly ReviewerScores[] {
  const rows = results.flatMap((result) => result.reviewers.map((reviewer) => ({ result, reviewer })));
  const keyOf = ({ reviewer: { slot, agent, model } }: (typeof rows)[number]) => JSON.stringify([slot, agent, model]);
  return [...grouped(rows, keyOf).values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { slot, agent, model } = first.reviewer;
      const trials = group.map(({ result, reviewer: { verdict, found } }) => ({ ...result, verdict, found }));
      return [{ slot, agent, model, scores: scoreTrials(trials) }];
    })
    .sort((a, b) => a.slot - b.slot);
}

/** Returns the scores and the cost of each compared configuration. */
export function scoreVariants(results: readonly CaseResult[]): readonly VariantScores[] {
  return [...byVariant(results).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const usages = group.filter(({ repeat }) => repeat === 1).map(({ usage }) => usage);
    const usage = usages.reduce((sum: Usage | null, trialUsage) => addUsage(sum, trialUsage), null);
    return [{ variant: first.variant, scores: scoreTrials(group), usage }];
  });
}

/**
 * Compares every two configurations on the bugs that both reviewed: which bugs did only one of them find? With many
 * comparisons, some differences are large by chance. So each p-value is multiplied by the number of comparisons
 * (Bonferroni correction).
 */
export function compareVariants(results: readonly CaseResult[]): readonly VariantComparison[] {
  const variants = [...byVariant(results.filter((result) => result.class !== null && result.repeat === 1)).values()];
  const comparisons = (variants.length * (variants.length - 1)) / 2;
  return variants.flatMap((a, i) =>
    variants.slice(i + 1).flatMap((b) => {
      const [sampleA] = a;
      const [sampleB] = b;
      if (sampleA === undefined || sampleB === undefined) return [];
      const inB = new Map(b.map((result) => [result.case, result.found]));
      const commonResults = a.filter((result) => inB.has(result.case));
      const onlyA = commonResults.filter((result) => result.found && inB.get(result.case) === false).length;
      const onlyB = commonResults.filter((result) => !result.found && inB.get(result.case) === true).length;
      const p = Math.min(1, signTest(onlyA, onlyB) * comparisons);
      return [{ a: sampleA.variant, b: sampleB.variant, cases: commonResults.length, onlyA, onlyB, p }];
    }),
  );
}

function byVariant(results: readonly CaseResult[]): ReadonlyMap<string, readonly CaseResult[]> {
  return grouped(results, ({ variant }) => variantKey(variant));
}

export function variantKey({ reviewers, sessions, reading }: ProofVariant): string {
  return `${reviewers ?? 'configured'} ${sessions}${reading === null ? '' : ` ${reading}`}`;
}

/** A gate that passes nearly everything, or that fails nearly everything. */
export type Exposure = 'rubber-stamp' | 'always-fails';

/**
 * Returns whether a gate passes or fails nearly everything. Returns `null` unless there are enough test cases and the
 * confidence intervals are clear.
 */
export function exposureOf({
  found,
  falseAlarms,
  falsePasses,
}: Pick<Scores, 'found' | 'falseAlarms' | 'falsePasses'>): Exposure | null {
  if (found.of >= LEAST_CASES && falsePasses.low >= 0.5 && found.high <= 0.35) return 'rubber-stamp';
  if (falseAlarms.of >= LEAST_CASES && falseAlarms.low >= 0.5) return 'always-fails';
  return null;
}

const LEAST_CASES = 5;
