import type { LoopDispatch } from '../ledger/entries.ts';
import { bar } from '../ui/style.ts';
import { count, tokensOf } from '../ui/wording.ts';
import { type CostStyle, featureName, percentText, type TableRow, table } from './page.ts';
import {
  type Compared,
  type CostReport,
  type LongestLoop,
  type LoopCost,
  type PromiseCheck,
  type PromiseResult,
  promiseResult,
  type Rate,
} from './types.ts';

/** The rates that are watched over all features: their name, and what to do if a rate exceeds its limit. */
const RATES: Readonly<Record<PromiseCheck, readonly [name: string, action: string]>> = {
  fallbacks: [
    'resumes that failed',
    'Resumed sessions fail too often. Run "onceover doctor --resume" to test each agent, and report the result.',
  ],
  guards: [
    'deltas too large',
    'Fixes change more of a document than a resumed reviewer may see. Set "delta_guard: effective" in onceover.yml to count also the files that a new session has to read, or accept new sessions.',
  ],
  lazyLoads: [
    'reads not confirmed',
    'Reviewers skip documents that they must read, or do not confirm that they read them. Check the order to read them in the roles (.onceover/roles/).',
  ],
};

const WATCHED: readonly PromiseCheck[] = ['fallbacks', 'guards', 'lazyLoads'];

/** Returns what to do if a rate exceeds its limit. */
export function describeAction(which: PromiseCheck): string {
  return RATES[which][1];
}

/** Returns how the review loops of all features went. */
export function describeLoops({ loops: { compared }, features }: CostReport, style: CostStyle): readonly string[] {
  if (features.length === 0) return [];
  const rows = features.map(({ feature, paid, compared: { characters } }) => ({
    cells: [
      featureName(feature),
      String(paid.resumed),
      tokensOf(characters.sent),
      characters.ratio === null ? '' : percentText(characters.ratio),
    ],
  }));
  const head = { cells: [`Phases of ${count(features.length, 'feature')}`, 'resumed', 'sent', 'of new sessions'] };
  return [
    table([head, ...rows], 1, style),
    describeComparison(compared, style),
    describePromises(compared, (feature) => `${featureName(feature)} `, style),
    describeRates(compared, null, style),
  ];
}

/** Compares the prompts that were sent with the prompts of new sessions in every round. */
export function describeComparison({ characters, tokens, weighted, untold, dispatches }: LoopCost, style: CostStyle) {
  if (characters.fresh === 0) return 'No call can be compared with a new session.';
  const row = (name: string, about: string, { sent, fresh, ratio }: Compared) => ({
    cells: [
      name,
      tokensOf(Math.round(sent)),
      `${about}${tokensOf(Math.round(fresh))}`,
      ratio === null ? '' : percentText(ratio),
    ],
    tail: ratio === null ? '' : style.paint(ratio < 1 ? 'good' : 'bad', bar(ratio, 1, BAR_WIDTH, style.bars)),
  });
  const silent = untold === 0 ? [] : [`${count(untold, 'call')} of ${dispatches} reported no tokens.`];
  if (tokens.fresh === 0) return [comparisonTable([row('characters', '', characters)], style), ...silent].join('\n');
  return [
    comparisonTable(
      [
        row('characters', '', characters),
        row('input tokens', 'about ', tokens),
        row('weighted by price', 'about ', weighted),
      ],
      style,
    ),
    'A new session is estimated by the first call of the session and the growth of its prompt. Weights: cache write 1.25, cache read 0.1.',
    ...silent,
  ].join('\n');
}

const BAR_WIDTH = 10;

function comparisonTable(rows: readonly TableRow[], style: CostStyle): string {
  const head = { cells: ['Prompts', 'sent', 'only new sessions', 'ratio'] };
  return table([head, ...rows], 1, { ...style, width: 52 });
}

const MOST_NAMED = 5;

/** Returns whether loops send as little as promised (NFR1 and NFR3). */
export function describePromises(
  { opened, notShorter, longLoops, notHalved }: LoopCost,
  nameOf: (feature: string) => string,
  { paint }: Pick<CostStyle, 'paint'>,
): string {
  const promise = (what: string, of: number, broken: readonly string[]) => {
    const result = promiseResult(of, broken.length);
    const [word, look] = RESULTS[result];
    const kept = result === 'nothing-to-judge' ? '' : ` (${of - broken.length} of ${of})`;
    const more = broken.length > MOST_NAMED ? `; and ${broken.length - MOST_NAMED} more` : '';
    const named = broken.length === 0 ? '' : `: ${broken.slice(0, MOST_NAMED).join('; ')}${more}`;
    return `${what}: ${paint(look, word)}${kept}${named}.`;
  };
  return [
    promise(
      'Resumed prompts are shorter than the first prompt of their session',
      opened,
      notShorter.map((one) => `${nameOf(one.feature)}${describeDispatch(one)}`),
    ),
    promise(
      'Loops of five iterations send under half of new sessions',
      longLoops,
      notHalved.map((one) => `${nameOf(one.feature)}${describeLong(one)}`),
    ),
  ].join('\n');
}

const RESULTS: Readonly<Record<PromiseResult, readonly [word: string, look: 'good' | 'bad' | 'quiet']>> = {
  holds: ['yes', 'good'],
  'does-not-hold': ['no', 'bad'],
  'nothing-to-judge': ['no data yet', 'quiet'],
};

function describeDispatch({ phase, role, iteration, isFinalValidation, spent }: LoopDispatch): string {
  const round = isFinalValidation ? 'final validation' : `iteration ${iteration}`;
  return `${phase}, ${role}, ${round}, ${tokensOf(spent.promptChars)} characters`;
}

function describeLong({ phase, stage, characters: { ratio } }: LongestLoop): string {
  return `${phase}${stage === 'implement' ? '' : `, ${stage} loop`}, ${percentText(ratio ?? 0)}`;
}

/** Returns the watched rates of all features with their limits; `here` adds the rates of one feature. */
export function describeRates(all: LoopCost, here: LoopCost | null, style: CostStyle): string {
  const verdict = ({ rate, isExceeded }: Rate) => {
    if (!all.isJudged || rate === null) return '';
    return isExceeded ? style.paint('bad', 'exceeded') : style.paint('good', 'within');
  };
  const rows = WATCHED.map((which) => ({
    cells: [
      RATES[which][0],
      ...(here === null ? [] : [rateText(here[which])]),
      rateText(all[which]),
      percentText(all[which].threshold),
    ],
    tail: verdict(all[which]),
  }));
  const head = { cells: ['Rates', ...(here === null ? [] : ['this feature']), 'all features', 'limit'] };
  const notes = all.isJudged
    ? WATCHED.filter((which) => all[which].isExceeded).map(describeAction)
    : [`Rates are judged from three features on; so far there ${all.features === 1 ? 'is' : 'are'} ${all.features}.`];
  return [table([head, ...rows], 1, { ...style, width: style.width - 'exceeded'.length - 2 }), ...notes].join('\n');
}

function rateText({ count: times, of, rate }: Rate): string {
  return rate === null ? 'no data' : `${times} of ${of}  ${percentText(rate)}`;
}
