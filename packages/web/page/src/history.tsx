import { showInvisible } from '@onceover/base/kernel/escape';
import { useMemo, useState } from 'preact/hooks';
import { DataTable, Empty, Figure, Name, Nothing, Pill, RowList, Section } from './parts.tsx';
import { BarPlot } from './plots.tsx';
import { linkTo, matches, type PageDocument, type PastCall, query } from './state.ts';
import {
  allTokens,
  count,
  countCalls,
  dollars,
  duration,
  SESSIONS,
  STATUS_WORDS,
  TONES,
  tokens,
  toneOf,
  when,
} from './words.ts';

type History = PageDocument['history'];

/**
 * Shows figures over time: cost, runs until a gate passed, changes between pass and fail, and a list of every run and
 * call.
 */
export function HistorySection({ history }: { readonly history: History }) {
  const [isWeekly, setWeekly] = useState(false);
  const periods = useMemo(
    () => withoutGaps(isWeekly ? history.weeks : history.days, isWeekly ? 7 : 1),
    [history, isWeekly],
  );
  const { from, cost, amounts } = useMemo(
    () => ({
      from: periods.map((period) => period.from),
      cost: [{ label: 'paid', values: periods.map((period) => period.cost_usd), color: '--accent' }] as const,
      // The bar of paid tokens is drawn over the lower part of the bar for paid and saved tokens together.
      amounts: [
        {
          label: 'paid and not paid',
          values: periods.map((period) => period.tokens + period.saved_tokens),
          color: '--soft-bar',
        },
        { label: 'paid', values: periods.map((period) => period.tokens), color: '--accent' },
      ] as const,
    }),
    [periods],
  );
  const pricedCount = history.calls.filter(({ cost_usd }) => cost_usd !== null).length;
  const passes = history.gates.flatMap(({ runs_until_pass }) => runs_until_pass);
  const flips = history.gates.reduce((sum, gate) => sum + gate.flips, 0);
  return (
    <Section id="history" title="History">
      {history.runs.length + history.calls.length === 0 ? (
        <Empty>No run yet. Change a file and run the gates; their cost and results appear here.</Empty>
      ) : (
        <>
          <dl class="figures">
            <Figure name="Runs" value={String(history.runs.length)} more={count(history.calls.length, 'call')} />
            <Figure
              name="Runs until a gate passes"
              value={passes.length === 0 ? '–' : String(median(passes))}
              more={
                passes.length === 0 ? 'no gate has passed yet' : `median of ${count(passes.length, 'pass', 'passes')}`
              }
            />
            <Figure name="Flips" value={String(flips)} more="changes between pass and fail" />
            <Figure
              name="Known prices"
              value={history.calls.length === 0 ? '–' : `${Math.round((pricedCount / history.calls.length) * 100)} %`}
              more={`of ${count(history.calls.length, 'call')}`}
            />
          </dl>
          <fieldset class="switch">
            <legend class="hidden">Plots by</legend>
            {([false, true] as const).map((weekly) => (
              <button
                type="button"
                key={String(weekly)}
                aria-pressed={isWeekly === weekly}
                onClick={() => setWeekly(weekly)}
              >
                {weekly ? 'Weeks' : 'Days'}
              </button>
            ))}
          </fieldset>
          <div class="columns">
            <BarPlot
              label="Tokens: paid, and not paid above"
              from={from}
              series={amounts}
              unit="tokens"
              describe={(n) => {
                const { tokens: paidTokens = 0, saved_tokens: savedTokens = 0 } = periods[n] ?? {};
                return `${tokens(paidTokens)} paid, ${tokens(savedTokens)} not paid`;
              }}
            />
            {pricedCount === 0 ? (
              <Empty>No agent reported a price, so there is no plot of the price.</Empty>
            ) : (
              <BarPlot
                label="Known prices in US dollars"
                from={from}
                series={cost}
                unit="usd"
                describe={(n) => dollars(periods[n]?.cost_usd ?? 0)}
              />
            )}
          </div>
          <Gates gates={history.gates} />
          {history.runs.length > 0 && <Runs runs={history.runs} />}
        </>
      )}
    </Section>
  );
}

type Period = History['days'][number];

const DAY_MS = 24 * 3600 * 1000;

/** The maximum number of bars that a plot has room for. */
const MOST_BARS = 60;

/** Returns the newest periods, with an empty one for each day or week without a call, so that the time axis is even. */
function withoutGaps(periods: readonly Period[], days: number): readonly Period[] {
  const last = Date.parse(periods.at(-1)?.from ?? '');
  const first = Math.max(Date.parse(periods[0]?.from ?? ''), last - (MOST_BARS - 1) * days * DAY_MS);
  if (Number.isNaN(first)) return [];
  const byStart = new Map(periods.map((period) => [period.from, period]));
  return Array.from({ length: Math.round((last - first) / (days * DAY_MS)) + 1 }, (_, n) => {
    const from = new Date(first + n * days * DAY_MS).toISOString().slice(0, 10);
    return byStart.get(from) ?? { from, runs: 0, calls: 0, priced_calls: 0, cost_usd: 0, tokens: 0, saved_tokens: 0 };
  });
}

