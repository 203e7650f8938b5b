import { quoteName, showInvisible } from '../kernel/escape.ts';
import { SAVED_BY } from '../ledger/describe.ts';
import { LEVERS } from '../ledger/entries.ts';
import { count, tokensOf, usdOf } from '../ui/wording.ts';
import type { CostDocument, FeatureDocument, Paid, PhaseCall, SavedTokens } from './json-schema.ts';
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

/** Returns the text of `cost`: the money paid, the tokens saved, and the cost by gate, feature, step, agent and day. */
export function describeCost(report: CostDocument, style: CostStyle): string {
  const { runs, fixes, loops, workflows } = report;
  const isEmpty = runs + fixes + loops.features.length + workflows.length === 0;
  return pageText(isEmpty ? [describeNothing(report)] : blocksOf(report, style), report.unreadable_entries, style);
}

function describeNothing(report: CostDocument): string {
  if (report.since === null && report.branch === null) {
    return 'No run of this clone is in the ledger yet. Start one with "onceover run", then run "onceover cost" again.';
  }
  return `No run ${selectionText(report)} is in the ledger. Run "onceover cost" without options to see all runs of this clone.`;
}

function blocksOf(report: CostDocument, style: CostStyle): readonly string[] {
  const { paid, loops } = report;
  const hint = style.paint('quiet', 'Run "onceover cost --details" for sessions and rates.');
  return [
    [describeRuns(report), ...paidLines(paid)].join('\n'),
    describeSavings(report, style),
    ...spentOn(report, style),
    costLegend(paid),
    ...(style.details ? [describeNewSessions(report)] : [hint]),
    ...(style.details && loops.features.length > 0
      ? [describePromises(loops), describeRates(loops.rates, null, style)]
      : []),
  ];
}

