import type {
  Again,
  AgentCost,
  CheckCost,
  CostReport,
  CostRow,
  DayCost,
  GateCost,
  LookRow,
  LoopRow,
  PriceList,
  RunCost,
  SparedTokens,
  StepCost,
} from '../domain/cost.ts';
import { grouped } from '../domain/grouped.ts';
import type { LedgerEntry, LedgerRun, Lever, Spared } from '../domain/ledger.ts';
import { byCodePoint } from '../domain/order.ts';
import { costRows, dearest, paidFor } from './cost-rows.ts';
import { type CostSelection, selectEntries } from './cost-selection.ts';
import { dispatchesIn, featureCosts, isLoop, loopsCost } from './feature-cost.ts';
import { sparedByResuming } from './loop-cost.ts';

const MOST_RUNS = 10;

/** Everything together, and by gate, feature, agent, lever, day and run. */
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

function sparedInLoops(loops: readonly LoopRow[]): readonly Dated<Omit<Spared, 'gate'>>[] {
  const { answered } = dispatchesIn(loops.map(({ loop }) => loop));
  return sparedByResuming(answered).map(({ one, tokens }) => ({ at: one.at, lever: 'session', looks: 1, tokens }));
}

function sparedIn(spared: readonly SparedTokens[]): SparedTokens {
  return spared.reduce((sum, { looks, tokens }) => ({ looks: sum.looks + looks, tokens: sum.tokens + tokens }), NONE);
}

const NONE: SparedTokens = { looks: 0, tokens: 0 };

function byLever(spared: readonly Omit<Spared, 'gate'>[]): CostReport['spared'] {
  const of = (lever: Lever) => sparedIn(spared.filter((one) => one.lever === lever));
  return { pass: of('pass'), slot: of('slot'), session: of('session'), prefix: of('prefix') };
}

function lookedAgain(rows: readonly CostRow[]): Again {
  const count = (matches: (row: LookRow | LoopRow) => boolean) =>
    rows.filter((row) => (row.kind === 'look' || row.kind === 'loop') && matches(row)).length;
  const fresh = (row: LookRow | LoopRow, why: string) =>
    row.dispatch === 'fresh' && (row.kind === 'look' ? row.why : row.loop.why) === why;
  return {
    resumed: count(({ dispatch }) => dispatch === 'resumed'),
    guarded: count((row) => fresh(row, 'delta-too-large')),
    // A loop tells why its last question was put; that a resume failed before is told apart.
    fellBack: count((row) => (row.kind === 'loop' ? row.loop.fellBack : fresh(row, 'session-lost'))),
    dearer: count((row) => fresh(row, 'resume-dearer')),
  };
}

function byGate(rows: readonly CostRow[], spared: readonly Spared[]): readonly GateCost[] {
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
    (a, b) => dearest(a.paid, b.paid) || b.spared.tokens - a.spared.tokens || byCodePoint(a.gate ?? '', b.gate ?? ''),
  );
}

function byStep(rows: readonly CostRow[]): readonly StepCost[] {
  const own = rows.filter((row) => row.kind === 'step');
  const steps = [...grouped(own, ({ job, step }) => JSON.stringify([job, step])).values()].flatMap((same) => {
    const [first] = same;
    return first === undefined ? [] : [{ job: first.job, step: first.step, paid: paidFor(same) }];
  });
  return steps.sort((a, b) => dearest(a.paid, b.paid) || byCodePoint(a.job, b.job) || byCodePoint(a.step, b.step));
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

function byDay(
  entries: readonly LedgerEntry[],
  resumed: readonly Dated<SparedTokens>[],
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
