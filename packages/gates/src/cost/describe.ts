import { describeAgreement } from '@onceover/agents/ledger/agreement';
import { describeLife, SAVED_BY } from '@onceover/agents/ledger/describe';
import { LEVERS } from '@onceover/agents/ledger/entries';
import { quoteName, showInvisible } from '@onceover/base/kernel/escape';
import { cells, cutStart, padCells, wrap } from '@onceover/base/ui/layout';
import type { Paint } from '@onceover/base/ui/style';
import { count, percentOf, tokensOf, usdOf } from '@onceover/base/ui/wording';
import type { CostDocument, FeatureDocument, Paid, PhaseCall, SavedTokens } from './json-schema.ts';
import { RATES } from './loops.ts';
import { paidTokens } from './rows.ts';

/** How the output of `onceover cost` is printed. */
export type CostStyle = {
  readonly paint: Paint;
  readonly width: number;
  /** Whether the text also reports why sessions were not resumed, how often resuming failed, and how much it saved. */
  readonly details: boolean;
};

/**
 * Returns the text of `onceover cost`: the money paid, the tokens saved, and the cost by gate, feature, step, agent and
 * day.
 */
export function describeCost(report: CostDocument, style: CostStyle): string {
  const { runs, fixes, loops, workflows, resume_tests: tests, proofs, since, branch } = report;
  const isEmpty = runs + fixes + loops.features.length + workflows.length + tests.looks + proofs.looks === 0;
  const emptyMessage =
    since === null && branch === null
      ? 'No run of this clone is in the ledger yet. Start one with "onceover run", then run "onceover cost" again.'
      : `No run ${selectionText(report)} is in the ledger. Run "onceover cost" without options to see all runs of this clone.`;
  return pageText(isEmpty ? [emptyMessage] : blocksOf(report, style), report.unreadable_entries, style);
}

function blocksOf(report: CostDocument, style: CostStyle): readonly string[] {
  const { paid, loops } = report;
  const hint = style.paint('quiet', 'Run "onceover cost --details" for sessions and for how often resuming worked.');
  return [
    ...withLegend([
      [describeRuns(report), ...paidLines(paid)].join('\n'),
      describeSavings(report, style),
      ...spentOn(report, style),
    ]),
    describeSharedPasses(report.shared),
    ...describeProofs(report),
    ...(style.details ? [describeNewSessions(report), describeCaches(report)] : [hint]),
    ...(style.details && loops.features.length > 0 ? [describePromises(loops), describeRates(loops.rates)] : []),
  ];
}

function describeSharedPasses({ accepted, agreement }: CostDocument['shared']): string {
  const signers = agreement.filter(({ by }) => by === 'signer');
  return [
    ...(accepted === 0 ? [] : [`${count(accepted, 'pass', 'passes')} of other clones accepted, without a call.`]),
    ...signers.map(describeAgreement),
  ].join('\n');
}

