import { showInvisible } from '@onceover/base/kernel/escape';
import { Name, Nothing, Section } from './parts.tsx';
import { isLive, linkTo, matches, type PageDocument } from './state.ts';
import { count, duration, TONES, when } from './words.ts';

type Timeline = PageDocument['timelines'][number];
type Run = Timeline['runs'][number];
type Cell = Run['cells'][number];

const GLYPHS = {
  fresh: '●',
  resumed: '↻',
  skipped: '–',
  cached: '≡',
  accepted: '⇣',
  check: '■',
  unknown: '?',
} as const;

const KINDS = {
  fresh: 'new session',
  resumed: 'resumed session',
  skipped: 'reviewer skipped',
  cached: 'not run: unchanged since it passed',
  accepted: 'accepted from elsewhere',
  check: 'check',
  unknown: 'written by another tool',
} as const;

const SHORT_KINDS = { ...KINDS, skipped: 'skipped', cached: 'unchanged', accepted: 'accepted' } as const;

const MOST_RUNS = 60;

/** The maximum number of runs whose cells have room for words. */
const MOST_NAMED = 4;

/** Shows one table for all gates, with a column per run and a row per reviewer. */
export function Timelines({ page }: { readonly page: PageDocument }) {
  const timelines = page.timelines.filter(({ gate, runs }) => runs.length > 0 && matches(gate));
  const columns = columnsOf(timelines);
  const runs = columns.slice(-MOST_RUNS);
  const omittedCount = columns.length - runs.length;
  return (
    <Section id="timeline" title="Timeline" aside={count(columns.length, 'run')}>
      {timelines.length === 0 ? (
        <Nothing>No gate has run on this change yet.</Nothing>
      ) : (
        <div class={runs.length <= MOST_NAMED ? 'timeline panel roomy' : 'timeline panel'}>
          <div class="scroll" tabIndex={0} role="region" aria-label="Runs of each gate">
            <table class="grid">
              <thead>
                <tr>
                  <th scope="col">Run</th>
                  {runs.map(({ iteration, at }) => (
                    <th scope="col" key={at} data-run={iteration ?? undefined} title={when(at)}>
                      {iteration ?? '·'}
                      <span class="hidden">{iteration === null ? ' no number' : ''}</span>
                    </th>
                  ))}
                  <td />
                </tr>
              </thead>
              {timelines.map((timeline) => (
                <Rows key={timeline.gate} timeline={timeline} columns={runs} />
              ))}
            </table>
          </div>
          <Legend
            kinds={
              new Set(
                timelines.flatMap((timeline) => timeline.runs.flatMap(({ cells }) => cells.map(({ kind }) => kind))),
              )
            }
          />
          {omittedCount > 0 && <p class="soft">{count(omittedCount, 'older run')} not shown.</p>}
        </div>
      )}
    </Section>
  );
}

type Column = Pick<Run, 'iteration' | 'at'>;