function describeRuns(report: CostDocument): string {
  const { runs, idle_runs: idle, fixes, loops, workflows } = report;
  const parts = [
    ...(runs === 0 ? [] : [`${count(runs, 'run')}${idle === 0 ? '' : ` (${idle} with nothing to do)`}`]),
    ...(fixes === 0 ? [] : [count(fixes, 'fix by an agent', 'fixes by agents')]),
    ...(loops.features.length === 0 ? [] : [`phases of ${count(loops.features.length, 'feature')}`]),
    ...(workflows.length === 0 ? [] : [`reviews of ${count(workflows.length, 'workflow step')}`]),
  ];
  const text = `${parts.join(', ')} ${selectionText(report)}.`;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function describeSavings({ paid, not_paid }: CostDocument, { paint }: CostStyle): string {
  const saved = LEVERS.reduce((sum, lever) => sum + not_paid[lever].tokens, 0);
  const share = saved === 0 ? '' : `, ${percentText(saved / (saved + paidTokens(paid)))} of all tokens`;
  return [
    paint('strong', `Saved: about ${tokensOf(saved)} tokens${share} (an estimate)`),
    ...LEVERS.filter((lever) => not_paid[lever].looks > 0).map((lever) => {
      const { tokens, looks } = not_paid[lever];
      return `${tokensOf(tokens).padStart(7)}  ${SAVED_BY[lever]} (${count(looks, 'review')})`;
    }),
  ].join('\n');
}

const MOST_ROWS = 5;

type Line = { readonly name: string; readonly paid: Paid; readonly not_paid?: SavedTokens };

function spentOn({ gates, loops, workflows, agents, days }: CostDocument, style: CostStyle): readonly string[] {
  const agentName = (agent: string, model: string | null) =>
    `${showInvisible(agent)}${model === null ? '' : ` (${showInvisible(model)})`}`;
  const tables: readonly (readonly [title: string, lines: readonly Line[]])[] = [
    ['By gate', gates.map((one) => ({ ...one, name: one.gate === null ? 'fixes by agents' : quoteName(one.gate) }))],
    ['By feature (phases)', loops.features.map((one) => ({ ...one, name: featureName(one.feature) }))],
    ['By workflow step', workflows.map((one) => ({ ...one, name: `${quoteName(one.job)}: ${quoteName(one.step)}` }))],
    ['By agent', agents.map((one) => ({ ...one, name: agentName(one.agent, one.model) }))],
    ['By day', [...days].reverse().map((one) => ({ ...one, name: one.day }))],
  ];
  return tables.map(([title, lines]) => {
    if (lines.length === 0) return '';
    const more = lines.length - MOST_ROWS;
    const rows = lines.slice(0, MOST_ROWS).map(cellsOf);
    return `${table([[title, ...HEAD], ...rows], 1, style)}${more > 0 ? `\nand ${more} more` : ''}`;
  });
}

// The spaces give the columns of all tables the same width.
const HEAD = ['  calls', ' tokens', '    money', '  saved'];

function cellsOf({ name, paid, not_paid }: Line): readonly string[] {
  const saved = not_paid === undefined || not_paid.tokens === 0 ? '' : tokensOf(not_paid.tokens);
  return [name, paid.looks === 0 ? '' : String(paid.dispatches), usageText(paid), moneyText(paid), saved];
}

function describeNewSessions({ looked_again: again }: CostDocument): string {
  const reasons = [
    [again.fresh_as_delta_too_large, 'too much had changed'],
    [again.fresh_as_session_lost, 'the old session was lost'],
    [again.fresh_as_resume_dearer, 'resuming would have cost more'],
  ] as const;
  const fresh = reasons.filter(([times]) => times > 0).map(([times, why]) => `${times} because ${why}`);
  return fresh.length === 0 ? '' : `New sessions although there was one to resume: ${fresh.join(', ')}.`;
}

/** Returns the text of `cost FEATURE`: its phases, call by call. With `details`, it adds comparisons and rates. */
export function describeFeatureCost(report: FeatureDocument, style: CostStyle): string {
  const { phases, paid, rates, rates_of_all_features: all } = report;
  const name = featureName(report.feature);
  const nothing = `No phase of ${name} ${selectionText(report)} is in the ledger. Leave out --since and --branch to see all.`;
  const phaseNames = [...new Set(phases.map(({ phase }) => phase))].join(', ');
  const blocks = [
    [`Phases of ${name} ${selectionText(report)}: ${phaseNames}.`, ...paidLines(paid)].join('\n'),
    callTable(phases, style),
    [CALL_LEGEND, costLegend(paid)].filter((text) => text !== '').join('; '),
    ...(style.details ? [describePromises(report), describeRates(all, rates, style)] : []),
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

/**
 * Returns the comparison with new sessions in every round, and whether review loops meet the requirements NFR1 (resumed
 * prompts are shorter) and NFR3 (five rounds send under half).
 */
function describePromises({ compared, resumed_prompts_shorter, five_iterations_under_half }: Loops): string {
  const { ratio } = compared.characters;
  const weighted = compared.weighted_input_tokens.ratio;
  const tokens = weighted === null ? '' : ` and about ${percentText(weighted)} of the input tokens, weighted by price`;
  const promise = ({ state, of, not_so }: { state: keyof typeof STATES; of: number; not_so: readonly object[] }) =>
    `${STATES[state]}${of === 0 ? '' : ` (${of - not_so.length} of ${of})`}.`;
  return [
    ratio === null
      ? 'No call can be compared with a new session.'
      : `Prompts took ${percentText(ratio)} of the characters of new sessions${tokens}.`,
    `Resumed prompts are shorter than the first prompt of their session: ${promise(resumed_prompts_shorter)}`,
    `Loops of five iterations send under half of new sessions: ${promise(five_iterations_under_half)}`,
  ].join('\n');
}

const STATES = { holds: 'yes', does_not_hold: 'no', nothing_to_judge: 'no data yet' } as const;

type Rates = FeatureDocument['rates'];

/** Returns a table with the rates of all features and their limits; `here` adds a column for one feature. */
function describeRates(all: Rates, here: Rates | null, style: CostStyle): string {
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
