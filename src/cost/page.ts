import { quoteName } from '../kernel/escape.ts';
import { cells, cutStart, padCells, wrap } from '../ui/layout.ts';
import type { Paint } from '../ui/style.ts';
import { count, tokensOf, usdOf } from '../ui/wording.ts';
import type { CostDocument, Paid } from './json-schema.ts';
import { paidTokens } from './rows.ts';

/** How the `cost` page is printed. */
export type CostStyle = {
  readonly paint: Paint;
  readonly width: number;
  /** Whether to show also comparisons, rates and the reasons for new sessions. */
  readonly details: boolean;
};

/** Returns the page: the blocks and a note on unreadable entries, wrapped to the width. */
export function pageText(blocks: readonly string[], unreadable: number, { width }: CostStyle): string {
  const left = unreadable === 0 ? '' : `${count(unreadable, 'entry', 'entries')} of the ledger could not be read.`;
  return [...blocks, left]
    .filter((block) => block !== '')
    .map((block) => wrap(block, width, 2))
    .join('\n\n');
}

const GAP = '  ';

/**
 * Returns a table with its head in the first row. The first column is cut to fit; the columns from index `left` on are
 * aligned to the right.
 */
export function table(rows: readonly (readonly string[])[], left: number, { width, paint }: CostStyle): string {
  const columns = rows[0]?.map((_, n) => Math.max(...rows.map((row) => cells(row[n] ?? '')))) ?? [];
  const room = width - columns.slice(1).reduce((sum, column) => sum + GAP.length + column, 0);
  const lines = rows.map(([name = '', ...rest]) => {
    const shown = rest.map((cell, i) =>
      i + 1 < left ? padCells(cell, columns[i + 1] ?? 0) : cell.padStart(columns[i + 1] ?? 0),
    );
    return [padCells(cutStart(name, room), room), ...shown].join(GAP).trimEnd();
  });
  return lines.map((line, n) => (n === 0 ? paint('strong', line) : line)).join('\n');
}

/** Returns the number of tokens; `+` means that some reviews reported none, `?` that no review reported any. */
export function usageText(paid: Paid): string {
  const { looks, looks_without_usage: untold } = paid;
  if (untold === looks) return looks === 0 ? '' : '?';
  return `${tokensOf(paidTokens(paid))}${untold > 0 ? '+' : ''}`;
}

/** Returns the cost; `~` marks list prices, `+` means that some prices are unknown, `?` that all are. */
export function moneyText({ looks, told_usd, list_price_usd, looks_without_price: unpriced }: Paid): string {
  if (unpriced === looks) return looks === 0 ? '' : '?';
  return `${list_price_usd > 0 ? '~' : ''}${usdOf(told_usd + list_price_usd)}${unpriced > 0 ? '+' : ''}`;
}

/** Returns the legend of the marks that these figures have: `~`, `+` and `?`. */
export function costLegend({ list_price_usd, looks_without_usage, looks_without_price }: Paid): string {
  return [
    ...(list_price_usd > 0 ? ['~: at list prices'] : []),
    ...(looks_without_usage + looks_without_price > 0 ? ['+: plus an unknown amount; ?: unknown'] : []),
  ].join('; ');
}

/** Returns the lines about the cost, the tokens and the calls. */
export function paidLines(paid: Paid): readonly string[] {
  const { looks, resumed, looks_without_usage: untold } = paid;
  const unknown = untold === 0 ? '' : `; ${count(untold, 'review')} without a token count`;
  return [
    `Paid: ${describeMoney(paid)}.`,
    `Tokens: ${tokensOf(paid.input_tokens)} input, ${tokensOf(paid.cached_input_tokens)} cache reads, ${tokensOf(paid.cache_write_tokens)} cache writes, ${tokensOf(paid.output_tokens)} output${unknown}.`,
    `Calls to agents: ${paid.dispatches}, for ${count(looks - resumed, 'new session')} and ${count(resumed, 'resumed session')}.`,
  ];
}

function describeMoney({ looks, told_usd, list_price_usd, looks_without_price: unpriced }: Paid): string {
  if (looks === 0) return 'nothing';
  if (unpriced === looks) return 'unknown (no agent reported a price, and there is no list price)';
  const known = [
    ...(told_usd > 0 || list_price_usd === 0 ? [`${usdOf(told_usd)} reported by agents`] : []),
    ...(list_price_usd > 0 ? [`about ${usdOf(list_price_usd)} at list prices`] : []),
  ].join(' and ');
  return unpriced === 0 ? known : `${known}; the price of ${count(unpriced, 'review')} is unknown`;
}

/** Returns a ratio in percent, to a tenth. */
export function percentText(ratio: number): string {
  return `${Number((ratio * 100).toFixed(1))} %`;
}

/** Returns the selection as the end of a sentence: which branch, and since when. */
export function selectionText({ since, branch }: Pick<CostDocument, 'since' | 'branch'>): string {
  const where = branch === null ? 'in this clone' : `on ${quoteName(branch)}`;
  return since === null ? where : `${where} since ${since.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Returns the folder of a feature as shown to people; "." for the repository root. */
export function featureName(feature: string): string {
  return feature === '' ? '.' : quoteName(feature);
}
