import type { CostReport, FeatureCost } from '../domain/cost.ts';
import {
  type Compared,
  type Kept,
  keptOf,
  type LongLoop,
  type LoopCost,
  type LoopDispatch,
} from '../domain/loop-cost.ts';
import { bar } from './bar.ts';
import { moneyOf, percentOf, usedOf } from './cost-figures.ts';
import { type CostLooks, featureName } from './cost-page.ts';
import { count } from './count.ts';
import { ratesBlock } from './loop-rates.ts';
import { tokensOf } from './tokens.ts';
import { cutStart, padCells } from './width.ts';
import { wrap } from './wrap.ts';

const MOST_NAMED = 5;

/** How the review loops of all features went. */
export function loopBlocks({ loops, features }: CostReport, looks: CostLooks): readonly string[] {
  if (features.length === 0) {
    return ['No review loop is in the ledger here: "onceover phase" writes down what each of its dispatches cost.'];
  }
  return [
    `${looks.paint('strong', `Review loops of ${count(features.length, 'feature')}`)}\n${comparedBlock(loops.compared, looks)}`,
    featureTable(features, looks),
    promisesBlock(loops.compared, (feature) => `${featureName(feature)} `, looks),
    ratesBlock(loops.compared, null, looks),
  ];
}

/** What was sent, beside what fresh dispatches each time would have sent. */
export function comparedBlock(cost: LoopCost, looks: CostLooks): string {
  const { characters, tokens, weighted, untold, dispatches } = cost;
  if (characters.fresh === 0) return 'Nothing was sent that fresh dispatches could be compared with.';
  const hasTokens = tokens.fresh > 0;
  const left = untold === 0 ? '' : ` ${count(untold, 'dispatch', 'dispatches')} of ${dispatches} told no tokens.`;
  const note = `Fresh tokens are an estimate: what opening the session took, and what its prompt has grown by. Weighed: written to a cache 1.25, read from one 0.1.${left}`;
  return [
    looks.paint('strong', comparedLine(['Compared', 'sent', 'fresh each time'])),
    comparedRow(CHARACTERS, characters, looks),
    ...(hasTokens
      ? [
          comparedRow('input tokens', tokens, looks),
          comparedRow('weighed by price', weighted, looks),
          looks.paint('quiet', wrap(note, looks.width)),
        ]
      : [left.trim()]),
  ].join('\n');
}

function comparedRow(name: string, { sent, fresh, ratio }: Compared, looks: CostLooks): string {
  const about = name === CHARACTERS ? '' : 'about ';
  const figures = [name, tokensOf(Math.round(sent)), `${about}${tokensOf(Math.round(fresh))}`];
  const room = Math.min(30, looks.width - COMPARED_WIDTH - 2);
  const drawn = ratio === null ? '' : looks.paint(ratio < 1 ? 'good' : 'bad', bar(ratio, 1, room, looks.bars));
  return `${comparedLine(figures, ratio === null ? '' : percentOf(ratio))}  ${drawn}`.trimEnd();
}

/** What is counted; all else that is compared is an estimate. */
const CHARACTERS = 'characters';
const COMPARED_WIDTH = 18 + 8 + 17 + 9;

function comparedLine([name = '', sent = '', fresh = '']: readonly string[], part = ''): string {
  return `${padCells(name, 18)}${sent.padStart(8)}${fresh.padStart(17)}${part.padStart(9)}`.trimEnd();
}

const FEATURE_WIDTHS = [6, 9, 8, 10, 9, 10] as const;

function featureTable(features: readonly FeatureCost[], looks: CostLooks): string {
  const name = looks.width - FEATURE_WIDTHS.reduce((sum, width) => sum + width, 0);
  const line = (title: string, figures: readonly string[]) =>
    `${padCells(cutStart(title, name - 1), name)}${figures.map((one, n) => one.padStart(FEATURE_WIDTHS[n] ?? 0)).join('')}`;
  const rows = features.map(({ feature, paid, compared: { characters } }) =>
    line(featureName(feature), [
      String(paid.looks),
      String(paid.resumed),
      tokensOf(characters.sent),
      characters.ratio === null ? '' : percentOf(characters.ratio),
      usedOf(paid),
      moneyOf(paid),
    ]),
  );
  const head = line('Feature', ['looks', 'resumed', 'sent', 'of fresh', 'tokens', 'money']);
  return [looks.paint('strong', head), ...rows].join('\n');
}

/** Whether loops send as little as they are made for. */
export function promisesBlock(
  cost: LoopCost,
  nameOf: (feature: string) => string,
  { paint }: Pick<CostLooks, 'paint'>,
): string {
  const { opened, notShorter, longLoops, notHalved } = cost;
  const longer = notShorter.map((one) => `${nameOf(one.feature)}${tellDispatch(one)}`);
  const more = notHalved.map((one) => `${nameOf(one.feature)}${tellLong(one)}`);
  return [
    tellPromise(
      { what: 'Resumed prompts are shorter than what opened their session', of: opened, broken: longer },
      paint,
    ),
    tellPromise({ what: 'Loops of five iterations send under half of fresh ones', of: longLoops, broken: more }, paint),
  ].join('\n');
}

const STATES: Readonly<Record<Kept, readonly [word: string, look: 'good' | 'bad' | 'quiet']>> = {
  holds: ['holds', 'good'],
  'does-not-hold': ['does not hold', 'bad'],
  'nothing-to-judge': ['nothing to judge yet', 'quiet'],
};

function tellPromise(
  { what, of, broken }: { readonly what: string; readonly of: number; readonly broken: readonly string[] },
  paint: CostLooks['paint'],
): string {
  const kept = keptOf(of, broken.length);
  const [word, look] = STATES[kept];
  const named = broken.slice(0, MOST_NAMED).join('; ');
  const more = broken.length > MOST_NAMED ? `; and ${broken.length - MOST_NAMED} more` : '';
  const count = kept === 'nothing-to-judge' ? '' : ` (${of - broken.length} of ${of})`;
  return `${what}: ${paint(look, word)}${count}${broken.length === 0 ? '.' : `: ${named}${more}.`}`;
}

function tellDispatch({ phase, role, iteration, isFinalValidation, spent }: LoopDispatch): string {
  const round = isFinalValidation ? 'final validation' : `iteration ${iteration}`;
  return `${phase}, ${role}, ${round}, ${tokensOf(spent.promptChars)} characters`;
}

function tellLong({ phase, stage, characters: { ratio } }: LongLoop): string {
  return `${phase}${stage === 'implement' ? '' : `, ${stage} loop`}, ${percentOf(ratio ?? 0)}`;
}
