import {
  type Again,
  type AgentCost,
  type CheckCost,
  type CostReport,
  type CostRow,
  type DayCost,
  type GateCost,
  type Paid,
  type PriceList,
  paidTokens,
  type RunCost,
  type SparedTokens,
} from '../domain/cost.ts';
import type { LedgerEntry, LedgerFix, LedgerLoop, LedgerRun, LedgerSlot, Lever, Spared } from '../domain/ledger.ts';
import { byCodePoint } from '../domain/order.ts';

/** Which entries are asked about. */
export type CostSelection = {
  readonly since: Date | null;
  /** Null: every branch. */
  readonly branch: string | null;
};

const MOST_RUNS = 10;

/** The entries that are asked about, with branches as people name them. */
export function selectEntries(
  entries: readonly LedgerEntry[],
  { since, branch }: CostSelection,
): readonly LedgerEntry[] {
  const wanted = branchName(branch);
  return entries
    .map((entry) => ({ ...entry, branch: branchName(entry.branch) }))
    .filter(
      (entry) =>
        (since === null || Date.parse(entry.at) >= since.getTime()) && (wanted === null || entry.branch === wanted),
    );
}

function branchName(branch: string | null): string | null {
  return branch?.replace(/^refs\/heads\//, '') ?? null;
}

/** Every look, every fixer's turn and every dispatch of a loop. What an agent tells of its price wins over the list. */
export function costRows(entries: readonly LedgerEntry[], priceOf: PriceList): readonly CostRow[] {
  return entries.flatMap((entry) => rowsOf(entry, priceOf));
}

function rowsOf(entry: LedgerEntry, priceOf: PriceList): readonly CostRow[] {
  const { at, startedBy, branch } = entry;
  const costed = (one: LedgerSlot | LedgerFix | LedgerLoop) => {
    const { agent, model, dispatch, asks, usage, durationMs } = one;
    const price = priced(one, at, priceOf);
    return { at, startedBy, branch, agent, model, dispatch, dispatches: asks, usage, durationMs, price };
  };
  switch (entry.kind) {
    case 'fix':
      return [{ kind: 'fix', ...costed(entry) }];
    case 'loop':
      return [{ kind: 'loop', ...costed(entry), loop: entry }];
    case 'run': {
      const run = { scope: entry.scope, iteration: entry.iteration };
      return entry.slots.map((one) => {
        const { gate, slot, status, why } = one;
        return { kind: 'look', ...costed(one), run, gate, slot, status, why };
      });
    }
  }
}

/** Everything together, and by gate, agent, lever, day and run. */
export function summariseCost(
  all: readonly LedgerEntry[],
  selection: CostSelection,
  unreadable: number,
  priceOf: PriceList,
): CostReport {
  const entries = selectEntries(all, selection);
  const runs = entries.filter((entry) => entry.kind === 'run');
  const rows = costRows(entries, priceOf);
  const spared = runs.flatMap((run) => run.spared);
  return {
    since: selection.since?.toISOString() ?? null,
    branch: selection.branch,
    runs: runs.length,
    idleRuns: runs.filter(({ iteration }) => iteration === null).length,
    fixes: entries.filter(({ kind }) => kind === 'fix').length,
    paid: paidFor(rows),
    spared: byLever(spared),
    again: lookedAgain(rows),
    gates: byGate(rows, spared),
    agents: byAgent(rows),
    days: byDay(entries, priceOf),
    checks: byCheck(runs),
    lastRuns: runs
      .slice(-MOST_RUNS)
      .reverse()
      .map((run) => runCost(run, priceOf)),
    unreadable,
  };
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

function paidFor(rows: readonly CostRow[]): Paid {
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

function sparedIn(spared: readonly Spared[]): SparedTokens {
  return spared.reduce((sum, { looks, tokens }) => ({ looks: sum.looks + looks, tokens: sum.tokens + tokens }), NONE);
}

const NONE: SparedTokens = { looks: 0, tokens: 0 };

function byLever(spared: readonly Spared[]): CostReport['spared'] {
  const of = (lever: Lever) => sparedIn(spared.filter((one) => one.lever === lever));
  return { pass: of('pass'), slot: of('slot'), session: of('session'), prefix: of('prefix') };
}

function lookedAgain(rows: readonly CostRow[]): Again {
  const looks = rows.filter((row) => row.kind === 'look');
  const fresh = (why: string) => looks.filter((row) => row.dispatch === 'fresh' && row.why === why).length;
  return {
    resumed: looks.filter(({ dispatch }) => dispatch === 'resumed').length,
    guarded: fresh('delta-too-large'),
    fellBack: fresh('session-lost'),
    dearer: fresh('resume-dearer'),
  };
}

function byGate(rows: readonly CostRow[], spared: readonly Spared[]): readonly GateCost[] {
  const paid = grouped(
    rows.filter((row) => row.kind !== 'loop'),
    (row) => (row.kind === 'look' ? (row.gate as string) : null),
  );
  const unpaid = grouped(spared, ({ gate }) => gate as string | null);
  const gates = [...new Set([...paid.keys(), ...unpaid.keys()])].map((gate) => ({
    gate,
    paid: paidFor(paid.get(gate) ?? []),
    spared: sparedIn(unpaid.get(gate) ?? []),
  }));
  return gates.sort(
    (a, b) => dearest(a.paid, b.paid) || b.spared.tokens - a.spared.tokens || byCodePoint(a.gate ?? '', b.gate ?? ''),
  );
}

function byAgent(rows: readonly CostRow[]): readonly AgentCost[] {
  const agents = [...grouped(rows, ({ agent, model }) => JSON.stringify([agent, model])).values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [{ agent: first.agent, model: first.model, paid: paidFor(own) }];
  });
  return agents.sort(
    (a, b) => dearest(a.paid, b.paid) || byCodePoint(a.agent, b.agent) || byCodePoint(a.model ?? '', b.model ?? ''),
  );
}

function byDay(entries: readonly LedgerEntry[], priceOf: PriceList): readonly DayCost[] {
  return [...grouped(entries, ({ at }) => at.slice(0, 10))].map(([day, own]) => ({
    day,
    runs: own.filter(({ kind }) => kind === 'run').length,
    paid: paidFor(costRows(own, priceOf)),
    spared: sparedIn(own.flatMap((entry) => (entry.kind === 'run' ? entry.spared : []))),
  }));
}

function byCheck(runs: readonly LedgerRun[]): readonly CheckCost[] {
  const checks = [
    ...grouped(
      runs.flatMap((run) => run.checks),
      ({ gate }) => gate,
    ),
  ].map(([gate, own]) => ({
    gate,
    runs: own.length,
    durationMs: own.reduce((sum, { durationMs }) => sum + durationMs, 0),
  }));
  return checks.sort((a, b) => b.durationMs - a.durationMs || byCodePoint(a.gate, b.gate));
}

function runCost(run: LedgerRun, priceOf: PriceList): RunCost {
  const { at, branch, scope, iteration, status, exitCode, startedBy, durationMs } = run;
  const facts = { at, branch, scope, iteration, status, exitCode, startedBy, durationMs };
  return { ...facts, paid: paidFor(costRows([run], priceOf)), spared: sparedIn(run.spared) };
}

function grouped<T, Key>(list: readonly T[], keyOf: (one: T) => Key): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>();
  for (const one of list) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}

function dearest(a: Paid, b: Paid): number {
  return paidTokens(b) - paidTokens(a);
}
