import { type CostRow, type Paid, paidTokens } from '../domain/cost.ts';
import { totalTokens } from '../domain/usage.ts';
import { count } from './count.ts';
import { usdOf } from './money.ts';
import { tokensOf } from './tokens.ts';

/** All tokens; what is not told is marked. */
export function usedOf(paid: Paid): string {
  if (paid.untold === paid.looks) return '?';
  return `${tokensOf(paidTokens(paid))}${paid.untold > 0 ? '+' : ''}`;
}

/** The money; what is an estimate or not known is marked. */
export function moneyOf({ looks, toldUsd, listUsd, unpriced }: Paid): string {
  if (looks === 0) return '';
  if (unpriced === looks) return '?';
  return `${listUsd > 0 ? '~' : ''}${usdOf(toldUsd + listUsd)}${unpriced > 0 ? '+' : ''}`;
}

/** Dispatches, tokens and money, a line each; `of` tells more of the dispatches. */
export function paidLines(paid: Paid, of = ''): readonly string[] {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, untold } = paid;
  const read = `${tokensOf(inputTokens)} in, ${tokensOf(cachedInputTokens)} from caches`;
  const wrote = `${tokensOf(cacheWriteTokens)} written to caches, ${tokensOf(outputTokens)} out`;
  const silent = untold === 0 ? '' : `; ${count(untold, 'look')} told none`;
  return [
    `${count(paid.dispatches, 'dispatch', 'dispatches')} for ${count(paid.looks, 'look')}: ${paid.looks - paid.resumed} fresh, ${paid.resumed} resumed${of}.`,
    `Tokens: ${read}, ${wrote}${silent}.`,
    `Money: ${tellMoney(paid)}.`,
  ];
}

function tellMoney(paid: Paid): string {
  const known = [
    ...(paid.toldUsd > 0 ? [`${usdOf(paid.toldUsd)} as agents told`] : []),
    ...(paid.listUsd > 0 ? [`about ${usdOf(paid.listUsd)}${paid.toldUsd > 0 ? ' more' : ''} at list prices`] : []),
  ];
  if (paid.looks === 0) return 'none was spent';
  if (paid.unpriced === paid.looks) return 'price not known (no agent told it, and no list price fits)';
  if (paid.unpriced === 0) return known.length === 0 ? `${usdOf(0)} as agents told` : known.join(', ');
  return [...known, `price not known of ${count(paid.unpriced, 'look')}`].join(', ');
}

/** Tokens and money of one row. */
export function rowFigures({ usage, price }: CostRow): readonly [tokens: string, money: string] {
  return [
    usage === null ? '?' : tokensOf(totalTokens(usage)),
    price === null ? '?' : `${price.from === 'list' ? '~' : ''}${usdOf(price.usd)}`,
  ];
}

/** A part of a whole, to a tenth of a percent. */
export function percentOf(ratio: number): string {
  return `${Number((ratio * 100).toFixed(1))} %`;
}
