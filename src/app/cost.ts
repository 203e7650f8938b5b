import type { Place } from '../domain/change.ts';
import type { CostReport, CostRow, PriceList } from '../domain/cost.ts';
import type { LedgerEntry } from '../domain/ledger.ts';
import { quoteName } from '../domain/quote-name.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { costRows, selectEntries, summariseCost } from '../plan/cost.ts';
import { sinceOf } from '../plan/since.ts';
import { openLedger } from '../stores/ledger.ts';

/** Which runs somebody asks about. */
export type CostOptions = {
  /** So many days, or a date. */
  readonly since: string | null;
  /** Null: every branch. */
  readonly branch: string | null;
};

/** What runs cost, together and one by one. */
export type Cost = { readonly report: CostReport; readonly rows: readonly CostRow[] };

export async function cost(place: Place, { since, branch }: CostOptions): Promise<Result<Cost>> {
  const from = since === null ? null : sinceOf(since, new Date());
  if (since !== null && from === null) {
    const said = `--since takes a number of days or a date such as 2026-03-01, not ${quoteName(since)}.`;
    return failed({ kind: 'wrong-usage', said, command: 'cost' });
  }
  const selection = { since: from, branch };
  const kept = await openLedger(place.commonDir).all();
  if (!kept.ok) return kept;
  const { entries, unreadable } = kept.value;
  // The list of prices is large, and mostly not needed.
  const priceOf: PriceList = needsList(entries) ? (await import('../agents/prices.ts')).listPrices : () => null;
  const report = summariseCost(entries, selection, unreadable, priceOf);
  return done({ report, rows: costRows(selectEntries(entries, selection), priceOf) });
}

function needsList(entries: readonly LedgerEntry[]): boolean {
  return costRows(entries, () => null).some(({ model, usage }) => model !== null && usage?.costUsd === null);
}
