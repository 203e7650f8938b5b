import { type CostReport, type Paid, paidTokens, type RunCost } from '../domain/cost.ts';
import type { Lever } from '../domain/ledger.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import type { RunStatus } from '../domain/run.ts';
import { type BarStyle, bar } from './bar.ts';
import { counted, moneyOf, usdOf, usedOf } from './cost-figures.ts';
import type { Look, Paint } from './paint.ts';
import { tokensOf } from './tokens.ts';
import { cells, cut, cutStart, padCells } from './width.ts';
import { wrap } from './wrap.ts';

/** How the page is to look. */
export type CostLooks = {
  readonly paint: Paint;
  readonly bars: BarStyle;
  readonly width: number;
  /** A moment as people there say it, to the minute. */
  localTime(at: string): string;
};

const MOST_GATES = 6;
const MOST_AGENTS = 5;
const NARROWEST = 64;
const WIDEST = 110;

/** What was paid, what was not, by gate, agent and run: one screen. */
export function tellCost(report: CostReport, looks: CostLooks): string {
  const page: CostLooks = { ...looks, width: Math.min(WIDEST, Math.max(NARROWEST, looks.width)) };
  const blocks = report.runs + report.fixes === 0 ? [tellNothing(report)] : pageOf(report, page);
  const unreadable = report.unreadable === 0 ? [] : [tellUnreadable(report.unreadable)];
  return [...blocks, ...unreadable].map((block) => wrap(block, page.width, 2)).join('\n\n');
}

/** What the estimates of what was not paid are measured against. */
export const BASELINE =
  "pass and slot: that reviewer's last measured usage here; session: fresh prompt and reads minus measured; prefix: " +
  'cached tokens beyond what the CLI caches by itself';

function tellNothing({ since, branch }: CostReport): string {
  if (since === null && branch === null) {
    return 'No run of this clone is in the ledger yet: every "onceover run" writes down what it cost.';
  }
  return `The ledger has no run ${asked({ since, branch })}. "onceover cost" without options speaks of all of this clone.`;
}

function tellUnreadable(count: number): string {
  return `${counted(count, 'entry', 'entries')} of the ledger could not be read and ${count === 1 ? 'is' : 'are'} left out.`;
}

function pageOf(report: CostReport, looks: CostLooks): readonly string[] {
  return [
    totals(report),
    picture(report, looks),
    looks.paint('quiet', wrap(`Not paid is an estimate. ${capital(BASELINE)}.`, looks.width)),
    gates(report, looks),
    ...(report.agents.length === 0 ? [] : [agents(report, looks)]),
    lastRuns(report, looks),
    legend(report),
  ].filter((block) => block !== '');
}

function totals(report: CostReport): string {
  const { runs, idleRuns, fixes, paid, checks } = report;
  const idle = idleRuns === 0 ? '' : `, ${idleRuns} of them with nothing to do`;
  const fixed = fixes === 0 ? '' : `, ${counted(fixes, 'turn', 'turns')} of a fixer`;
  const seconds = checks.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  const ran = checks.reduce((sum, one) => sum + one.runs, 0);
  return [
    `${counted(runs, 'run', 'runs')} ${asked(report)}${idle}${fixed}.`,
    `${counted(paid.dispatches, 'dispatch', 'dispatches')} for ${counted(paid.looks, 'look', 'looks')}: ${paid.looks - paid.resumed} fresh, ${paid.resumed} resumed${tellAgain(report)}.`,
    `Tokens: ${tokensOf(paid.inputTokens)} in, ${tokensOf(paid.cachedInputTokens)} from caches, ${tokensOf(paid.cacheWriteTokens)} written to caches, ${tokensOf(paid.outputTokens)} out${paid.untold === 0 ? '' : `; ${counted(paid.untold, 'look', 'looks')} told none`}.`,
    `Money: ${tellMoney(paid)}.`,
    ...(ran === 0 ? [] : [`Checks: ${counted(ran, 'run', 'runs')}, ${seconds.toFixed(1)} s.`]),
  ].join('\n');
}

function asked({ since, branch }: Pick<CostReport, 'since' | 'branch'>): string {
  const where = branch === null ? 'in this clone' : `on ${quoteName(branch)}`;
  return since === null ? where : `${where} since ${since.slice(0, 16).replace('T', ' ')} UTC`;
}

function tellAgain({ again: { guarded, fellBack, dearer } }: CostReport): string {
  const why = [
    [guarded, 'too much had changed'],
    [fellBack, 'the session was lost'],
    [dearer, 'resuming was dearer'],
  ] as const;
  const told = why.filter(([count]) => count > 0).map(([count, reason]) => `${count} as ${reason}`);
  return told.length === 0 ? '' : ` (of the fresh: ${told.join(', ')})`;
}

function tellMoney(paid: Paid): string {
  const known = [
    ...(paid.toldUsd > 0 ? [`${usdOf(paid.toldUsd)} as agents told`] : []),
    ...(paid.listUsd > 0 ? [`about ${usdOf(paid.listUsd)}${paid.toldUsd > 0 ? ' more' : ''} at list prices`] : []),
  ];
  if (paid.looks === 0) return 'none was spent';
  if (paid.unpriced === paid.looks) return 'price not known (no agent told it, and no list price fits)';
  if (paid.unpriced === 0) return known.length === 0 ? `${usdOf(0)} as agents told` : known.join(', ');
  return [...known, `price not known of ${counted(paid.unpriced, 'look', 'looks')}`].join(', ');
}

