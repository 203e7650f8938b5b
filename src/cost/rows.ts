import type { PriceList } from '../kernel/agent.ts';
import type { LedgerEntry, LedgerFix, LedgerLoop, LedgerSlot, LedgerStep } from '../ledger/entries.ts';
import { type CostRow, type Paid, paidTokens } from './types.ts';

/** Returns one row per review, fix, call of a phase and review of a step. A price from the agent wins over the list. */
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

/** Returns what these rows cost together. */
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

/** Sorts the most expensive first. */
export function mostExpensive(a: Paid, b: Paid): number {
  return paidTokens(b) - paidTokens(a);
}

/** The entries that the user selected. */
export type CostSelection = {
  readonly since: Date | null;
  /** `null`: every branch. */
  readonly branch: string | null;
};

/**
 * Returns the selected entries, with short branch names. Runs and phases are dated by their last entry, so that a phase
 * is never counted in part.
 */
export function selectEntries(
  entries: readonly LedgerEntry[],
  { since, branch }: CostSelection,
): readonly LedgerEntry[] {
  const wanted = branchName(branch);
  const named = entries.map((entry) => ({ ...entry, branch: branchName(entry.branch) }));
  const ends = new Map<string, LedgerLoop>();
  for (const entry of named) if (entry.kind === 'loop') ends.set(phaseRunOf(entry), entry);
  return named.filter((entry) => {
    const end = (entry.kind === 'loop' ? ends.get(phaseRunOf(entry)) : null) ?? entry;
    return (since === null || Date.parse(end.at) >= since.getTime()) && (wanted === null || end.branch === wanted);
  });
}

/** Returns a key per run of a phase. */
export function phaseRunOf({ feature, phase, run }: Pick<LedgerLoop, 'feature' | 'phase' | 'run'>): string {
  return JSON.stringify([feature, phase, run]);
}

function branchName(branch: string | null): string | null {
  return branch?.replace(/^refs\/heads\//, '') ?? null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

const MOST_DAYS = 36_500;

/** Parses a number of days or a local date; `null` if the text is neither. */
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
