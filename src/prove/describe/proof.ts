import { totalTokens } from '../../kernel/agent.ts';
import { quoteName } from '../../kernel/escape.ts';
import { type Styled, wrapTo } from '../../ui/style.ts';
import { count, tokensOf, usdOf } from '../../ui/wording.ts';
import { type Exposure, exposureOf } from '../judge/scores.ts';
import type { PlayedProve } from '../result-types.ts';
import type { CountedShare, GateProof, Scores, VariantComparison } from '../types.ts';
import { CLASS_WORDS, variantText } from './plan.ts';
import { shareText } from './proof-line.ts';

/** Returns the result of a proof: the scores of each gate, what stands out, and what the proof left out. */
export function describeProof(played: PlayedProve, styled: Styled): string {
  const blocks = [
    ...played.proofs.map((proof) => gateBlock(proof, styled)),
    ...proofNotes(played).map((line) => wrapTo(line, styled, 0)),
  ];
  return blocks.join('\n\n');
}

function gateBlock(proof: GateProof, styled: Styled): string {
  const exposed = exposureOf(proof.scores);
  const rows = scoreRows(proof);
  const width = Math.max(...rows.map(([label]) => label.length));
  return [
    styled.paint('strong', `${quoteName(proof.gate)}`),
    ...(exposed === null ? [] : [styled.paint('bad', wrapTo(`  ${EXPOSED[exposed](proof.scores)}`, styled, 2))]),
    ...rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`),
    ...proof.comparisons.map((one) => wrapTo(`  ${comparisonText(one)}`, styled, 2)),
  ].join('\n');
}

/** One line about a gate that passes or fails nearly everything. */
export const EXPOSED: Readonly<Record<Exposure, (scores: Scores) => string>> = {
  'rubber-stamp': ({ falsePasses }) =>
    `This gate passes nearly everything: it passed ${shareText(falsePasses)} changes with a planted bug.`,
  'always-fails': ({ falseAlarms }) =>
    `This gate fails nearly everything: it failed ${shareText(falseAlarms)} changes without a bug.`,
};

/** Returns label and value of each score of a gate. */
export function scoreRows({
  scores,
  reviewers,
  usage,
}: GateProof): readonly (readonly [label: string, text: string])[] {
  const { found, byClass, falseAlarms, falsePasses, flips } = scores;
  return [
    ['bugs found', shareText(found)],
    ...(byClass.length < 2 ? [] : byClass.map((one) => [`  ${CLASS_WORDS[one.class]}`, shareText(one.found)] as const)),
    ['false alarms', shareText(falseAlarms)],
    ['passed with a bug', shareText(falsePasses)],
    ['verdict flips', flips.of === 0 ? 'not measured; use --repeat 2' : shareText(flips)],
    ...(reviewers.length < 2
      ? []
      : reviewers.map(({ slot, agent, model, scores: own }) => {
          const name = `reviewer ${slot}, ${model === null ? agent : `${agent} ${model}`}`;
          return [`  ${name}`, `found ${shareText(own.found)}; false alarms ${shareText(own.falseAlarms)}`] as const;
        })),
    ['cost', costText(found, usage)],
  ];
}

function costText(found: CountedShare, usage: GateProof['usage']): string {
  if (usage === null) return 'not reported by the agents';
  const total = usage.costUsd === null ? `${tokensOf(totalTokens(usage))} tokens` : usdOf(usage.costUsd);
  if (found.count === 0) return `${total}; no bug was found`;
  const per = (bugs: number) =>
    usage.costUsd === null ? `${tokensOf(totalTokens(usage) / bugs)} tokens` : usdOf(usage.costUsd / bugs);
  // The interval of the cost follows from the interval of the share: fewer found bugs make each of them dearer.
  const [low, high] = [per(found.high * found.of), per(Math.max(found.low, 1e-9) * found.of)];
  return `${total}, ${per(found.count)} per bug found (95 %: ${low}–${high})`;
}

/** Says which of two variants found more, only if chance is not a likely reason. */
export function comparisonText({ a, b, cases, onlyA, onlyB, p }: VariantComparison): string {
  const [left, right] = [variantText(a), variantText(b)];
  const facts = `${onlyA} found only with ${left}, ${onlyB} only with ${right}, of ${count(cases, 'bug')}`;
  if (p >= 0.05) return `No difference that these cases can show: ${facts}.`;
  return `${onlyA > onlyB ? left : right} finds more: ${facts} (p = ${p.toFixed(3)}).`;
}

/** Returns the notes below the scores: why the proof ended, which cases were left out, and what it cost. */
export function proofNotes({ end, cases, dropped, spent, proofs, trouble }: PlayedProve): readonly string[] {
  const left = [
    [dropped.caughtByChecks, 'caught by your checks'],
    [dropped.checksFailAnyway, 'on commits whose checks fail here even without the edit'],
    [dropped.notPlayable, 'not playable'],
    [dropped.noVerdict, 'without a verdict'],
  ] as const;
  const shown = left.filter(([number]) => number > 0).map(([number, words]) => `${number} ${words}`);
  const usd = spent.usage?.costUsd ?? null;
  const price = usd === null ? '' : `, ${usdOf(usd)}`;
  const error = trouble?.gates.flatMap(({ slots }) => slots).find((slot) => slot.trouble !== null)?.trouble;
  return [
    ...(shown.length === 0 ? [] : [`Left out: ${shown.join(', ')}.`]),
    `${count(cases.length, 'case')} played, ${count(spent.calls, 'new call')}${price}.${proofs.length === 0 ? ' No gate has a result.' : ''}`,
    ...(end === 'budget'
      ? ['The budget is spent. Run the same command with a larger budget to continue without paying again.']
      : []),
    ...(end === 'no-verdict'
      ? [
          `Three cases in a row ended without a verdict${error === undefined || error === null ? '' : ` (${error.kind})`}. Run "onceover doctor".`,
        ]
      : []),
  ];
}
