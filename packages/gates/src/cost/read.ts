import type { LedgerEntry } from '@onceover/agents/ledger/entries';
import { type Ledger, openLedger } from '@onceover/agents/ledger/store';
import type { PriceList } from '@onceover/base/kernel/agent';
import { quoteName } from '@onceover/base/kernel/escape';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { userPath } from '@onceover/base/platform/user-paths';
import type { CostDocument, FeatureDocument } from './json-schema.ts';
import { featuresIn, summariseFeature } from './loops.ts';
import { type CostRow, costRows, parseSince, selectEntries } from './rows.ts';
import { summariseCost } from './summarise.ts';

/** Decides which runs and phases are counted. */
export type CostOptions = {
  /** The folder of a feature, relative to the current folder; `null` for all runs and phases. */
  readonly feature: string | null;
  /** Counts only entries since then. It is a number of days, or a date; `null` counts everything. */
  readonly since: string | null;
  /** The name of a branch; `null` for all branches. */
  readonly branch: string | null;
};

/** The cost of all runs and phases, or of one feature: as a report, and row by row. */
export type Cost =
  | { readonly kind: 'all'; readonly report: CostDocument; readonly rows: readonly CostRow[] }
  | { readonly kind: 'feature'; readonly report: FeatureDocument; readonly rows: readonly CostRow[] };

/** Reads a clone's ledger (the log of all calls), with the price of each call. */
export function readLedger({ commonDir }: Pick<RepositoryPaths, 'commonDir'>): Promise<Result<PricedLedger>> {
  return pricedLedger(openLedger(commonDir));
}

/** Reads the entries of a ledger (the log of all calls), with the price of each call. */
export async function pricedLedger(ledger: Pick<Ledger, 'all'>): Promise<Result<PricedLedger>> {
  const contents = await ledger.all();
  if (!contents.ok) return contents;
  const isUnpriced = ({ model, usage }: CostRow) => model !== null && usage?.costUsd === null;
  // The price list is large, so load it only if an agent reported tokens without their cost.
  const priceOf: PriceList = costRows(contents.value.entries, () => null).some(isUnpriced)
    ? await (await import('@onceover/agents/adapters/prices')).openPrices()
    : () => null;
  return ok({ ...contents.value, priceOf });
}

type PricedLedger = {
  readonly entries: readonly LedgerEntry[];
  readonly unreadable: number;
  readonly priceOf: PriceList;
};

export async function cost(
  repository: RepositoryPaths,
  { feature, since, branch }: CostOptions,
): Promise<Result<Cost>> {
  const from = since === null ? null : parseSince(since, new Date());
  if (since !== null && from === null) {
    const message = `--since takes a number of days or a date such as 2026-03-01, not ${quoteName(since)}.`;
    return err({ kind: 'wrong-usage', said: message, command: 'cost' });
  }
  const path = feature === null || feature === '' ? null : userPath(repository, feature, 'arguments');
  if (feature !== null && path === null) return err({ kind: 'path-outside', path: feature });
  const selection = { since: from, branch };
  const ledger = await readLedger(repository);
  if (!ledger.ok) return ledger;
  const { entries, unreadable, priceOf } = ledger.value;
  if (path === null) {
    const report = summariseCost(entries, selection, unreadable, priceOf);
    const entriesWithoutProofs = selectEntries(entries, selection).filter(({ kind }) => kind !== 'proof');
    return ok({ kind: 'all', report, rows: costRows(entriesWithoutProofs, priceOf) });
  }
  const featureCost = summariseFeature(path, ledger.value, selection, priceOf);
  if (featureCost === null) return err({ kind: 'feature-without-loops', feature: path, known: featuresIn(entries) });
  return ok({ kind: 'feature', ...featureCost });
}
