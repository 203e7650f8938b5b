import type { PriceList } from '../kernel/agent.ts';
import { byCodePoint, grouped } from '../kernel/collections.ts';
import type { LedgerEntry, LedgerRun, Lever, SavedUsage } from '../ledger/entries.ts';
import { savedByResuming } from '../ledger/savings.ts';
import { dispatchesIn, featureCosts, isLoop, loopsCost } from './loops.ts';
import { type CostSelection, costRows, mostExpensive, paidFor, selectEntries } from './rows.ts';
import type {
  AgentCost,
  CheckCost,
  CostReport,
  CostRow,
  DayCost,
  GateCost,
  LoopRow,
  RepeatCount,
  ReviewRow,
  RunCost,
  SavedTokens,
  StepCost,
} from './types.ts';

const MOST_RUNS = 10;

/** Sums up the ledger: in total, and by gate, feature, agent, saving, day and run. */
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
  const loops = rows.filter(isLoop);
  const resumed = sparedInLoops(loops);
  return {
    since: selection.since?.toISOString() ?? null,
    branch: selection.branch,
    runs: runs.length,
    idleRuns: runs.filter(({ iteration }) => iteration === null).length,
    fixes: entries.filter(({ kind }) => kind === 'fix').length,
    paid: paidFor(rows),
    spared: byLever([...spared, ...resumed]),
    again: lookedAgain(rows),
    gates: byGate(rows, spared),
    loops: loopsCost(loops),
    features: featureCosts(loops),
    steps: byStep(rows),
    agents: byAgent(rows),
    days: byDay(entries, resumed, priceOf),
    checks: byCheck(runs),
    lastRuns: runs
      .slice(-MOST_RUNS)
      .reverse()
      .map((run) => runCost(run, priceOf)),
    unreadable,
  };
}

type Dated<T> = T & { readonly at: string };

function sparedInLoops(loops: readonly LoopRow[]): readonly Dated<Omit<SavedUsage, 'gate'>>[] {
  const { answered } = dispatchesIn(loops.map(({ loop }) => loop));
  return savedByResuming(answered).map(({ one, tokens }) => ({ at: one.at, lever: 'session', looks: 1, tokens }));
}

function sparedIn(spared: readonly SavedTokens[]): SavedTokens {
  return spared.reduce((sum, { looks, tokens }) => ({ looks: sum.looks + looks, tokens: sum.tokens + tokens }), NONE);
}

const NONE: SavedTokens = { looks: 0, tokens: 0 };

function byLever(spared: readonly Omit<SavedUsage, 'gate'>[]): CostReport['spared'] {
  const of = (lever: Lever) => sparedIn(spared.filter((one) => one.lever === lever));
  return { pass: of('pass'), slot: of('slot'), session: of('session'), prefix: of('prefix') };
}

function lookedAgain(rows: readonly CostRow[]): RepeatCount {
  const count = (matches: (row: ReviewRow | LoopRow) => boolean) =>
    rows.filter((row) => (row.kind === 'look' || row.kind === 'loop') && matches(row)).length;
  const fresh = (row: ReviewRow | LoopRow, why: string) =>
    row.dispatch === 'fresh' && (row.kind === 'look' ? row.why : row.loop.why) === why;
  return {
    resumed: count(({ dispatch }) => dispatch === 'resumed'),
    guarded: count((row) => fresh(row, 'delta-too-large')),
    // The reason in a loop entry is the one of its last call, so a failed resume before it has its own field.
    fellBack: count((row) => (row.kind === 'loop' ? row.loop.fellBack : fresh(row, 'session-lost'))),
    dearer: count((row) => fresh(row, 'resume-dearer')),
  };
}

function byGate(rows: readonly CostRow[], spared: readonly SavedUsage[]): readonly GateCost[] {
  const paid = grouped(
    rows.filter((row) => row.kind === 'look' || row.kind === 'fix'),
    (row) => (row.kind === 'look' ? (row.gate as string) : null),
  );
  const unpaid = grouped(spared, ({ gate }) => gate as string | null);
  const gates = [...new Set([...paid.keys(), ...unpaid.keys()])].map((gate) => ({
    gate,
    paid: paidFor(paid.get(gate) ?? []),
    spared: sparedIn(unpaid.get(gate) ?? []),
  }));
  return gates.sort(
    (a, b) =>
      mostExpensive(a.paid, b.paid) || b.spared.tokens - a.spared.tokens || byCodePoint(a.gate ?? '', b.gate ?? ''),
  );
}

function byStep(rows: readonly CostRow[]): readonly StepCost[] {
  const own = rows.filter((row) => row.kind === 'step');
  const steps = [...grouped(own, ({ job, step }) => JSON.stringify([job, step])).values()].flatMap((same) => {
    const [first] = same;
    return first === undefined ? [] : [{ job: first.job, step: first.step, paid: paidFor(same) }];
  });
  return steps.sort(
    (a, b) => mostExpensive(a.paid, b.paid) || byCodePoint(a.job, b.job) || byCodePoint(a.step, b.step),
  );
}

function byAgent(rows: readonly CostRow[]): readonly AgentCost[] {
  const agents = [...grouped(rows, ({ agent, model }) => JSON.stringify([agent, model])).values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [{ agent: first.agent, model: first.model, paid: paidFor(own) }];
  });
  return agents.sort(
    (a, b) =>
      mostExpensive(a.paid, b.paid) || byCodePoint(a.agent, b.agent) || byCodePoint(a.model ?? '', b.model ?? ''),
  );
}

function byDay(
  entries: readonly LedgerEntry[],
  resumed: readonly Dated<SavedTokens>[],
  priceOf: PriceList,
): readonly DayCost[] {
  return [...grouped(entries, ({ at }) => at.slice(0, 10))].map(([day, own]) => ({
    day,
    runs: own.filter(({ kind }) => kind === 'run').length,
    paid: paidFor(costRows(own, priceOf)),
    spared: sparedIn([
      ...own.flatMap((entry) => (entry.kind === 'run' ? entry.spared : [])),
      ...resumed.filter(({ at }) => at.startsWith(day)),
    ]),
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
