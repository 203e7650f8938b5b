import { showInvisible } from '../../src/kernel/escape.ts';
import { Empty, Name, Section } from './parts.tsx';
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

const MOST_RUNS = 60;

/** One grid per gate: a column per run, a row per reviewer. */
export function Timelines({ page }: { readonly page: PageDocument }) {
  const shown = page.timelines.filter(({ gate, runs }) => runs.length > 0 && matches(gate));
  return (
    <Section id="timeline" title="Timeline">
      {shown.length === 0 ? (
        <Empty>No gate has run on this change yet.</Empty>
      ) : (
        <p class="legend">
          {(['fresh', 'resumed', 'skipped', 'cached', 'accepted', 'check'] as const).map((kind) => (
            <span key={kind}>
              <i aria-hidden="true">{GLYPHS[kind]}</i> {KINDS[kind]}
            </span>
          ))}
          <span class="good">passed</span>
          <span class="bad">failed</span>
          <span class="warn">no result</span>
        </p>
      )}
      {shown.map((timeline) => (
        <Grid key={timeline.gate} timeline={timeline} />
      ))}
    </Section>
  );
}

function Grid({ timeline }: { readonly timeline: Timeline }) {
  const runs = timeline.runs.slice(-MOST_RUNS);
  const slots = [...new Set(runs.flatMap(({ cells }) => cells.map(({ slot }) => slot ?? 0)))].filter(
    (slot) => slot > 0,
  );
  const rows = slots.length === 0 ? [0] : slots.sort((a, b) => a - b);
  const left = timeline.runs.length - runs.length;
  return (
    <div class="timeline" data-item tabIndex={-1}>
      <h3>
        <a href={linkTo('gate', timeline.gate)}>
          <Name>{timeline.gate}</Name>
        </a>
      </h3>
      {left > 0 && <p class="soft">{count(left, 'older run')} not shown.</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label={showInvisible(`Timeline of ${timeline.gate}`)}>
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">Reviewer</span>
              </th>
              {runs.map(({ iteration, at }) => (
                <th scope="col" key={at} id={iteration === null ? undefined : `run-${iteration}`} title={when(at)}>
                  {iteration === null ? '·' : iteration}
                  <span class="hidden"> {iteration === null ? 'run without reviews' : 'run'}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((slot) => (
              <tr key={slot}>
                <th scope="row">{slot === 0 ? 'Check' : `Reviewer ${slot}`}</th>
                {runs.map((run) => (
                  <td key={run.at}>
                    <Mark cell={cellOf(run, slot)} run={run} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isLive.value && rows.map((slot) => <Compare key={slot} gate={timeline.gate} slot={slot} runs={runs} />)}
    </div>
  );
}

function cellOf({ cells }: Run, slot: number): Cell | undefined {
  return cells.find((cell) => (cell.slot ?? 0) === slot) ?? cells.find(({ kind }) => kind === 'cached');
}

function Mark({ cell, run }: { readonly cell: Cell | undefined; readonly run: Run }) {
  if (cell === undefined) return <span class="hidden">did not run</span>;
  const found = cell.findings === 0 ? '' : `, ${count(cell.findings, 'finding')}`;
  const took = cell.duration_ms === null ? '' : `, ${duration(cell.duration_ms)}`;
  const who = cell.agent === null ? '' : `${cell.agent}, `;
  const label = showInvisible(
    `${run.iteration === null ? 'Run' : `Run ${run.iteration}`}: ${who}${KINDS[cell.kind]}, ${cell.status}${found}${took}: ${cell.detail}`,
  );
  const body = (
    <>
      <span aria-hidden="true">{cell.status === 'error' ? '!' : GLYPHS[cell.kind]}</span>
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

/** A link to what changed between the last two reviews of a reviewer. */
function Compare({
  gate,
  slot,
  runs,
}: {
  readonly gate: string;
  readonly slot: number;
  readonly runs: readonly Run[];
}) {
  const reviewed = runs.flatMap(({ iteration, cells }) =>
    iteration !== null && cells.some((cell) => cell.slot === slot && cell.transcript !== null) ? [iteration] : [],
  );
  const [from, to] = reviewed.slice(-2);
  if (slot === 0 || from === undefined || to === undefined) return null;
  return (
    <p class="soft">
      <a href={linkTo('diff', gate, slot, from, to)}>
        Compare run {from} and run {to} of reviewer {slot}
      </a>
    </p>
  );
}
