import { quoteName, showInvisible } from '../kernel/escape.ts';
import type { Lever, RunStatus } from '../ledger/entries.ts';
import { padCells } from '../ui/layout.ts';
import { bar, type TextStyle } from '../ui/style.ts';
import { count, tokensOf } from '../ui/wording.ts';
import { describeLoops } from './describe-loops.ts';
import {
  type CostStyle,
  costLegend,
  featureName,
  moneyText,
  pageText,
  paidLines,
  percentText,
  selectionText,
  type TableRow,
  table,
  usageText,
} from './page.ts';
import { type CostReport, type Paid, paidTokens, type SavedTokens } from './types.ts';

/** Returns one screen: what the user paid, what onceover saved, and what the money was spent on. */
export function describeCost(report: CostReport, style: CostStyle): string {
  const isEmpty = report.runs + report.fixes + report.features.length + report.steps.length === 0;
  return pageText(
    (fitted) => (isEmpty ? [describeNothing(report)] : blocksOf(report, fitted)),
    report.unreadable,
    style,
  );
}

/** The baseline of the estimates, also for the JSON documents. */
export const BASELINE =
  "pass and slot: that reviewer's last measured usage here; session: fresh prompt and reads minus measured; prefix: " +
  'cached tokens beyond what the CLI caches by itself';

function describeNothing(report: CostReport): string {
  if (report.since === null && report.branch === null) {
    return 'No run of this clone is in the ledger yet. Start one with "onceover run", then run "onceover cost" again.';
  }
  return `No run ${selectionText(report)} is in the ledger. Run "onceover cost" without options to see all runs of this clone.`;
}

function blocksOf(report: CostReport, style: CostStyle): readonly string[] {
  const { details, paint } = style;
  return [
    [`${capital(describeRuns(report))}.`, ...paidLines(report.paid)].join('\n'),
    describeSavings(report, style),
    ...spentOn(report, style),
    ...(details ? [describeDetails(report), lastRuns(report, style), ...describeLoops(report, style)] : []),
    legend(report),
    details ? '' : paint('quiet', 'Run "onceover cost --details" for single runs, sessions and rates.'),
  ];
}

function describeRuns(report: CostReport): string {
  const { runs, idleRuns, fixes, features, steps } = report;
  const parts = [
    ...(runs === 0 ? [] : [`${count(runs, 'run')}${idleRuns === 0 ? '' : ` (${idleRuns} with nothing to do)`}`]),
    ...(fixes === 0 ? [] : [count(fixes, 'fix by an agent', 'fixes by agents')]),
    ...(features.length === 0 ? [] : [`phases of ${count(features.length, 'feature')}`]),
    ...(steps.length === 0 ? [] : [`reviews of ${count(steps.length, 'workflow step')}`]),
  ];
  return `${parts.join(', ')} ${selectionText(report)}`;
}

const SAVINGS: readonly (readonly [lever: Lever, how: string])[] = [
  ['pass', 'skipped: code unchanged since it passed'],
  ['slot', 'skipped: reviewer already passed'],
  ['session', 'in resumed sessions'],
  ['prefix', 'with a shared prompt'],
];

function describeSavings({ paid, spared }: CostReport, { paint, bars, width }: CostStyle): string {
  const used = paidTokens(paid);
  const saved = SAVINGS.reduce((sum, [lever]) => sum + spared[lever].tokens, 0);
  const most = Math.max(used, ...SAVINGS.map(([lever]) => spared[lever].tokens));
  const room = Math.max(8, width - 70);
  const line = (name: string, tokens: number, look: TextStyle, note: string) =>
    `${padCells(name, 6)}${tokensOf(tokens).padStart(7)}  ${paint(look, padCells(bar(tokens, most, room, bars), room))}  ${note}`.trimEnd();
  const share = saved === 0 ? '' : `, ${percentText(saved / (saved + used))} of all tokens`;
  return [
    paint('strong', `Saved: about ${tokensOf(saved)} tokens${share} (an estimate)`),
    line('paid', used, 'strong', ''),
    ...SAVINGS.map(([lever, how]) =>
      line('saved', spared[lever].tokens, 'good', `${count(spared[lever].looks, 'review')} ${how}`),
    ),
  ].join('\n');
}

