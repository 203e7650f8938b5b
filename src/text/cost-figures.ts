import { type Paid, paidTokens } from '../domain/cost.ts';
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

/** An amount of money. */
export function usdOf(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
}

/** So many of something. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