/** Returns the runs of all gates, oldest first. The time identifies a run, because it is the same in every gate. */
function columnsOf(timelines: readonly Timeline[]): readonly Column[] {
  const byTime = new Map<string, Column>();
  for (const { iteration, at } of timelines.flatMap(({ runs }) => runs)) {
    byTime.set(at, { iteration: iteration ?? byTime.get(at)?.iteration ?? null, at });
  }
  return [...byTime.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** Explains the symbols that occur in the table. */
function Legend({ kinds }: { readonly kinds: ReadonlySet<Cell['kind']> }) {
  return (
    <p class="legend">
      {(Object.keys(KINDS) as Cell['kind'][])
        .filter((kind) => kinds.has(kind))
        .map((kind) => (
          <span key={kind} class="shape">
            <i aria-hidden="true">{GLYPHS[kind]}</i> {KINDS[kind]}
          </span>
        ))}
      {(['good', 'bad', 'warn'] as const).map((tone) => (
        <span key={tone}>
          <i class={`swatch ${tone}`} aria-hidden="true" /> {{ good: 'passed', bad: 'failed', warn: 'no result' }[tone]}
        </span>
      ))}
    </p>
  );
}

function Rows({ timeline, columns }: { readonly timeline: Timeline; readonly columns: readonly Column[] }) {
  const { gate, runs } = timeline;
  const slots = [...new Set(runs.flatMap(({ cells }) => cells.map(({ slot }) => slot ?? 0)))].filter(
    (slot) => slot > 0,
  );
  const rows = slots.length === 0 ? [0] : slots.sort((a, b) => a - b);
  const runAt = new Map(runs.map((run) => [run.at, run]));
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={columns.length + 2}>
          <span class="grid-gate" data-item tabIndex={-1}>
            <a href={linkTo('gate', gate)}>
              <Name>{gate}</Name>
            </a>
          </span>
        </th>
      </tr>
      {rows.map((slot) => (
        <tr key={slot}>
          <th scope="row">{slot === 0 ? (isCheck(gate) ? 'Check' : 'Gate') : `Reviewer ${slot}`}</th>
          {columns.map(({ at }) => {
            const run = runAt.get(at);
            return <td key={at}>{run !== undefined && <Mark cell={cellOf(run, slot)} run={run} />}</td>;
          })}
          <td class="compare">{isLive.value && <Compare gate={gate} slot={slot} runs={runs} />}</td>
        </tr>
      ))}
    </tbody>
  );
}

const isCheck = (gate: string) => gate.startsWith('check:');

function cellOf({ cells }: Run, slot: number): Cell | undefined {
  return cells.find((cell) => (cell.slot ?? 0) === slot) ?? cells.find(({ kind }) => kind === 'cached');
}

function Mark({ cell, run }: { readonly cell: Cell | undefined; readonly run: Run }) {
  if (cell === undefined) return <span class="hidden">did not run</span>;
  const findingNote = cell.findings === 0 ? '' : `, ${count(cell.findings, 'finding')}`;
  const timeNote = cell.duration_ms === null ? '' : `, ${duration(cell.duration_ms)}`;
  const agentNote = cell.agent === null ? '' : `${cell.agent}, `;
  const label = showInvisible(
    `${run.iteration === null ? 'Run' : `Run ${run.iteration}`}: ${agentNote}${KINDS[cell.kind]}, ${cell.status}${findingNote}${timeNote}: ${cell.detail}`,
  );
  const body = (
    <>
      <span aria-hidden="true">
        {cell.status === 'error' ? '!' : GLYPHS[cell.kind]}
        <span class="words">{describeCell(cell)}</span>
      </span>
      <span class="hidden">{label}</span>
    </>
  );
  const of = `cell ${TONES[cell.status]} ${cell.kind}`;
  return cell.transcript === null ? (
    <span class={of} title={label}>
      {body}
    </span>
  ) : (
    <a class={of} title={label} href={linkTo('call', cell.transcript)}>
      {body}
    </a>
  );
}

/** Returns the few words that fit into a cell: what ran, and what it found. */
function describeCell({ kind, status, findings, duration_ms }: Cell): string {
  if (status === 'error') return 'no result';
  if (kind === 'check') return status === 'pass' ? `passed, ${duration(duration_ms)}` : 'failed';
  const findingNote = findings === 0 ? '' : `, ${count(findings, 'finding')}`;
  return `${SHORT_KINDS[kind]}${findingNote}`;
}

/** Shows a link to the differences between the last two reviews by a reviewer. */
function Compare({
  gate,
  slot,
  runs,
}: {
  readonly gate: string;
  readonly slot: number;
  readonly runs: readonly Run[];
}) {
  const iterations = runs.flatMap(({ iteration, cells }) =>
    iteration !== null && cells.some((cell) => cell.slot === slot && cell.transcript !== null) ? [iteration] : [],
  );
  const [from, to] = iterations.slice(-2);
  if (slot === 0 || from === undefined || to === undefined) return null;
  return (
    <a href={linkTo('diff', gate, slot, from, to)}>
      Compare
      <span class="hidden">
        {' '}
        run {from} and run {to} of reviewer {slot}
      </span>
    </a>
  );
}
