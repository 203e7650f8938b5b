import { count, tokensOf, usdOf } from '../ui/wording.ts';
import type { FeatureDocument, PhaseCall } from './json-schema.ts';
import { RATES } from './loops.ts';
import {
  type CostStyle,
  costLegend,
  featureName,
  moneyText,
  pageText,
  paidLines,
  percentText,
  selectionText,
  table,
  usageText,
} from './page.ts';
import { paidTokens } from './rows.ts';

/** Returns what the phases of a feature cost, call by call. Details add comparisons and rates. */
export function describeFeatureCost(report: FeatureDocument, style: CostStyle): string {
  const { phases, paid, rates, rates_of_all_features: all } = report;
  const name = featureName(report.feature);
  const nothing = `No phase of ${name} ${selectionText(report)} is in the ledger. Leave out --since and --branch to see all.`;
  const phaseNames = [...new Set(phases.map(({ phase }) => phase))].join(', ');
  const blocks = [
    [`Phases of ${name} ${selectionText(report)}: ${phaseNames}.`, ...paidLines(paid)].join('\n'),
    callTable(phases, style),
    [CALL_LEGEND, costLegend(paid)].filter((text) => text !== '').join('; '),
    ...(style.details
      ? [describeComparison(report, style), describePromises(report), describeRates(all, rates, style)]
      : []),
  ];
  return pageText(phases.length === 0 ? [nothing] : blocks, report.unreadable_entries, style);
}

const CALL_LEGEND =
  'sent: characters of the prompt; FV: final validation; unconfirmed: did not confirm that it read the required files';

function callTable(phases: FeatureDocument['phases'], style: CostStyle): string {
  const rows = phases.flatMap(({ phase, at, paid, compared: { characters }, dispatches }) => [
    [
      `${phase}, ${at.slice(5, 16).replace('T', ' ')}`,
      '',
      '',
      '',
      tokensOf(characters.sent),
      usageText(paid),
      moneyText(paid),
    ],
    ...dispatches.map(callRow),
  ]);
  return table([['Call (times in UTC)', '', 'session', '', 'sent', 'tokens', 'money'], ...rows], 4, style);
}

function callRow(call: PhaseCall): readonly string[] {
  const { role, iteration, final_validation, dispatch, prompt_chars, usage, cost_usd, cost_source } = call;
  const notes = [
    [call.status === 'error', 'no answer'],
    [call.fell_back, 'resume failed'],
    [call.guarded, 'large delta'],
    [call.reads_unconfirmed, 'unconfirmed'],
  ] as const;
  return [
    ` ${role}`,
    final_validation ? 'FV' : iteration === 0 ? '' : String(iteration),
    dispatch === 'fresh' ? 'new' : dispatch,
    notes.flatMap(([isSo, note]) => (isSo ? [note] : [])).join(', '),
    tokensOf(prompt_chars),
    usage === null ? '?' : tokensOf(paidTokens(usage)),
    cost_usd === null ? '?' : `${cost_source === 'list' ? '~' : ''}${usdOf(cost_usd)}`,
  ];
}

type Loops = Pick<FeatureDocument, 'compared' | 'resumed_prompts_shorter' | 'five_iterations_under_half'>;

/** Compares the prompts that were sent with the prompts of new sessions in every round. */
export function describeComparison({ compared }: Loops, style: CostStyle): string {
  const { characters, input_tokens: tokens, weighted_input_tokens: weighted, dispatches_without_usage } = compared;
  if (characters.fresh === 0) return 'No call can be compared with a new session.';
  const row = (name: string, sent: number, fresh: string, ratio: number | null) => [
    name,
    tokensOf(sent),
    fresh,
    ratio === null ? '' : percentText(ratio),
  ];
  const estimated = (name: string, { sent, fresh_estimate, ratio }: typeof tokens) =>
    row(name, sent, `about ${tokensOf(fresh_estimate)}`, ratio);
  const rows = [
    ['Prompts', 'sent', 'only new sessions', 'ratio'],
    row('characters', characters.sent, tokensOf(characters.fresh), characters.ratio),
    ...(tokens.fresh_estimate === 0
      ? []
      : [estimated('input tokens', tokens), estimated('weighted by price', weighted)]),
  ];
  return [
    table(rows, 1, { ...style, width: COMPARISON_WIDTH }),
    ...(tokens.fresh_estimate === 0 ? [] : [ESTIMATE]),
    ...(dispatches_without_usage === 0
      ? []
      : [`${count(dispatches_without_usage, 'call')} of ${compared.dispatches} reported no tokens.`]),
  ].join('\n');
}

const COMPARISON_WIDTH = 52;

const ESTIMATE =
  'A new session is estimated by the first call of the session and the growth of its prompt. Weights: cache write 1.25, cache read 0.1.';

const MOST_NAMED = 5;

/** Returns whether loops send as little as promised (NFR1 and NFR3). */
export function describePromises({ resumed_prompts_shorter, five_iterations_under_half }: Loops): string {
  const promise = (what: string, { state, of }: { state: keyof typeof STATES; of: number }, broken: string[]) => {
    const kept = state === 'nothing_to_judge' ? '' : ` (${of - broken.length} of ${of})`;
    const more = broken.length > MOST_NAMED ? `; and ${broken.length - MOST_NAMED} more` : '';
    const named = broken.length === 0 ? '' : `: ${broken.slice(0, MOST_NAMED).join('; ')}${more}`;
    return `${what}: ${STATES[state]}${kept}${named}.`;
  };
  return [
    promise(
      'Resumed prompts are shorter than the first prompt of their session',
      resumed_prompts_shorter,
      resumed_prompts_shorter.not_so.map(({ feature, phase, role, iteration, final_validation, prompt_chars }) => {
        const round = final_validation ? 'final validation' : `iteration ${iteration}`;
        return `${featureName(feature)} ${phase}, ${role}, ${round}, ${tokensOf(prompt_chars)} characters`;
      }),
    ),
    promise(
      'Loops of five iterations send under half of new sessions',
      five_iterations_under_half,
      five_iterations_under_half.not_so.map(({ feature, phase, stage, characters }) => {
        const loop = stage === 'implement' ? '' : `, ${stage} loop`;
        return `${featureName(feature)} ${phase}${loop}, ${percentText(characters.ratio ?? 0)}`;
      }),
    ),
  ].join('\n');
}

const STATES = { holds: 'yes', does_not_hold: 'no', nothing_to_judge: 'no data yet' } as const;

type Rates = FeatureDocument['rates'];

/** Returns the watched rates of all features with their limits; `here` adds the rates of one feature. */
export function describeRates(all: Rates, here: Rates | null, style: CostStyle): string {
  const watched = Object.keys(RATES) as (keyof typeof RATES)[];
  const head = ['Rates', ...(here === null ? [] : ['this feature']), 'all features', 'limit', ''];
  const rows = watched.map((which) => {
    const { exceeded, rate, threshold } = all[which];
    return [
      RATES[which].title,
      ...(here === null ? [] : [rateText(here[which])]),
      rateText(all[which]),
      percentText(threshold),
      exceeded === null || rate === null ? '' : exceeded ? 'exceeded' : 'within',
    ];
  });
  const notes = all.judged
    ? watched.flatMap((which) => all[which].action ?? [])
    : [`Rates are judged from three features on; so far there ${all.features === 1 ? 'is' : 'are'} ${all.features}.`];
  return [table([head, ...rows], 1, style), ...notes].join('\n');
}

function rateText({ count: times, of, rate }: Rates[keyof typeof RATES]): string {
  return rate === null ? 'no data' : `${times} of ${of}  ${percentText(rate)}`;
}
