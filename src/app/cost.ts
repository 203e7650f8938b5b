import type { Place } from '../domain/change.ts';
import type { CostReport, CostRow, FeatureReport, PriceList } from '../domain/cost.ts';
import type { LedgerEntry } from '../domain/ledger.ts';
import { quoteName } from '../domain/quote-name.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { userPath } from '../io/user-path.ts';
import { summariseCost } from '../plan/cost.ts';
import { costRows } from '../plan/cost-rows.ts';
import { selectEntries } from '../plan/cost-selection.ts';
import { featuresIn, summariseFeature } from '../plan/feature-cost.ts';
import { sinceOf } from '../plan/since.ts';
import { openLedger } from '../stores/ledger.ts';

/** Which runs and loops somebody asks about. */
export type CostOptions = {
  /** The folder of a feature, as people give paths; null: all runs and loops. */
  readonly feature: string | null;
  /** So many days, or a date. */
  readonly since: string | null;
  /** Null: every branch. */
  readonly branch: string | null;
};

/** What runs and review loops cost, or the loops of one feature: together and one by one. */
export type Cost =
  | { readonly kind: 'all'; readonly report: CostReport; readonly rows: readonly CostRow[] }
  | { readonly kind: 'feature'; readonly report: FeatureReport; readonly rows: readonly CostRow[] };

export async function cost(place: Place, { feature, since, branch }: CostOptions): Promise<Result<Cost>> {
  const from = since === null ? null : sinceOf(since, new Date());
  if (since !== null && from === null) {
    const said = `--since takes a number of days or a date such as 2026-03-01, not ${quoteName(since)}.`;
    return failed({ kind: 'wrong-usage', said, command: 'cost' });
  }
  const path = feature === null || feature === '' ? null : userPath(place, feature, 'arguments');
  if (feature !== null && path === null) return failed({ kind: 'path-outside', path: feature });
  const selection = { since: from, branch };
  const kept = await openLedger(place.commonDir).all();
  if (!kept.ok) return kept;
  const { entries, unreadable } = kept.value;
  // The list of prices is large, and mostly not needed.
  const priceOf: PriceList = needsList(entries) ? (await import('../agents/prices.ts')).listPrices : () => null;
  if (path === null) {
    const report = summariseCost(entries, selection, unreadable, priceOf);
    return done({ kind: 'all', report, rows: costRows(selectEntries(entries, selection), priceOf) });
  }
  const report = summariseFeature(path, kept.value, selection, priceOf);
  if (report === null) return failed({ kind: 'feature-without-loops', feature: path, known: featuresIn(entries) });
  return done({ kind: 'feature', report, rows: report.playings.flatMap(({ rows }) => rows) });
}

function needsList(entries: readonly LedgerEntry[]): boolean {
  return costRows(entries, () => null).some(({ model, usage }) => model !== null && usage?.costUsd === null);
}
