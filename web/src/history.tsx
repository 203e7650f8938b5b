import { useMemo, useState } from 'preact/hooks';
import { showInvisible } from '../../src/kernel/escape.ts';
import { Empty, Name, Pill, RowList, Section } from './parts.tsx';
import { BarPlot } from './plots.tsx';
import { matches, type PageDocument, type PastCall, query } from './state.ts';
import { allTokens, count, dollars, duration, SESSIONS, TONES, tokens, toneOf, when } from './words.ts';

type History = PageDocument['history'];

/** Figures over time: cost, runs until a gate passes, flips, and every run and call. */
export function HistorySection({ history }: { readonly history: History }) {
  const [isWeekly, setWeekly] = useState(false);
  const periods = isWeekly ? history.weeks : history.days;
  const { from, cost, amounts } = useMemo(
    () => ({
      from: periods.map((one) => one.from),
      cost: [{ label: 'paid', values: periods.map((one) => one.cost_usd), color: '--accent' }] as const,
      // The bar of what was paid covers the lower part of the bar of both.
      amounts: [
        {
          label: 'paid and not paid',
          values: periods.map((one) => one.tokens + one.saved_tokens),
          color: '--soft-bar',
        },
        { label: 'paid', values: periods.map((one) => one.tokens), color: '--accent' },
      ] as const,
    }),
    [periods],
  );
  const priced = history.calls.filter(({ cost_usd }) => cost_usd !== null).length;
  const passes = history.gates.flatMap(({ runs_until_pass }) => runs_until_pass);
  const flips = history.gates.reduce((sum, one) => sum + one.flips, 0);
  return (
    <Section id="history" title="History">
      {history.runs.length + history.calls.length === 0 ? (
        <Empty>The ledger of this clone has no runs yet.</Empty>
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
              value={history.calls.length === 0 ? '–' : `${Math.round((priced / history.calls.length) * 100)} %`}
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
            <BarPlot label="Tokens: paid (dark) and not paid (light)" from={from} series={amounts} unit="tokens" />
            {priced === 0 ? (
              <Empty>No agent reported a price, so there is no plot of the price.</Empty>
            ) : (
              <BarPlot label="Known prices in US dollars" from={from} series={cost} unit="usd" />
            )}
          </div>
          <Gates gates={history.gates} />
          <Runs runs={history.runs} />
        </>
      )}
    </Section>
  );
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

function Figure({ name, value, more }: { readonly name: string; readonly value: string; readonly more: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b>{value}</b> <span class="soft">{more}</span>
      </dd>
    </div>
  );
}

function Gates({ gates }: { readonly gates: History['gates'] }) {
  if (gates.length === 0) return null;
  return (
    <>
      <h3 class="plain">Gates</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="History by gate">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Gate</th>
              <th scope="col" class="right">
                Results
              </th>
              <th scope="col" class="right">
                Passed
              </th>
              <th scope="col" class="right">
                Failed
              </th>
              <th scope="col" class="right">
                Errors
              </th>
              <th scope="col" class="right">
                Flips
              </th>
              <th scope="col" class="right">
                Runs until pass
              </th>
            </tr>
          </thead>
          <tbody>
            {gates
              .filter(({ gate }) => matches(gate))
              .map((one) => (
                <tr key={one.gate}>
                  <th scope="row">
                    <Name>{one.gate}</Name>
                  </th>
                  <td class="right">{one.reviews}</td>
                  <td class="right">{one.passed}</td>
                  <td class="right">{one.failed}</td>
                  <td class="right">{one.errors}</td>
                  <td class="right">{one.flips}</td>
                  <td class="right">{one.runs_until_pass.length === 0 ? '–' : median(one.runs_until_pass)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Runs({ runs }: { readonly runs: History['runs'] }) {
  const words = query.value;
  const shown = useMemo(() => runs.filter(({ branch, status }) => matches(branch, status)).reverse(), [runs, words]);
  return (
    <>
      <h3 class="plain">Runs</h3>
      <RowList
        rows={shown}
        height={40}
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
    </>
  );
}

/** Every call in the ledger, newest first. */
export function Calls({ calls }: { readonly calls: readonly PastCall[] }) {
  const words = query.value;
  const shown = useMemo(
    () =>
      calls.filter(({ name, agent, model, branch, status }) => matches(name, agent, model, branch, status)).reverse(),
    [calls, words],
  );
  return (
    <Section id="calls" title="Calls" aside={<span class="aside">{count(shown.length, 'call')}</span>}>
      {calls.length === 0 ? (
        <Empty>No agent was called in this clone yet.</Empty>
      ) : (
        <RowList
          rows={shown}
          height={40}
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
        <Name>{call.name}</Name>
      </span>
      <span class="cut">
        <Name>{call.agent}</Name>
      </span>
      <span>{call.status === null ? '' : <Pill tone={TONES[call.status]}>{call.status}</Pill>}</span>
      <span>{SESSIONS[call.dispatch]}</span>
      <span class="right">{duration(call.duration_ms)}</span>
      <span class="right">{call.usage === null ? '–' : tokens(allTokens(call.usage))}</span>
      <span class="right">{call.cost_usd === null ? '–' : dollars(call.cost_usd)}</span>
    </div>
  );
}