const LEVERS: readonly (readonly [lever: Lever, why: string])[] = [
  ['pass', 'unchanged since it passed'],
  ['slot', 'rested'],
  ['session', 'resumed'],
  ['prefix', 'shared prompt'],
];

function picture({ paid, spared }: CostReport, { paint, bars, width }: CostLooks): string {
  const tokens = paidTokens(paid);
  const most = Math.max(tokens, ...LEVERS.map(([lever]) => spared[lever].tokens));
  const line = (name: string, amount: number, look: Look, note: string) => {
    const room = Math.max(10, width - 17 - 38);
    const drawn = bar(amount, most, room, bars);
    const told = `${padCells(name, 8)}${tokensOf(amount).padStart(7)}  `;
    return `${told}${paint(look, drawn)}${' '.repeat(room - cells(drawn))}  ${note}`.trimEnd();
  };
  return [
    paint('strong', 'Tokens paid, and not paid by lever'),
    line('paid', tokens, 'strong', counted(paid.looks, 'look', 'looks')),
    ...LEVERS.map(([lever, why]) => {
      const { looks, tokens: amount } = spared[lever];
      return line(lever, amount, 'good', looks === 0 ? '' : `${counted(looks, 'look', 'looks')} ${why}`);
    }),
  ].join('\n');
}

const FIGURES = ['looks', 'tokens', 'money', 'not paid'] as const;
const FIGURES_WIDTH = 6 + 9 + 10 + 10;

function gates({ gates: all }: CostReport, looks: CostLooks): string {
  const rows = all.slice(0, MOST_GATES).map(({ gate, paid, spared }) => {
    const name = gate === null ? 'fixers' : quoteName(gate);
    return row(cutStart(name, nameWidth(looks)), figures(paid, spared.tokens), looks);
  });
  return table('Gate', rows, all.length - rows.length, looks);
}

function agents({ agents: all }: CostReport, looks: CostLooks): string {
  const rows = all.slice(0, MOST_AGENTS).map(({ agent, model, paid }) => {
    const name = `${showUnseen(agent)}${model === null ? '' : ` (${showUnseen(model)})`}`;
    return row(cut(name, nameWidth(looks)), figures(paid, null), looks);
  });
  return table('Agent', rows, all.length - rows.length, looks);
}

function table(title: string, rows: readonly string[], more: number, looks: CostLooks): string {
  const head = row(title, title === 'Agent' ? FIGURES.slice(0, 3) : FIGURES, looks);
  return [looks.paint('strong', head), ...rows, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

function row(name: string, told: readonly string[], looks: CostLooks): string {
  const widths = [6, 9, 10, 10];
  const padded = told.map((one, i) => one.padStart(widths[i] ?? 0)).join('');
  return `${padCells(name, nameWidth(looks))}${padded}`.trimEnd();
}

function nameWidth({ width }: CostLooks): number {
  return width - FIGURES_WIDTH;
}

function figures(paid: Paid, notPaid: number | null): readonly string[] {
  const some = paid.looks === 0 ? ['', '', ''] : [String(paid.looks), usedOf(paid), moneyOf(paid)];
  return notPaid === null ? some : [...some, notPaid === 0 ? '' : tokensOf(notPaid)];
}

const STATUSES: Readonly<Record<RunStatus, readonly [word: string, look: Look]>> = {
  no_changes: ['no changes', 'quiet'],
  no_applicable_gates: ['no gates', 'quiet'],
  passed: ['passed', 'good'],
  passed_with_warnings: ['warnings', 'good'],
  failed: ['failed', 'bad'],
  error: ['error', 'broken'],
  retry_limit_exceeded: ['retry limit', 'bad'],
  lock_conflict: ['locked', 'broken'],
};

function lastRuns({ lastRuns: runs }: CostReport, looks: CostLooks): string {
  if (runs.length === 0) return '';
  const name = (run: RunCost) => {
    const [word, look] = STATUSES[run.status];
    const room = nameWidth(looks) - 12 - 12 - 6;
    const where = run.branch === null ? '(no branch)' : showUnseen(run.branch);
    const number = run.iteration === null ? '' : `#${run.iteration}`;
    return `${looks.localTime(run.at)} ${looks.paint(look, padCells(word, 12))}${padCells(number, 5)} ${padCells(cut(where, room), room)}`;
  };
  const rows = runs.map((run) => {
    const told = figures(run.paid, run.spared.tokens);
    const widths = [6, 9, 10, 10];
    return `${name(run)}${told.map((one, i) => one.padStart(widths[i] ?? 0)).join('')}`.trimEnd();
  });
  return [looks.paint('strong', row(`Last ${runs.length === 1 ? 'run' : 'runs'}`, FIGURES, looks)), ...rows].join('\n');
}

/** What the signs at the figures mean, where there are any. */
function legend({ gates: all, agents: every, lastRuns: runs }: CostReport): string {
  const shown = [...all, ...every, ...runs]
    .filter(({ paid }) => paid.looks > 0)
    .flatMap(({ paid }) => figures(paid, null));
  const signs = [
    ['~', '~ at list prices'],
    ['+', '+ and more that is not known'],
    ['?', '? not known'],
  ] as const;
  return signs
    .filter(([sign]) => shown.some((figure) => figure.includes(sign)))
    .map(([, meaning]) => meaning)
    .join('; ');
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