function median(numbers: readonly number[]): number {
  const ascending = [...numbers].sort((a, b) => a - b);
  return ascending[Math.floor((ascending.length - 1) / 2)] ?? 0;
}

function Gates({ gates }: { readonly gates: History['gates'] }) {
  if (gates.length === 0) return null;
  return (
    <>
      <h3 class="plain">Gates</h3>
      <DataTable
        label="History by gate"
        head={['Gate', '>Results', '>Passed', '>Failed', '>Errors', '>Flips', '>Runs until pass']}
        rows={gates
          .filter(({ gate }) => matches(gate))
          .map((gate) => [
            <Name>{gate.gate}</Name>,
            ...[gate.reviews, gate.passed, gate.failed, gate.errors, gate.flips],
            gate.runs_until_pass.length === 0 ? '–' : median(gate.runs_until_pass),
          ])}
      />
    </>
  );
}

function Runs({ runs }: { readonly runs: History['runs'] }) {
  const words = query.value;
  const matchingRuns = useMemo(
    () => runs.filter(({ branch, status }) => matches(branch, status)).reverse(),
    [runs, words],
  );
  return (
    <>
      <h3 class="plain">Runs</h3>
      {matchingRuns.length === 0 ? (
        <Nothing>No run yet.</Nothing>
      ) : (
        <RowList
          rows={matchingRuns}
          label="All runs, newest first"
          head={
            <div class="run-row head">
              <span>When</span>
              <span>Run</span>
              <span>Result</span>
              <span>Branch</span>
              <span class="right">Paid</span>
              <span class="right">Price</span>
            </div>
          }
          row={(run) => (
            <div class="run-row">
              <span>{when(run.at)}</span>
              <span>{run.iteration ?? '–'}</span>
              <span>
                <Pill tone={toneOf(run.status)}>{run.status.replaceAll('_', ' ')}</Pill>
              </span>
              <span class="cut">
                <Name>{run.branch ?? 'no branch'}</Name>
              </span>
              <span class="right">{run.tokens === 0 ? '–' : tokens(run.tokens)}</span>
              <span class="right">{run.cost_usd === null ? '–' : dollars(run.cost_usd)}</span>
            </div>
          )}
        />
      )}
    </>
  );
}

/** Shows every call in the cost ledger, newest first. */
export function Calls({ calls }: { readonly calls: readonly PastCall[] }) {
  const words = query.value;
  const matchingCalls = useMemo(
    () =>
      calls.filter(({ name, agent, model, branch, status }) => matches(name, agent, model, branch, status)).reverse(),
    [calls, words],
  );
  return (
    <Section
      id="calls"
      title="Calls"
      aside={countCalls(
        matchingCalls.length,
        matchingCalls.reduce((sum, { requests }) => sum + requests, 0),
      )}
    >
      {matchingCalls.length === 0 ? (
        <Nothing>No agent was called in this clone yet.</Nothing>
      ) : (
        <RowList
          rows={matchingCalls}
          label="All calls, newest first"
          head={
            <div class="call-row head">
              <span>When</span>
              <span>What</span>
              <span>Agent</span>
              <span>Result</span>
              <span>Session</span>
              <span class="right">Time</span>
              <span class="right">Tokens</span>
              <span class="right">Price</span>
            </div>
          }
          row={(call) => <CallRow call={call} />}
        />
      )}
    </Section>
  );
}

function CallRow({ call }: { readonly call: PastCall }) {
  return (
    <div class="call-row">
      <span>{when(call.at)}</span>
      <span class="cut" title={showInvisible(call.name)}>
        {call.transcript === null ? (
          <Name>{call.name}</Name>
        ) : (
          <a href={linkTo('call', call.transcript)}>
            <Name>{call.name}</Name>
          </a>
        )}
      </span>
      <span class="cut">
        <Name>{call.agent}</Name>
      </span>
      <span>{call.status === null ? '' : <Pill tone={TONES[call.status]}>{STATUS_WORDS[call.status]}</Pill>}</span>
      <span>{SESSIONS[call.dispatch]}</span>
      <span class="right">{duration(call.duration_ms)}</span>
      <span class="right">{call.usage === null ? '–' : tokens(allTokens(call.usage))}</span>
      <span class="right">{call.cost_usd === null ? '–' : dollars(call.cost_usd)}</span>
    </div>
  );
}
