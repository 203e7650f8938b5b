import { totalTokens, type Usage } from '@onceover/base/kernel/agent';
import { oneLine, quoteName } from '@onceover/base/kernel/escape';
import { type Styled, wrapTo } from '@onceover/base/ui/style';
import { count, someNames, tokensOf, usdOf } from '@onceover/base/ui/wording';
import { type Exposure, exposureOf, variantKey } from '../judge/scores.ts';
import type { PlayedProve } from '../result-types.ts';
import type { CaseResult, CountedShare, GateProof, Scores, VariantComparison } from '../types.ts';
import { CLASS_WORDS, NO_CASES, variantText } from './plan.ts';
import { shareText } from './proof-line.ts';

/**
 * Describes the result of `onceover prove`: the scores of each gate, what is unusual, and which test cases were left
 * out.
 */
export function describeProof(result: PlayedProve, style: Styled): string {
  const blocks = [
    ...result.proofs.map((proof) => gateBlock(proof, result.results, style)),
    ...proofNotes(result).map((line) => wrapTo(line, style, 0)),
  ];
  return blocks.join('\n\n');
}

/** Describes the result of `onceover prove` in one line. */
export function describeProofTitle({ proofs }: Pick<PlayedProve, 'proofs'>): string {
  const shares = proofs.map(({ scores }) => scores.found);
  const [foundCount, plantedCount] = [
    shares.reduce((sum, share) => sum + share.count, 0),
    shares.reduce((sum, share) => sum + share.of, 0),
  ];
  return plantedCount === 0
    ? 'No planted bug has a result'
    : `Found ${foundCount} of ${count(plantedCount, 'planted bug')}${proofs.length > 1 ? ` in ${proofs.length} gates` : ''}`;
}

