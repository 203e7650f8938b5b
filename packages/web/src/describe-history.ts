import { usageDocument } from '@onceover/agents/ledger/describe';
import type { LedgerEntry, LedgerRun } from '@onceover/agents/ledger/entries';
import { type PriceList, totalTokens } from '@onceover/base/kernel/agent';
import { byCodePoint, grouped } from '@onceover/base/kernel/collections';
import { money } from '@onceover/base/kernel/json';
import { PREVIOUS } from '@onceover/base/kernel/paths';
import { type CostRow, costRows } from '@onceover/gates/cost/rows';
import type { HistoryDocument, PageDocument } from './json-schema.ts';

type Call = HistoryDocument['calls'][number];

/** Returns the history of a clone from its cost ledger: all runs and calls, with figures by day, week and gate. */
export function historyDocument(
  entries: readonly LedgerEntry[],
  unreadable: number,
  priceOf: PriceList,
): HistoryDocument {
  const runs = entries.filter((entry) => entry.kind === 'run');
  const rows = costRows(entries, priceOf);
  const days = daysOf(rows, runs);
  return {
    runs: runs.map((run) => runOf(run, priceOf)),
    calls: rows.map(callOf),
    days,
    weeks: weeksOf(days),
    gates: gatesOf(runs),
    unreadable_entries: unreadable,
  };
}

function runOf(run: LedgerRun, priceOf: PriceList): HistoryDocument['runs'][number] {
  const { at, iteration, status } = run;
  const rows = costRows([run], priceOf);
  const prices = rows.flatMap(({ price }) => price?.usd ?? []);
  return {
    ...{ at, iteration, status, branch: shortBranch(run.branch) },
    exit_code: run.exitCode,
    started_by: run.startedBy,
    duration_ms: run.durationMs,
    calls: rows.length,
    tokens: tokensOfRows(rows),
    cost_usd: prices.length === 0 ? null : money(sum(prices)),
    saved_tokens: sum(run.spared.map(({ tokens }) => tokens)),
  };
}

function callOf(row: CostRow): Call {
  const { at, kind, agent, model, dispatch, asks, usage, price, durationMs } = row;
  return {
    at,
    kind,
    name: nameOfCall(row),
    branch: shortBranch(row.branch),
    agent,
    model,
    dispatch,
    iteration: 'iteration' in row ? row.iteration : null,
    status: 'status' in row ? row.status : null,
    why: 'why' in row ? row.why : null,
    requests: asks,
    usage: usageDocument(usage),
    cost_usd: price === null ? null : money(price.usd),
    cost_source: price?.from ?? null,
    duration_ms: durationMs,
    transcript: null,
  };
}

/**
 * Returns the calls with the ids of their transcripts. After `onceover clean`, run numbers start again at 1. So if
 * several calls have the same run number, only the newest one gets the transcript with that number.
 */
export function withTranscripts(
  calls: HistoryDocument['calls'],
  logs: PageDocument['logs'],
  branch: string | null,
): HistoryDocument['calls'] {
  const ofReviews = new Set(logs.filter(({ kind }) => kind === 'review').map(({ id }) => id));
  const ofEarlier = archivedIds(calls, logs);
  const ofPhases = new Map(
    logs.filter(({ kind }) => kind === 'phase').map(({ gate, at, id }) => [`${at} ${gate}`, id]),
  );
  const ofFixes = logs.filter(({ kind }) => kind === 'fix').map(({ id }) => id);
  const idOf = (call: Call): string | null => {
    if (call.kind === 'loop') return ofPhases.get(`${call.at} ${call.name.split(' ').slice(-2).join(': ')}`) ?? null;
    const earlier = ofEarlier.get(call);
    if (earlier !== undefined || call.branch !== branch) return earlier ?? null;
    if (call.kind === 'fix') return ofFixes.shift() ?? null;
    const id = `${call.name}.${call.iteration}`;
    return call.kind === 'review' && ofReviews.delete(id) ? id : null;
  };
  return calls
    .toReversed()
    .map((call) => ({ ...call, transcript: idOf(call) }))
    .toReversed();
}

/**
 * Returns the ids of archived transcripts by call. A transcript belongs to the first call of the same reviewer and run
 * number that ended after the transcript was written.
 */
function archivedIds(calls: readonly Call[], logs: PageDocument['logs']): ReadonlyMap<Call, string> {
  const archivedLogs = logs.filter(({ id, kind }) => kind === 'review' && id.startsWith(`${PREVIOUS}.`));
  if (archivedLogs.length === 0) return new Map();
  const callsBy = grouped(
    calls.filter(({ kind }) => kind === 'review'),
    ({ name, iteration }) => `${name}.${iteration}`,
  );
  return new Map(
    archivedLogs.flatMap(({ id, gate, slot, iteration, at }): [Call, string][] => {
      const call = callsBy.get(`${gate}@${slot}.${iteration}`)?.find((candidate) => candidate.at >= at);
      return call === undefined ? [] : [[call, id]];
    }),
  );
}

