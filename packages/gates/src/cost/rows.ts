import type {
  LedgerEntry,
  LedgerFix,
  LedgerLoop,
  LedgerProbe,
  LedgerProof,
  LedgerRun,
  LedgerSlot,
  LedgerStep,
} from '@onceover/agents/ledger/entries';
import type { PriceList } from '@onceover/base/kernel/agent';
import { money } from '@onceover/base/kernel/json';
import type { Paid } from './json-schema.ts';

/**
 * One row of the cost page, with its price: a review, a fix, a call in a phase, a review of a workflow step, a resume
 * test, or a call in a proof (a test of reviewers).
 */
export type CostRow =
  | ReviewRow
  | (LedgerFix & Priced)
  | LoopRow
  | (LedgerStep & Priced)
  | (LedgerProbe & Priced)
  | (LedgerProof & Priced);

type ReviewRow = LedgerSlot &
  Pick<LedgerRun, 'at' | 'startedBy' | 'branch' | 'scope' | 'iteration'> &
  Priced & { readonly kind: 'review' };

export type LoopRow = LedgerLoop & Priced;

type Priced = {
  /** The price that the agent reported, or the list price of its model; `null` if both are unknown. */
  readonly price: { readonly usd: number; readonly from: 'agent' | 'list' } | null;
};

/**
 * Returns one row for each review, fix, call in a phase, review of a workflow step, and resume test. The price that an
 * agent reported counts more than the list price.
 */
export function costRows(entries: readonly LedgerEntry[], priceOf: PriceList): readonly CostRow[] {
  return entries.flatMap((entry): readonly CostRow[] => {
    if (entry.kind !== 'run') return [{ ...entry, price: priceFor(entry, entry.at, priceOf) }];
    const { at, startedBy, branch, scope, iteration, slots } = entry;
    // Copying one object and setting the other fields one by one is several times as fast as copying two objects.
    return slots.map((slot) => ({
      ...slot,
      kind: 'review',
      at,
      startedBy,
      branch,
      scope,
      iteration,
      price: priceFor(slot, at, priceOf),
    }));
  });
}

function priceFor(
  { agent, model, usage }: Pick<LedgerSlot, 'agent' | 'model' | 'usage'>,
  at: string,
  priceOf: PriceList,
): Priced['price'] {
  if (usage === null) return null;
  if (usage.costUsd !== null) return { usd: usage.costUsd, from: 'agent' };
  const usd = model === null ? null : priceOf({ agent, model, usage, at: new Date(at) });
  return usd === null ? null : { usd, from: 'list' };
}

/** Returns the total cost of these rows. */
export function paidFor(rows: readonly CostRow[]): Paid {
  const sum = (of: (row: CostRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const usd = (from: 'agent' | 'list') => money(sum(({ price }) => (price?.from === from ? price.usd : 0)));
  return {
    looks: rows.length,
    resumed: rows.filter(({ dispatch }) => dispatch === 'resumed').length,
    dispatches: sum(({ asks }) => asks),
    input_tokens: sum(({ usage }) => usage?.inputTokens ?? 0),
    cached_input_tokens: sum(({ usage }) => usage?.cachedInputTokens ?? 0),
    cache_write_tokens: sum(({ usage }) => usage?.cacheWriteTokens ?? 0),
    output_tokens: sum(({ usage }) => usage?.outputTokens ?? 0),
    looks_without_usage: rows.filter(({ usage }) => usage === null).length,
    told_usd: usd('agent'),
    list_price_usd: usd('list'),
    looks_without_price: rows.filter(({ price }) => price === null).length,
    duration_ms: sum(({ durationMs }) => durationMs),
  };
}

/** Returns the number of all tokens, including cached ones. */
export function paidTokens(
  costs: Pick<Paid, 'input_tokens' | 'cached_input_tokens' | 'cache_write_tokens' | 'output_tokens'>,
): number {
  return costs.input_tokens + costs.cached_input_tokens + costs.cache_write_tokens + costs.output_tokens;
}

/** The time and the branch that decide which entries of the ledger (the log of costs) are counted. */
export type CostSelection = {
  readonly since: Date | null;
  /** The name of a branch; `null` for all branches. */
  readonly branch: string | null;
};

/**
 * Returns the selected entries, with short branch names. All calls of a phase count with the time and branch of its
 * last call, so that a phase is never counted in part.
 */
export function selectEntries(
  entries: readonly LedgerEntry[],
  { since, branch }: CostSelection,
): readonly LedgerEntry[] {
  const selectedBranch = branchName(branch);
  const entriesWithShortBranch = entries.map((entry) => ({ ...entry, branch: branchName(entry.branch) }));
  const ends = new Map<string, LedgerLoop>();
  for (const entry of entriesWithShortBranch) if (entry.kind === 'loop') ends.set(phaseRunOf(entry), entry);
  return entriesWithShortBranch.filter((entry) => {
    const end = (entry.kind === 'loop' ? ends.get(phaseRunOf(entry)) : null) ?? entry;
    return (
      (since === null || Date.parse(end.at) >= since.getTime()) &&
      (selectedBranch === null || end.branch === selectedBranch)
    );
  });
}

/** Returns a key that is the same for all calls of one run of a phase. */
export function phaseRunOf({ feature, phase, run }: LedgerLoop): string {
  return JSON.stringify([feature, phase, run]);
}

function branchName(branch: string | null): string | null {
  return branch?.replace(/^refs\/heads\//, '') ?? null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

const MOST_DAYS = 36_500;

/**
 * Returns the time that the text means: a number of days before `now`, or a local date. Returns `null` if it is
 * neither.
 */
export function parseSince(text: string, now: Date): Date | null {
  const [, days] = /^(\d{1,5})(?: ?d(?:ays?)?)?$/.exec(text.trim()) ?? [];
  if (days !== undefined) {
    return Number(days) <= MOST_DAYS ? new Date(now.getTime() - Number(days) * DAY_MS) : null;
  }
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text.trim()) ?? [];
  if (year === undefined) return null;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  const isThatDay = date.getMonth() === Number(month) - 1 && date.getDate() === Number(day);
  return isThatDay ? date : null;
}
