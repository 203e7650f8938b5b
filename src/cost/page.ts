import { totalTokens } from '../kernel/agent.ts';
import { quoteName } from '../kernel/escape.ts';
import { cells, cutStart, padCells, wrap } from '../ui/layout.ts';
import type { BarStyle, Paint, TextStyle } from '../ui/style.ts';
import { count, tokensOf, usdOf } from '../ui/wording.ts';
import { type CostReport, type CostRow, type Paid, paidTokens } from './types.ts';

/** How to print the page. */
export type CostStyle = {
  readonly paint: Paint;
  readonly bars: BarStyle;
  readonly width: number;
  /** Whether to add the rates, guards and comparisons. */
  readonly details: boolean;
  /** Returns a time in the time zone of the user, to the minute. */
  localTime(at: string): string;
};

const NARROWEST = 64;

const WIDEST = 110;

/** Joins the blocks of a page, wrapped to a width between 64 and 110 columns. */
export function pageText(
  blocksFor: (style: CostStyle) => readonly string[],
  unreadable: number,
  style: CostStyle,
): string {
  const width = Math.min(WIDEST, Math.max(NARROWEST, style.width));
  const left = unreadable === 0 ? '' : `${count(unreadable, 'entry', 'entries')} of the ledger could not be read.`;
  return [...blocksFor({ ...style, width }), left]
    .filter((block) => block !== '')
    .map((block) => wrap(block, width, 2))
    .join('\n\n');
}

/** One line of a table. `look` colours the line. `tail` follows it, may be coloured, and has no column. */
export type TableRow = { readonly cells: readonly string[]; readonly look?: TextStyle; readonly tail?: string };

const GAP = '  ';

/** Returns a table whose first row is its head. The first column is cut to fit; columns after `left` are figures. */
export function table(rows: readonly TableRow[], left: number, { width, paint }: CostStyle): string {
  const columns = rows[0]?.cells.map((_, n) => Math.max(...rows.map((row) => cells(row.cells[n] ?? '')))) ?? [];
  const others = columns.slice(1).reduce((sum, column) => sum + GAP.length + column, 0);
  const room = width - others;
  return rows
    .map(({ cells: [name = '', ...rest], look, tail = '' }, n) => {
      const shown = rest.map((cell, i) =>
        i + 1 < left ? padCells(cell, columns[i + 1] ?? 0) : cell.padStart(columns[i + 1] ?? 0),
      );
      const line = [padCells(cutStart(name, room), room), ...shown].join(GAP).trimEnd();
      const painted = n === 0 ? paint('strong', line) : look === undefined ? line : paint(look, line);
      return tail === '' ? painted : `${painted}${GAP}${tail}`;
    })
    .join('\n');
}

/** Returns the tokens; `+` marks that more were used, `?` that the number is unknown. */
export function usageText(paid: Paid): string {
  if (paid.untold === paid.looks) return paid.looks === 0 ? '' : '?';
  return `${tokensOf(paidTokens(paid))}${paid.untold > 0 ? '+' : ''}`;
}

/** Returns the money; `~` marks list prices, `+` that more was paid, `?` that the price is unknown. */
export function moneyText({ looks, toldUsd, listUsd, unpriced }: Paid): string {
  if (looks === 0) return '';
  if (unpriced === looks) return '?';
  return `${listUsd > 0 ? '~' : ''}${usdOf(toldUsd + listUsd)}${unpriced > 0 ? '+' : ''}`;
}

/** Returns the tokens and the money of one row. */
export function rowFigures({ usage, price }: CostRow): readonly [tokens: string, money: string] {
  return [
    usage === null ? '?' : tokensOf(totalTokens(usage)),
    price === null ? '?' : `${price.from === 'list' ? '~' : ''}${usdOf(price.usd)}`,
  ];
}

/** Explains the marks that occur in these figures. */
export function costLegend(figures: readonly string[]): string {
  return MARKS.filter(([mark]) => figures.some((figure) => figure.includes(mark)))
    .map(([mark, meaning]) => `${mark} ${meaning}`)
    .join('; ');
}

const MARKS = [
  ['~', 'at list prices'],
  ['+', 'plus an unknown amount'],
  ['?', 'unknown'],
] as const;

/** Returns the lines about money, tokens and calls. */
export function paidLines(paid: Paid): readonly string[] {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, untold, looks, resumed } = paid;
  const unknown = untold === 0 ? '' : `; ${count(untold, 'review')} without a token count`;
  return [
    `Paid: ${describeMoney(paid)}.`,
    `Tokens: ${tokensOf(inputTokens)} input, ${tokensOf(cachedInputTokens)} cache reads, ${tokensOf(cacheWriteTokens)} cache writes, ${tokensOf(outputTokens)} output${unknown}.`,
    `Calls to agents: ${paid.dispatches}, for ${count(looks - resumed, 'new session')} and ${count(resumed, 'resumed session')}.`,
  ];
}

function describeMoney({ looks, toldUsd, listUsd, unpriced }: Paid): string {
  if (looks === 0) return 'nothing';
  if (unpriced === looks) return 'unknown (no agent reported a price, and there is no list price)';
  const known = [
    ...(toldUsd > 0 || listUsd === 0 ? [`${usdOf(toldUsd)} reported by agents`] : []),
    ...(listUsd > 0 ? [`about ${usdOf(listUsd)} at list prices`] : []),
  ].join(' and ');
  return unpriced === 0 ? known : `${known}; the price of ${count(unpriced, 'review')} is unknown`;
}

/** Returns a ratio in percent, to a tenth. */
export function percentText(ratio: number): string {
  return `${Number((ratio * 100).toFixed(1))} %`;
}

/** Returns the selected branch and time. */
export function selectionText({ since, branch }: Pick<CostReport, 'since' | 'branch'>): string {
  const where = branch === null ? 'in this clone' : `on ${quoteName(branch)}`;
  return since === null ? where : `${where} since ${since.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Returns the folder of a feature; the root is ".". */
export function featureName(feature: string): string {
  return feature === '' ? '.' : quoteName(feature);
}
