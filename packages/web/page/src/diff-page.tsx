import { useEffect, useState } from 'preact/hooks';
import { readDiff } from './live.ts';
import { Diff, Empty, Name, Pill } from './parts.tsx';
import { isLive, linkTo, page, type ReviewDiffDocument, type Route } from './state.ts';

/** Shows the differences between two reviews by one reviewer: in its findings, and in the code that it reviewed. */
export function DiffPage({ route }: { readonly route: Extract<Route, { view: 'diff' }> }) {
  const [state, setState] = useState<ReviewDiffDocument | 'loading' | 'missing'>('loading');
  const { gate, slot, from, to } = route;
  useEffect(() => {
    let isCurrent = true;
    if (!isLive.value) setState('missing');
    else void readDiff({ gate, slot, from, to }).then((diff) => isCurrent && setState(diff ?? 'missing'));
    return () => {
      isCurrent = false;
    };
  }, [gate, slot, from, to]);
  const runs = reviewedRuns(gate, slot);
  return (
    <main id="main" class="view">
      <p>
        <a href={linkTo('gate', gate)}>← Back to the report</a>
      </p>
      <h1 class="view-title">
        <Name>{gate}</Name>, reviewer {slot}
      </h1>
      {runs.length > 1 && (
        <p class="pickers">
          <Picker
            label="From run"
            runs={runs.filter((run) => run < to)}
            value={from}
            onPick={(run) => linkTo('diff', gate, slot, run, to)}
          />
          <Picker
            label="To run"
            runs={runs.filter((run) => run > from)}
            value={to}
            onPick={(run) => linkTo('diff', gate, slot, from, run)}
          />
        </p>
      )}
      {state === 'loading' && <p class="empty">Comparing the reviews…</p>}
      {state === 'missing' && (
        <Empty>These reviews cannot be compared: their records are archived or were not kept.</Empty>
      )}
      {typeof state === 'object' && (
        <>
          <h2>Findings</h2>
          <Compared diff={state} />
          <h2>Code</h2>
          {state.sections === null && <Empty>The snapshots of the reviewed code no longer exist.</Empty>}
          {state.sections?.length === 0 && <Empty>Both reviews saw the same code.</Empty>}
          {state.sections?.map((section) => (
            <Diff key={section.files.join('\n')} text={section.text} />
          ))}
        </>
      )}
    </main>
  );
}

function reviewedRuns(gate: string, slot: number): readonly number[] {
  const runs = page.value?.timelines.find((timeline) => timeline.gate === gate)?.runs ?? [];
  return runs.flatMap(({ iteration, cells }) =>
    iteration !== null && cells.some((cell) => cell.slot === slot && cell.transcript !== null) ? [iteration] : [],
  );
}

function Picker({
  label,
  runs,
  value,
  onPick,
}: {
  readonly label: string;
  readonly runs: readonly number[];
  readonly value: number;
  readonly onPick: (run: number) => string;
}) {
  return (
    <label>
      {label}{' '}
      <select
        value={value}
        onChange={(event) => {
          location.hash = onPick(Number(event.currentTarget.value));
        }}
      >
        {runs.map((run) => (
          <option key={run} value={run}>
            {run}
          </option>
        ))}
      </select>
    </label>
  );
}

const CHANGES = [
  ['added', 'new', 'bad'],
  ['kept', 'reported again', 'warn'],
  ['fixed', 'no longer reported', 'good'],
] as const;

/** Shows the findings of both reviews, each with how the later review differs. */
function Compared({ diff }: { readonly diff: ReviewDiffDocument }) {
  const rows = CHANGES.flatMap(([change, words, tone]) => diff[change].map((id) => ({ id, words, tone })));
  if (rows.length === 0) return <Empty>Neither review reported a finding.</Empty>;
  return (
    <ul class="reviewers compared card">
      {rows.map(({ id, words, tone }) => {
        const finding = diff.findings.find((candidate) => candidate.id === id);
        return (
          <li key={id}>
            <Pill tone={tone}>{words}</Pill>
            <span class="who">
              <a href={linkTo('finding', id)}>
                <Name>{id}</Name>
              </a>{' '}
              {finding !== undefined && (
                <code class="soft">
                  <Name>{finding.file}</Name>
                </code>
              )}
            </span>
            <span class="what">{finding !== undefined && <Name>{finding.issue}</Name>}</span>
          </li>
        );
      })}
    </ul>
  );
}