const MOST_ROWS = 5;

type Line = { readonly name: string; readonly paid: Paid; readonly spared?: SavedTokens };

function spentOn({ gates, features, steps, agents, days }: CostReport, style: CostStyle): readonly string[] {
  const named = (agent: string, model: string | null) =>
    `${showInvisible(agent)}${model === null ? '' : ` (${showInvisible(model)})`}`;
  const tables: readonly (readonly [title: string, lines: readonly Line[]])[] = [
    ['By gate', gates.map((one) => ({ ...one, name: one.gate === null ? 'fixes by agents' : quoteName(one.gate) }))],
    ['By feature (phases)', features.map((one) => ({ ...one, name: featureName(one.feature) }))],
    ['By workflow step', steps.map((one) => ({ ...one, name: `${quoteName(one.job)}: ${quoteName(one.step)}` }))],
    ['By agent', agents.map((one) => ({ ...one, name: named(one.agent, one.model) }))],
    ['By day', [...days].reverse().map((one) => ({ ...one, name: one.day }))],
  ];
  return tables.map(([title, lines]) => {
    if (lines.length === 0) return '';
    const more = lines.length - MOST_ROWS;
    const rows = lines
      .slice(0, MOST_ROWS)
      .map(({ name, paid, spared }) => ({ cells: [name, ...figures(paid, spared)] }));
    return `${table([{ cells: [title, ...HEAD] }, ...rows], 1, style)}${more > 0 ? `\nand ${more} more` : ''}`;
  });
}

const HEAD = ['  calls', ' tokens', '    money', '  saved'];

function figures(paid: Paid, spared?: SavedTokens): readonly string[] {
  const saved = spared === undefined || spared.tokens === 0 ? '' : tokensOf(spared.tokens);
  return [paid.looks === 0 ? '' : String(paid.dispatches), usageText(paid), moneyText(paid), saved];
}

function describeDetails({ again, checks }: CostReport): string {
  const reasons = [
    [again.guarded, 'too much had changed'],
    [again.fellBack, 'the old session was lost'],
    [again.dearer, 'resuming would have cost more'],
  ] as const;
  const fresh = reasons.filter(([times]) => times > 0).map(([times, why]) => `${times} because ${why}`);
  const ran = checks.reduce((sum, { runs }) => sum + runs, 0);
  const seconds = checks.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  return [
    `Baseline of the savings: ${BASELINE}.`,
    ...(fresh.length === 0 ? [] : [`New sessions although there was one to resume: ${fresh.join(', ')}.`]),
    ...(ran === 0 ? [] : [`Checks: ${count(ran, 'run')}, ${seconds.toFixed(1)} s.`]),
  ].join('\n');
}

const STATUSES: Readonly<Record<RunStatus, readonly [word: string, look: TextStyle]>> = {
  no_changes: ['no changes', 'quiet'],
  no_applicable_gates: ['no gates', 'quiet'],
  passed: ['passed', 'good'],
  passed_with_warnings: ['warnings', 'good'],
  failed: ['failed', 'bad'],
  error: ['error', 'broken'],
  retry_limit_exceeded: ['retry limit', 'bad'],
  lock_conflict: ['locked', 'broken'],
};

function lastRuns({ lastRuns: runs }: CostReport, style: CostStyle): string {
  if (runs.length === 0) return '';
  const rows = runs.map(({ at, branch, iteration, status, paid, spared }): TableRow => {
    const [word, look] = STATUSES[status];
    const where = branch === null ? '(no branch)' : showInvisible(branch);
    const number = iteration === null ? '' : `#${iteration}`;
    return { look, cells: [where, style.localTime(at), word, number, ...figures(paid, spared)] };
  });
  return table([{ cells: ['Last runs', '', '', '', ...HEAD.map((one) => one.trim())] }, ...rows], 4, style);
}

function legend({ gates, features, steps, agents, lastRuns: runs }: CostReport): string {
  return costLegend([...gates, ...features, ...steps, ...agents, ...runs].flatMap(({ paid }) => figures(paid)));
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
