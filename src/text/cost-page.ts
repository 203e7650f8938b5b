import type { CostReport } from '../domain/cost.ts';
import { quoteName } from '../domain/quote-name.ts';
import type { BarStyle } from './bar.ts';
import { count } from './count.ts';
import type { Paint } from './paint.ts';
import { wrap } from './wrap.ts';

/** How the page is to look. */
export type CostLooks = {
  readonly paint: Paint;
  readonly bars: BarStyle;
  readonly width: number;
  /** A moment as people there say it, to the minute. */
  localTime(at: string): string;
};

const NARROWEST = 64;
const WIDEST = 110;

/** The looks within what a page can be laid out for. */
export function fitted(looks: CostLooks): CostLooks {
  return { ...looks, width: Math.min(WIDEST, Math.max(NARROWEST, looks.width)) };
}

/** The blocks of a page, and what could not be read. */
export function pageText(blocks: readonly string[], unreadable: number, { width }: CostLooks): string {
  const shown = [...blocks, ...(unreadable === 0 ? [] : [tellUnreadable(unreadable)])];
  return shown
    .filter((block) => block !== '')
    .map((block) => wrap(block, width, 2))
    .join('\n\n');
}

/** Where and since when somebody asked about. */
export function asked({ since, branch }: Pick<CostReport, 'since' | 'branch'>): string {
  const where = branch === null ? 'in this clone' : `on ${quoteName(branch)}`;
  return since === null ? where : `${where} since ${since.slice(0, 16).replace('T', ' ')} UTC`;
}

/** A feature as people name its folder. */
export function featureName(feature: string): string {
  return feature === '' ? '.' : quoteName(feature);
}

/** What the signs at the figures mean, where there are any. */
export function legendOf(figures: readonly string[]): string {
  return SIGNS.filter(([sign]) => figures.some((figure) => figure.includes(sign)))
    .map(([, meaning]) => meaning)
    .join('; ');
}

const SIGNS = [
  ['~', '~ at list prices'],
  ['+', '+ and more that is not known'],
  ['?', '? not known'],
] as const;

function tellUnreadable(entries: number): string {
  return `${count(entries, 'entry', 'entries')} of the ledger could not be read and ${entries === 1 ? 'is' : 'are'} left out.`;
}
