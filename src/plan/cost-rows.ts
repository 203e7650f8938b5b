import { type CostRow, type Paid, type PriceList, paidTokens } from '../domain/cost.ts';
import type { LedgerEntry, LedgerFix, LedgerLoop, LedgerSlot, LedgerStep } from '../domain/ledger.ts';

/** Every look, every fixer's turn, every dispatch of a loop and every review of a step. What an agent tells of its price wins over the list. */
export function costRows(entries: readonly LedgerEntry[], priceOf: PriceList): readonly CostRow[] {
  return entries.flatMap((entry) => rowsOf(entry, priceOf));
}

function rowsOf(entry: LedgerEntry, priceOf: PriceList): readonly CostRow[] {
  const { at, startedBy, branch } = entry;
  const costed = (one: LedgerSlot | LedgerFix | LedgerLoop | LedgerStep) => {
    const { agent, model, dispatch, asks, usage, durationMs } = one;
    const price = priced(one, at, priceOf);
    return { at, startedBy, branch, agent, model, dispatch, dispatches: asks, usage, durationMs, price };
  };
  switch (entry.kind) {
    case 'fix':
      return [{ kind: 'fix', ...costed(entry) }];
    case 'loop':
      return [{ kind: 'loop', ...costed(entry), loop: entry }];
    case 'step': {
      const { job, step, status } = entry;
      return [{ kind: 'step', ...costed(entry), job, step, status }];
    }
    case 'run': {
      const run = { scope: entry.scope, iteration: entry.iteration };
      return entry.slots.map((one) => {
        const { gate, slot, status, why } = one;
        return { kind: 'look', ...costed(one), run, gate, slot, status, why };
      });
    }
  }
}

function priced(
  { agent, model, usage }: Pick<CostRow, 'agent' | 'model' | 'usage'>,
  at: string,
  priceOf: PriceList,
): CostRow['price'] {
  if (usage === null) return null;
  if (usage.costUsd !== null) return { usd: usage.costUsd, from: 'agent' };
  const usd = model === null ? null : priceOf({ agent, model, usage, at: new Date(at) });
  return usd === null ? null : { usd, from: 'list' };
}

/** What these cost together. */
export function paidFor(rows: readonly CostRow[]): Paid {
  const sum = (of: (row: CostRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const usd = (from: 'agent' | 'list') => sum(({ price }) => (price?.from === from ? price.usd : 0));
  return {
    looks: rows.length,
    resumed: rows.filter(({ dispatch }) => dispatch === 'resumed').length,
    dispatches: sum(({ dispatches }) => dispatches),
    inputTokens: sum(({ usage }) => usage?.inputTokens ?? 0),
    cachedInputTokens: sum(({ usage }) => usage?.cachedInputTokens ?? 0),
    cacheWriteTokens: sum(({ usage }) => usage?.cacheWriteTokens ?? 0),
    outputTokens: sum(({ usage }) => usage?.outputTokens ?? 0),
    untold: rows.filter(({ usage }) => usage === null).length,
    toldUsd: usd('agent'),
    listUsd: usd('list'),
    unpriced: rows.filter(({ price }) => price === null).length,
    durationMs: sum(({ durationMs }) => durationMs),
  };
}

/** Orders what cost most first. */
export function dearest(a: Paid, b: Paid): number {
  return paidTokens(b) - paidTokens(a);
}
