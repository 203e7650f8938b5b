import { paidTokens, type SparedTokens } from '../domain/cost.ts';
import type { DemoOutcome } from '../domain/demo.ts';
import type { RunOutcome } from '../domain/run.ts';
import { totalTokens } from '../domain/usage.ts';
import { bar } from './bar.ts';
import { count } from './count.ts';
import { type DemoLooks, type Standing, standings } from './demo-slots.ts';
import type { Look } from './paint.ts';
import { tokensOf } from './tokens.ts';
import { cells, padCells } from './width.ts';

const HOW: Readonly<Record<Standing['how'], string>> = {
  fresh: ', whole',
  resumed: ', delta',
  rests: '',
  holds: '',
};

const COLUMN = 17;

/** Runs down, reviewers across: who was asked, who was not, and what that came to. */
export function demoTable({ runs, cost }: DemoOutcome, { paint }: DemoLooks): string {
  const [first] = runs;
  const reviewers = first === undefined ? [] : standings(first);
  const heads = reviewers.map(({ review, slot }) => padCells(`${review} @${slot.slot} ${slot.agent}`, COLUMN));
  const rows = runs.map((run, i) => {
    const shown = standings(run).map(
      ({ word, look, how }) => `${paint(look, word)}${padCells(HOW[how], COLUMN - cells(word))}`,
    );
    return `  ${String(i + 1).padEnd(5)}${shown.join('')}${figures(run.usage === null ? 0 : totalTokens(run.usage), sparedIn(run))}`;
  });
  const all = `  ${'all'.padEnd(5)}${' '.repeat(COLUMN * reviewers.length)}${figures(
    paidTokens(cost.paid),
    runs.map(sparedIn).reduce((a, b) => a + b, 0),
  )}`;
  return [
    paint('strong', `  ${'run'.padEnd(5)}${heads.join('')}${'paid'.padStart(6)}${'not paid'.padStart(10)}`),
    ...rows,
    paint('strong', all),
  ].join('\n');
}

function figures(paid: number, spared: number): string {
  return `${tokensOf(paid).padStart(6)}${tokensOf(spared).padStart(10)}`;
}

function sparedIn({ saved }: RunOutcome): number {
  return saved.pass + saved.slot + saved.session + saved.prefix;
}

const NOTE = 36;

/** What was paid, and what was not, by lever. */
export function demoPicture({ cost, shared }: DemoOutcome, { paint, bars, width }: DemoLooks): string {
  const { paid, spared } = cost;
  const most = Math.max(paidTokens(paid), ...Object.values(spared).map(({ tokens }) => tokens), shared.tokens);
  const room = Math.max(10, width - 20 - NOTE);
  const line = (name: string, tokens: number, look: Look, note: string, hollow = false) => {
    const full = bar(tokens, most, room, bars);
    const drawn = hollow ? full.replace(/./gu, bars === 'blocks' ? '░' : '.') : full;
    const figure = hollow ? `(${tokensOf(tokens)})` : `${tokensOf(tokens)} `;
    return `  ${padCells(name, 8)}${figure.padStart(7)} ${paint(look, drawn)}${' '.repeat(room - cells(drawn))}  ${note}`;
  };
  const lever = (name: string, { looks, tokens }: SparedTokens, what: string) =>
    line(name, tokens, 'good', `${count(looks, 'look')}: ${what}`);
  const { pass, slot, session, prefix } = spared;
  return [
    paint('strong', '  Tokens paid, and not paid by lever'),
    line('paid', paidTokens(paid), 'strong', `${count(paid.looks, 'look')}, ${paid.resumed} of them resumed`),
    lever('pass', pass, 'unchanged since the pass'),
    lever('slot', slot, 'rested while another looked'),
    lever('session', session, 'resumed, sent what changed'),
    prefix.tokens === 0 && shared.looks > 0
      ? line('prefix', shared.tokens, 'quiet', 'not counted: a shared beginning', true)
      : lever('prefix', prefix, 'shared the beginning'),
  ].join('\n');
}
