import { quoteName, showInvisible } from '../kernel/escape.ts';
import { SAVED_BY } from '../ledger/describe.ts';
import { LEVERS } from '../ledger/entries.ts';
import { count, tokensOf } from '../ui/wording.ts';
import { describeComparison, describePromises, describeRates } from './describe-loops.ts';
import type { CostDocument, Paid, SavedTokens } from './json-schema.ts';
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

/** Returns one screen: what the user paid, what onceover saved, and what the money was spent on. */
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
      ? [describeComparison(loops, style), describePromises(loops), describeRates(loops.rates, null, style)]
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
