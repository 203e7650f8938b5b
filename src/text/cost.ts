import { type CostReport, type Paid, paidTokens, type RunCost } from '../domain/cost.ts';
import type { Lever } from '../domain/ledger.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import type { RunStatus } from '../domain/run.ts';
import { bar } from './bar.ts';
import { moneyOf, paidLines, usedOf } from './cost-figures.ts';
import { asked, type CostLooks, featureName, fitted, legendOf, pageText } from './cost-page.ts';
import { count } from './count.ts';
import { loopBlocks } from './loop-cost.ts';
import type { Look } from './paint.ts';
import { tokensOf } from './tokens.ts';
import { cells, cut, cutStart, padCells } from './width.ts';
import { wrap } from './wrap.ts';

const MOST_GATES = 6;
const MOST_FEATURES = 6;
const MOST_STEPS = 6;
const MOST_AGENTS = 5;

/** What was paid, what was not, by gate, feature, agent and run: one screen; in full, also how review loops went. */
export function tellCost(report: CostReport, { loops, ...looks }: CostLooks & { loops: 'short' | 'full' }): string {
  const page = fitted(looks);
  if (report.runs + report.fixes + report.features.length + report.steps.length === 0) {
    return pageText([tellNothing(report)], report.unreadable, page);
  }
  const inFull = loops === 'full' ? loopBlocks(report, page) : [];
  return pageText([...pageOf(report, page, loops), ...inFull], report.unreadable, page);
}

/** What the estimates of what was not paid are measured against. */
export const BASELINE =
  "pass and slot: that reviewer's last measured usage here; session: fresh prompt and reads minus measured; prefix: " +
  'cached tokens beyond what the CLI caches by itself';

function tellNothing({ since, branch }: CostReport): string {
  if (since === null && branch === null) {
    return 'No run of this clone is in the ledger yet: "onceover run", "onceover phase" and "onceover workflow" write down what they cost.';
  }
  return `The ledger has no run ${asked({ since, branch })}. "onceover cost" without options speaks of all of this clone.`;
}

function pageOf(report: CostReport, looks: CostLooks, loops: 'short' | 'full'): readonly string[] {
  return [
    totals(report),
    picture(report, looks),
    looks.paint('quiet', wrap(`Not paid is an estimate. ${capital(BASELINE)}.`, looks.width)),
    gates(report, looks),
    ...(loops === 'short' ? [features(report, looks)] : []),
    steps(report, looks),
    agents(report, looks),
    lastRuns(report, looks),
    legend(report),
  ];
}

function totals(report: CostReport): string {
  const { paid, checks } = report;
  const seconds = checks.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  const ran = checks.reduce((sum, one) => sum + one.runs, 0);
  return [
    `${whatRan(report)}.`,
    ...paidLines(paid, tellAgain(report)),
    ...(ran === 0 ? [] : [`Checks: ${count(ran, 'run')}, ${seconds.toFixed(1)} s.`]),
  ].join('\n');
}

function whatRan(report: CostReport): string {
  const { runs, idleRuns, fixes, features: all } = report;
  const idle = idleRuns === 0 ? '' : `, ${idleRuns} of them with nothing to do`;
  const fixed = fixes === 0 ? '' : `, ${count(fixes, 'turn')} of a fixer`;
  const others = [
    ...(all.length === 0 ? [] : [`review loops of ${count(all.length, 'feature')}`]),
    ...(report.steps.length === 0 ? [] : [`reviews of ${count(report.steps.length, 'workflow step')}`]),
  ];
  if (runs + fixes === 0) return `${capital(others.join(', '))} ${asked(report)}, and no run`;
  return `${count(runs, 'run')} ${asked(report)}${idle}${fixed}${others.map((one) => `, ${one}`).join('')}`;
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
    line('paid', tokens, 'strong', count(paid.looks, 'look')),
    ...LEVERS.map(([lever, why]) => {
      const { looks, tokens: amount } = spared[lever];
      return line(lever, amount, 'good', looks === 0 ? '' : `${count(looks, 'look')} ${why}`);
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

function features({ features: all }: CostReport, looks: CostLooks): string {
  const rows = all.slice(0, MOST_FEATURES).map(({ feature, paid, spared }) => {
    return row(cutStart(featureName(feature), nameWidth(looks)), figures(paid, spared.tokens), looks);
  });
  const next = '"onceover cost FOLDER" shows one in full, "onceover cost --all" what is watched.';
  return rows.length === 0
    ? ''
    : [table('Review loops', rows, all.length - rows.length, looks), looks.paint('quiet', next)].join('\n');
}

function steps({ steps: all }: CostReport, looks: CostLooks): string {
  const rows = all.slice(0, MOST_STEPS).map(({ job, step, paid }) => {
    return row(cutStart(`${quoteName(job)}: ${quoteName(step)}`, nameWidth(looks)), figures(paid, null), looks);
  });
  return table('Workflow step', rows, all.length - rows.length, looks);
}

function agents({ agents: all }: CostReport, looks: CostLooks): string {
  const rows = all.slice(0, MOST_AGENTS).map(({ agent, model, paid }) => {
    const name = `${showUnseen(agent)}${model === null ? '' : ` (${showUnseen(model)})`}`;
    return row(cut(name, nameWidth(looks)), figures(paid, null), looks);
  });
  return table('Agent', rows, all.length - rows.length, looks);
}

function table(title: string, rows: readonly string[], more: number, looks: CostLooks): string {
  if (rows.length === 0) return '';
  const head = row(title, title === 'Agent' || title === 'Workflow step' ? FIGURES.slice(0, 3) : FIGURES, looks);
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

function legend({ gates: all, features: loops, steps: own, agents: every, lastRuns: runs }: CostReport): string {
  const paid = [...all, ...loops, ...own, ...every, ...runs].filter((one) => one.paid.looks > 0);
  return legendOf(paid.flatMap((one) => figures(one.paid, null)));
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