function gateBlock(proof: GateProof, results: readonly CaseResult[], style: Styled): string {
  const exposure = exposureOf(proof.scores);
  const rows = scoreRows(proof);
  const width = Math.max(...rows.map(([label]) => label.length));
  return [
    style.paint('strong', `${quoteName(proof.gate)}`),
    ...(exposure === null ? [] : [style.paint('bad', wrapTo(`  ${EXPOSED[exposure](proof.scores)}`, style, 2))]),
    ...rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`),
    ...proof.comparisons.map((comparison) => wrapTo(`  ${comparisonText(comparison)}`, style, 2)),
    ...wrongResults(proof, results).map((line) => wrapTo(`  ${line}`, style, 4)),
  ].join('\n');
}

const MOST_EXAMPLES = 5;

/** Returns one line for each of the first bugs that a gate missed, and for each of its first false alarms. */
export function wrongResults(
  { gate, variants: [headline] }: Pick<GateProof, 'gate' | 'variants'>,
  results: readonly CaseResult[],
): readonly string[] {
  const headlineResults = results.filter(
    (result) =>
      result.gate === gate &&
      result.repeat === 1 &&
      headline !== undefined &&
      variantKey(result.variant) === variantKey(headline.variant),
  );
  const exampleLines = (words: string, list: readonly CaseResult[]) => [
    ...list.slice(0, MOST_EXAMPLES).map(({ title }) => `${words}: ${oneLine(title)}`),
    ...(list.length > MOST_EXAMPLES ? [`${words}: ${list.length - MOST_EXAMPLES} more; see --report html=FILE`] : []),
  ];
  const misses = headlineResults.filter((result) => result.class !== null && !result.found);
  const alarms = headlineResults.filter((result) => result.class === null && result.verdict === 'fail');
  return [...exampleLines('missed', misses), ...exampleLines('false alarm', alarms)];
}

/** The sentence about a gate that passes or fails nearly everything. */
export const EXPOSED: Readonly<Record<Exposure, (scores: Scores) => string>> = {
  'rubber-stamp': ({ falsePasses }) =>
    `This gate passes nearly everything: it passed ${shareText(falsePasses)} changes with a planted bug.`,
  'always-fails': ({ falseAlarms }) =>
    `This gate fails nearly everything: it failed ${shareText(falseAlarms)} changes without a bug.`,
};

/** Returns a label and a value for each score of a gate. */
export function scoreRows({
  scores,
  reviewers,
  variants,
  usage,
}: GateProof): readonly (readonly [label: string, text: string])[] {
  const { found, byClass, falseAlarms, falsePasses, flips } = scores;
  const [headline] = variants;
  return [
    ...(headline === undefined || variants.length < 2 ? [] : [['scores of', variantText(headline.variant)] as const]),
    ['bugs found', shareText(found)],
    ...(byClass.length < 2
      ? []
      : byClass.map((classScore) => [`  ${CLASS_WORDS[classScore.class]}`, shareText(classScore.found)] as const)),
    ['false alarms', shareText(falseAlarms)],
    ['passed with a bug', shareText(falsePasses)],
    ['verdict flips', flips.of === 0 ? 'not measured; use --repeat 2' : shareText(flips)],
    ...(reviewers.length < 2
      ? []
      : reviewers.map(({ slot, agent, model, scores: reviewerScores }) => {
          const name = `reviewer ${slot}, ${model === null ? agent : `${agent} ${model}`}`;
          return [
            `  ${name}`,
            `found ${shareText(reviewerScores.found)}; false alarms ${shareText(reviewerScores.falseAlarms)}`,
          ] as const;
        })),
    ['cost', costText(found, usage, headline?.usage ?? null)],
    ...(variants.length < 2
      ? []
      : variants.map(({ variant, scores: variantScores, usage: variantUsage }) => {
          const price = variantUsage === null ? '' : `; ${priceOf(variantUsage)}`;
          const text = `found ${shareText(variantScores.found)}; passed with a bug ${shareText(variantScores.falsePasses)}${price}`;
          return [`  ${variantText(variant)}`, text] as const;
        })),
  ];
}

/**
 * Describes the cost of all reviews, and the cost per bug found. The cost per bug counts only the first review of each
 * test case (`first`).
 */
function costText(bugShare: CountedShare, totalUsage: Usage | null, first: Usage | null): string {
  if (totalUsage === null || first === null) return 'not reported by the agents';
  if (bugShare.of === 0) return priceOf(totalUsage);
  if (bugShare.count === 0) return `${priceOf(totalUsage)}; no bug was found`;
  const per = (bugs: number) => priceOf(first, bugs);
  // The cost interval follows from the interval of the share of bugs found: if fewer bugs were found, each cost more.
  const [low, high] = [per(bugShare.high * bugShare.of), per(Math.max(bugShare.low, 1e-9) * bugShare.of)];
  return `${priceOf(totalUsage)}, ${per(bugShare.count)} per bug found (95 %: ${low}–${high})`;
}

function priceOf(usage: Usage, parts = 1): string {
  return usage.costUsd === null ? `${tokensOf(totalTokens(usage) / parts)} tokens` : usdOf(usage.costUsd / parts);
}

/**
 * Describes which of two compared configurations found more bugs, but only if the difference is unlikely to be chance.
 */
export function comparisonText({ a, b, cases, onlyA, onlyB, p }: VariantComparison): string {
  const [textA, textB] = [variantText(a), variantText(b)];
  const facts = `${onlyA} found only with ${textA}, ${onlyB} only with ${textB}, of ${count(cases, 'bug')}`;
  if (p >= 0.05) return `No difference that these cases can show: ${facts}.`;
  return `${onlyA > onlyB ? textA : textB} finds more: ${facts} (p = ${p.toFixed(3)}).`;
}

/**
 * Returns the notes that follow the scores: why `onceover prove` ended, which test cases were left out, and what the
 * reviews cost.
 */
export function proofNotes({
  end,
  cases,
  dropped,
  spent,
  proofs,
  trouble,
  plan,
  outdone,
}: PlayedProve): readonly string[] {
  if (plan.cases.length === 0) return [NO_CASES];
  const dropReasons = [
    [dropped.caughtByChecks, 'caught by your checks'],
    [dropped.checksFailAnyway, 'on commits whose checks fail here even without the edit'],
    [dropped.notPlayable, 'not playable'],
    [dropped.noVerdict, 'without a verdict'],
  ] as const;
  const dropTexts = dropReasons.filter(([number]) => number > 0).map(([number, words]) => `${number} ${words}`);
  const usd = spent.usage?.costUsd ?? null;
  const price = usd === null ? '' : `, ${usdOf(usd)}`;
  const error = trouble?.gates.flatMap(({ slots }) => slots).find((slot) => slot.trouble !== null)?.trouble;
  return [
    ...(dropTexts.length === 0 ? [] : [`Left out: ${dropTexts.join(', ')}.`]),
    `${count(cases.length, 'case')} played, ${count(spent.calls, 'new call')}${price}.${proofs.length === 0 ? ' No gate has a result.' : ''}`,
    ...(outdone.length === 0
      ? []
      : [
          `"onceover status" still shows the earlier proof of ${someNames(outdone)}, because it has more cases of the same prompt, agents and models.`,
        ]),
    ...(end === 'budget'
      ? ['The budget is spent. Run the same command again to continue; kept answers cost nothing.']
      : []),
    ...(end === 'no-verdict'
      ? [
          `Three cases in a row ended without a verdict${error === undefined || error === null ? '' : ` (${error.kind})`}. Run "onceover doctor".`,
        ]
      : []),
  ];
}