function describeRuns(report: CostDocument): string {
  const { runs, idle_runs: idle, fixes, loops, workflows, resume_tests: tests } = report;
  const parts = [
    ...(runs === 0 ? [] : [`${count(runs, 'run')}${idle === 0 ? '' : ` (${idle} with nothing to do)`}`]),
    ...(fixes === 0 ? [] : [count(fixes, 'fix by an agent', 'fixes by agents')]),
    ...(loops.features.length === 0 ? [] : [`phases of ${count(loops.features.length, 'feature')}`]),
    ...(workflows.length === 0 ? [] : [`reviews of ${count(workflows.length, 'workflow step')}`]),
    ...(tests.looks === 0 ? [] : [`${count(tests.looks, 'resume test')} (${count(tests.dispatches, 'call')})`]),
  ];
  const text = `${parts.length === 0 ? 'no run' : parts.join(', ')} ${selectionText(report)}.`;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/**
 * Describes the cost of proofs (`onceover prove`, which tests reviewers with planted mistakes). It is not part of any
 * other figure.
 */
function describeProofs({ proofs }: CostDocument): readonly string[] {
  if (proofs.looks === 0) return [];
  const usd = proofs.told_usd + proofs.list_price_usd;
  const price = usd === 0 ? '' : `, ${usdOf(usd)}`;
  return [
    `Proofs ("onceover prove"), not included above: ${count(proofs.dispatches, 'call')}, ${tokensOf(paidTokens(proofs))} tokens${price}`,
  ];
}

function describeSavings({ paid, not_paid }: CostDocument, { paint }: CostStyle): string {
  const savedTokens = LEVERS.reduce((sum, lever) => sum + not_paid[lever].tokens, 0);
  // If no agent reported its usage, savings cannot be estimated.
  const isUnknown = savedTokens === 0 && paid.looks > 0 && paid.looks_without_usage === paid.looks;
  const share = savedTokens === 0 ? '' : `, ${percentOf(savedTokens / (savedTokens + paidTokens(paid)))} of all tokens`;
  return [
    paint(
      'strong',
      isUnknown
        ? 'Saved: an unknown number of tokens'
        : `Saved: about ${tokensOf(savedTokens)} tokens${share} (an estimate)`,
    ),
    ...LEVERS.filter((lever) => not_paid[lever].looks > 0).map((lever) => {
      const { tokens, looks } = not_paid[lever];
      return `${(isUnknown ? UNKNOWN : tokensOf(tokens)).padStart(7)}  ${SAVED_BY[lever]} (${count(looks, 'review')})`;
    }),
  ].join('\n');
}

const MOST_ROWS = 5;

type Line = { readonly name: string; readonly paid: Paid; readonly not_paid?: SavedTokens };

function spentOn({ gates, loops, workflows, agents, days }: CostDocument, style: CostStyle): readonly string[] {
  const agentName = (agent: string, model: string | null) =>
    showInvisible(model === null ? agent : `${agent} (${model})`);
  const tables: readonly (readonly [title: string, lines: readonly Line[]])[] = [
    [
      'By gate',
      gates.map((gateCost) => ({
        ...gateCost,
        name: gateCost.gate === null ? 'fixes by agents' : quoteName(gateCost.gate),
      })),
    ],
    [
      'By feature (phases)',
      loops.features.map((featureCost) => ({ ...featureCost, name: featureName(featureCost.feature) })),
    ],
    [
      'By workflow step',
      workflows.map((stepCost) => ({ ...stepCost, name: `${quoteName(stepCost.job)}: ${quoteName(stepCost.step)}` })),
    ],
    ['By agent', agents.map((agentCost) => ({ ...agentCost, name: agentName(agentCost.agent, agentCost.model) }))],
    ['By day', [...days].reverse().map((dayCost) => ({ ...dayCost, name: dayCost.day }))],
  ];
  return tables.map(([title, lines]) => {
    if (lines.length === 0) return '';
    const omittedCount = lines.length - MOST_ROWS;
    const rows = lines.slice(0, MOST_ROWS).map(cellsOf);
    return `${table([[title, ...HEAD], ...rows], style)}${omittedCount > 0 ? `\nand ${omittedCount} more` : ''}`;
  });
}

/** Returns the text for the case that no tokens were saved: "unknown" if no agent reported tokens. */
function noSavingText({ looks, looks_without_usage }: Paid): string {
  return looks > 0 && looks_without_usage === looks ? UNKNOWN : '';
}

// The leading spaces give the columns of all tables the same width.
const HEAD = ['  calls', ' tokens', '    money', '  saved'];

function cellsOf({ name, paid, not_paid }: Line): readonly string[] {
  const savedText = not_paid === undefined || not_paid.tokens === 0 ? noSavingText(paid) : tokensOf(not_paid.tokens);
  return [name, paid.looks === 0 ? '' : String(paid.dispatches), usageText(paid), moneyText(paid), savedText];
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

function describeCaches({ caches }: CostDocument): string {
  const lines = caches.map(({ agent, model, life_minutes, life_from, resumed, hits }) => {
    const name = showInvisible(model === null ? agent : `${agent} (${model})`);
    const hitsText = resumed === 0 ? '' : `; ${hits} of ${count(resumed, 'resumed session')} still cached`;
    return `  ${name}: ${describeLife({ lifeMinutes: life_minutes, lifeFrom: life_from })}${hitsText}`;
  });
  return lines.length === 0 ? '' : ['How long providers cache sessions:', ...lines].join('\n');
}

/**
 * Returns the text of `onceover cost FEATURE`: each call to an agent. With `details`, it adds rates and comparisons
 * with new sessions.
 */
export function describeFeatureCost(report: FeatureDocument, style: CostStyle): string {
  const { phases, paid } = report;
  const name = featureName(report.feature);
  const emptyMessage = `No phase of ${name} ${selectionText(report)} is in the ledger. Leave out --since and --branch to see all.`;
  const phaseNames = [...new Set(phases.map(({ phase }) => phase))].join(', ');
  const blocks = [
    ...withLegend([
      [`Phases of ${name} ${selectionText(report)}: ${phaseNames}.`, ...paidLines(paid)].join('\n'),
      callTable(phases, style),
    ]),
    ...(style.details ? [describePromises(report), describeRates(report.rates_of_all_features)] : []),
  ];
  return pageText(phases.length === 0 ? [emptyMessage] : blocks, report.unreadable_entries, style);
}

function callTable(phases: FeatureDocument['phases'], style: CostStyle): string {
  const rows = phases.flatMap(({ phase, at, paid, compared: { characters }, dispatches }) => [
    [`${phase}, ${at.slice(5, 16).replace('T', ' ')}`, tokensOf(characters.sent), usageText(paid), moneyText(paid)],
    ...dispatches.map(callRow),
  ]);
  return table([['Call and iteration (UTC)', 'chars', 'tokens', 'money'], ...rows], style);
}

function callRow(call: PhaseCall): readonly string[] {
  const { iteration, usage, cost_usd, cost_source } = call;
  const round = call.final_validation ? ' final' : iteration === 0 ? '' : ` ${iteration}`;
  const name = [
    ` ${call.role}${round}`,
    call.dispatch === 'fresh' ? 'new' : 'resumed',
    ...(call.status === 'error' ? ['no answer'] : []),
    ...(call.fell_back ? ['resume failed'] : []),
    ...(call.guarded ? ['delta too large'] : []),
    ...(call.reads_unconfirmed ? ['reads not confirmed'] : []),
  ].join(', ');
  const tokens = usage === null ? UNKNOWN : tokensOf(paidTokens(usage));
  const money = cost_usd === null ? UNKNOWN : `${cost_source === 'list' ? '~' : ''}${usdOf(cost_usd)}`;
  return [name, tokensOf(call.prompt_chars), tokens, money];
}

type Loops = Pick<FeatureDocument, 'compared' | 'resumed_prompts_shorter' | 'five_iterations_under_half'>;

/**
 * Compares the prompts of review loops with those that a new session in every round would have needed: whether resumed
 * prompts are shorter (requirement NFR1), and whether five rounds send less than half of the characters (NFR3).
 */
function describePromises({ compared, resumed_prompts_shorter, five_iterations_under_half }: Loops): string {
  const { ratio } = compared.characters;
  const weightedRatio = compared.weighted_input_tokens.ratio;
  const tokens =
    weightedRatio === null ? '' : ` and about ${percentOf(weightedRatio)} of the input tokens, weighted by price`;
  const promise = ({ state, of, not_so }: { state: keyof typeof STATES; of: number; not_so: readonly object[] }) =>
    `${STATES[state]}${of === 0 ? '' : ` (${of - not_so.length} of ${of})`}.`;
  return [
    ratio === null
      ? 'No call can be compared with a new session.'
      : `Prompts took ${percentOf(ratio)} of the characters of new sessions${tokens}.`,
    `Resumed prompts are shorter than the first prompt of their session: ${promise(resumed_prompts_shorter)}`,
    `Loops of five iterations send under half of new sessions: ${promise(five_iterations_under_half)}`,
  ].join('\n');
}

const STATES = { holds: 'yes', does_not_hold: 'no', nothing_to_judge: 'no data yet' } as const;

/** Describes each rate in `RATES` over all features: its value, its limit, and what to do if it is over the limit. */
function describeRates(rates: FeatureDocument['rates']): string {
  const rateNames = Object.keys(RATES) as (keyof typeof RATES)[];
  const figures = ({ count: times, of, rate }: { count: number; of: number; rate: number | null }) =>
    rate === null ? 'no data' : `${times} of ${of}, ${percentOf(rate)}`;
  const lines = rateNames.flatMap((rateName) => {
    const { threshold, exceeded } = rates[rateName];
    const limit = `limit: ${percentOf(threshold)}${exceeded ? ', exceeded' : ''}`;
    const roles = rateName === 'delta_guard' ? rates.delta_guard_by_role : [];
    return [
      `${RATES[rateName].title}: ${figures(rates[rateName])} (${limit})`,
      ...roles.map((roleRate) => `  ${roleRate.role}: ${figures(roleRate)}`),
    ];
  });
  const notes = rates.judged
    ? rateNames.flatMap((rateName) => rates[rateName].action ?? [])
    : [`The limits apply from three features on; features so far: ${rates.features}.`];
  return ['Rates of all features:', ...lines, ...notes].join('\n');
}

/**
 * Joins the blocks of the page, and adds a note if some cost records could not be read. Wraps all lines to the width.
 */
function pageText(blocks: readonly string[], unreadable: number, { width }: CostStyle): string {
  const unreadableNote =
    unreadable === 0 ? '' : `${count(unreadable, 'entry', 'entries')} of the ledger could not be read.`;
  return [...blocks, unreadableNote]
    .filter((block) => block !== '')
    .map((block) => wrap(block, width, 2))
    .join('\n\n');
}

/** Returns a table whose first row is the head. The first column is cut to fit; the others are aligned right. */
function table(rows: readonly (readonly string[])[], { width, paint }: CostStyle): string {
  const columns = rows[0]?.map((_, n) => Math.max(...rows.map((row) => cells(row[n] ?? '')))) ?? [];
  const free = width - columns.slice(1).reduce((sum, column) => sum + 2 + column, 0);
  const room = Math.min(free, Math.max(NAME_WIDTH, columns[0] ?? 0));
  const lines = rows.map(([name = '', ...figureCells]) => {
    const figures = figureCells.map((cell, n) => cell.padStart(columns[n + 1] ?? 0));
    return [padCells(cutStart(name, room), room), ...figures].join('  ').trimEnd();
  });
  return lines.map((line, n) => (n === 0 ? paint('strong', line) : line)).join('\n');
}

/** Keeps the figures near short names on wide terminals, in the same columns in every table. */
const NAME_WIDTH = 44;

const UNKNOWN = 'unknown';

/** Returns the number of tokens as text. A `~` means that some reviews reported none. */
function usageText(costs: Paid): string {
  const { looks, looks_without_usage: looksWithoutUsage } = costs;
  if (looksWithoutUsage === looks) return looks === 0 ? '' : UNKNOWN;
  return `${looksWithoutUsage > 0 ? '~' : ''}${tokensOf(paidTokens(costs))}`;
}

/** Returns the cost as text. A `~` means that some prices are unknown or come from the price list. */
function moneyText({ looks, told_usd, list_price_usd, looks_without_price: looksWithoutPrice }: Paid): string {
  if (looksWithoutPrice === looks) return looks === 0 ? '' : UNKNOWN;
  return `${list_price_usd + looksWithoutPrice > 0 ? '~' : ''}${usdOf(told_usd + list_price_usd)}`;
}

function withLegend(figures: readonly string[]): readonly string[] {
  const isEstimated = figures.some((text) => text.includes('~'));
  return isEstimated
    ? [...figures, '~ means incomplete: some agents reported no usage, or no price, which is then from a price list']
    : figures;
}

/** Returns the lines about cost, tokens and calls. */
function paidLines(costs: Paid): readonly string[] {
  const { looks, resumed, looks_without_usage: looksWithoutUsage } = costs;
  const missingUsageNote =
    looksWithoutUsage === 0 ? '' : `; ${count(looksWithoutUsage, 'review')} without a token count`;
  const tokens = `${tokensOf(costs.input_tokens)} input, ${tokensOf(costs.cached_input_tokens)} cache reads, ${tokensOf(costs.cache_write_tokens)} cache writes, ${tokensOf(costs.output_tokens)} output${missingUsageNote}`;
  return [
    `Paid: ${moneyText(costs) || 'nothing'}.`,
    `Tokens: ${looks > 0 && looksWithoutUsage === looks ? 'unknown, because no agent reported them' : tokens}.`,
    `Calls to agents: ${costs.dispatches}, for ${count(looks - resumed, 'new session')} and ${count(resumed, 'resumed session')}.`,
  ];
}

/** Describes which entries are counted, as the end of a sentence: of which branch, and since when. */
function selectionText({ since, branch }: Pick<CostDocument, 'since' | 'branch'>): string {
  const where = branch === null ? 'in this clone' : `on ${quoteName(branch)}`;
  return since === null ? where : `${where} since ${since.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Returns the folder of a feature as people see it. The repository's root is ".". */
function featureName(feature: string): string {
  return feature === '' ? '.' : quoteName(feature);
}