function nameOfCall(row: CostRow): string {
  switch (row.kind) {
    case 'review':
      return `${row.gate}@${row.slot}`;
    case 'loop':
      return `${row.feature} ${row.phase} ${row.role}`;
    case 'step':
      return `${row.job} ${row.step}`;
    case 'fix':
      return 'fix';
    case 'probe':
      return 'resume test';
    case 'proof':
      return 'proof';
  }
}

type Period = HistoryDocument['days'][number];

function daysOf(rows: readonly CostRow[], runs: readonly LedgerRun[]): Period[] {
  const rowsBy = grouped(rows, ({ at }) => at.slice(0, 10));
  const runsBy = grouped(runs, ({ at }) => at.slice(0, 10));
  return [...new Set([...rowsBy.keys(), ...runsBy.keys()])].sort(byCodePoint).map((from) => {
    const [dayRows, dayRuns] = [rowsBy.get(from) ?? [], runsBy.get(from) ?? []];
    return {
      from,
      runs: dayRuns.length,
      calls: dayRows.length,
      priced_calls: dayRows.filter(({ price }) => price !== null).length,
      cost_usd: money(sum(dayRows.map(({ price }) => price?.usd ?? 0))),
      tokens: tokensOfRows(dayRows),
      saved_tokens: sum(dayRuns.flatMap(({ spared }) => spared.map(({ tokens }) => tokens))),
    };
  });
}

function weeksOf(days: readonly Period[]): Period[] {
  return [...grouped(days, ({ from }) => mondayOf(from))].map(([from, weekDays]) => {
    const total = (of: (day: Period) => number) => sum(weekDays.map(of));
    return {
      from,
      runs: total(({ runs }) => runs),
      calls: total(({ calls }) => calls),
      priced_calls: total(({ priced_calls: pricedCalls }) => pricedCalls),
      cost_usd: money(total(({ cost_usd: usd }) => usd)),
      tokens: total(({ tokens }) => tokens),
      saved_tokens: total(({ saved_tokens: savedTokens }) => savedTokens),
    };
  });
}

function mondayOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}

/** Returns figures for each gate. A gate counts as failed in a run if one of its reviewers or its check failed. */
function gatesOf(runs: readonly LedgerRun[]): HistoryDocument['gates'] {
  const results = runs.flatMap(({ at, branch, slots, checks }) =>
    [...grouped([...slots, ...checks], ({ gate }) => gate)].map(([gate, slotResults]) => ({
      ...{ at, branch, gate, own: slotResults },
      end: slotResults.some(({ status }) => status === 'error')
        ? ('error' as const)
        : slotResults.some(({ status }) => status === 'fail')
          ? ('fail' as const)
          : ('pass' as const),
    })),
  );
  return [...grouped(results, ({ gate }) => gate)]
    .map(([gate, gateRuns]) => {
      const countOf = (status: string) =>
        gateRuns.flatMap((run) => run.own.filter((slot) => slot.status === status)).length;
      const byBranch = [...grouped(gateRuns, ({ branch }) => branch ?? '').values()];
      return {
        gate,
        reviews: gateRuns.flatMap((run) => run.own).length,
        passed: countOf('pass'),
        failed: countOf('fail'),
        errors: countOf('error'),
        flips: sum(byBranch.map((runsOfBranch) => flipsIn(runsOfBranch.map(({ end }) => end)))),
        runs_until_pass: byBranch.flatMap((runsOfBranch) => runsUntilPass(runsOfBranch.map(({ end }) => end))),
      };
    })
    .sort((a, b) => b.reviews - a.reviews || byCodePoint(a.gate, b.gate));
}

type End = 'pass' | 'fail' | 'error';

/** Returns how often the result changed between pass and fail. Runs without a result are ignored. */
export function flipsIn(ends: readonly End[]): number {
  const verdicts = ends.filter((end) => end !== 'error');
  return verdicts.filter((end, n) => n > 0 && end !== verdicts[n - 1]).length;
}

/** For the first pass and for each pass after a failure, returns how many runs it took, including the passing run. */
export function runsUntilPass(ends: readonly End[]): number[] {
  const counts: number[] = [];
  let since = 0;
  let hasFailed = true;
  for (const end of ends) {
    if (end !== 'pass') hasFailed = true;
    else if (!hasFailed) continue;
    since++;
    if (end !== 'pass') continue;
    counts.push(since);
    since = 0;
    hasFailed = false;
  }
  return counts;
}

function shortBranch(branch: string | null): string | null {
  return branch?.replace(/^refs\/heads\//, '') ?? null;
}

function tokensOfRows(rows: readonly CostRow[]): number {
  return sum(rows.map(({ usage }) => (usage === null ? 0 : totalTokens(usage))));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
