import { useEffect, useRef } from 'preact/hooks';
import { showInvisible } from '../../src/kernel/escape.ts';
import { CallPage, Transcripts } from './call-page.tsx';
import { DiffPage } from './diff-page.tsx';
import { Findings } from './findings.tsx';
import { Calls, HistorySection } from './history.tsx';
import { Help } from './keys.tsx';
import { Paid } from './paid.tsx';
import { Prose } from './parts.tsx';
import { PhaseSections } from './phase.tsx';
import { connection, isLive, type PageDocument, page, query, route } from './state.ts';
import { setTheme, type Theme, theme } from './theme.ts';
import { Timelines } from './timeline.tsx';
import { Toolbar } from './toolbar.tsx';
import { Uncovered, Verdict, WhyItCounts } from './verdict.tsx';

export function App() {
  const { value: data } = page;
  const { value: shown } = route;
  useEffect(() => {
    if (shown.view !== 'report') scrollTo(0, 0);
    else if (data !== null && shown.target !== null) showTarget(shown.target);
  }, [shown, data === null]);
  useEffect(() => {
    const title = data?.verdict[0]?.replace(/ \(exit code \d+\)$/, '') ?? 'onceover';
    document.title = data === null ? 'onceover' : showInvisible(`${title} · ${data.project}`);
  }, [data]);
  return (
    <>
      <TopBar data={data} />
      {shown.view === 'call' && <CallPage id={shown.id} />}
      {shown.view === 'diff' && <DiffPage route={shown} />}
      {shown.view === 'report' && (
        <div class="layout">
          {data !== null && <Contents data={data} />}
          <main id="main">
            {isLive.value && <Toolbar />}
            {data === null ? <Waiting /> : <Report data={data} />}
          </main>
        </div>
      )}
      <Help />
    </>
  );
}

function Waiting() {
  return (
    <div class="state">
      <h1>{connection.value === 'lost' ? 'No connection' : 'Reading the gates…'}</h1>
      <p class="soft">
        {connection.value === 'lost'
          ? 'Start "onceover ui" again and open its link.'
          : 'onceover reads the change, the records and the ledger.'}
      </p>
    </div>
  );
}

function Report({ data }: { readonly data: PageDocument }) {
  const { run, phase } = data;
  return (
    <>
      <Verdict page={data} />
      {data.missing.map((line) => (
        <Prose key={line} class="banner warn">
          {line}
        </Prose>
      ))}
      {run !== null && <WhyItCounts page={data} run={run} />}
      {run !== null && <Findings page={data} run={run} />}
      {phase !== null && <PhaseSections phase={phase} />}
      <Paid page={data} />
      {run !== null && <Timelines page={data} />}
      <HistorySection history={data.history} />
      <Calls calls={data.history.calls} />
      {run !== null && <Transcripts page={data} />}
      {run !== null && <Uncovered run={run} />}
      <footer>
        onceover {data.version}. Everything that looks like a password, key or token is masked. Press <kbd>?</kbd> for
        keys.
      </footer>
    </>
  );
}

const SECTIONS = [
  ['verdict', 'Result'],
  ['gates', 'Why it counts'],
  ['findings', 'Open findings'],
  ['paid', 'Paid and not paid'],
  ['timeline', 'Timeline'],
  ['history', 'History'],
  ['calls', 'Calls'],
  ['transcripts', 'Transcripts'],
  ['uncovered', 'Not covered'],
] as const;

function Contents({ data }: { readonly data: PageDocument }) {
  const hasGates = data.run !== null;
  const hidden = hasGates
    ? []
    : ['gates', 'transcripts', 'uncovered', ...(data.phase === null ? ['findings', 'timeline'] : [])];
  return (
    <nav aria-label="Sections" class="contents">
      <ul>
        {SECTIONS.filter(([id]) => !hidden.includes(id)).map(([id, title]) => (
          <li key={id}>
            <a href={`#/section/${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function TopBar({ data }: { readonly data: PageDocument | null }) {
  const box = useRef<HTMLInputElement>(null);
  return (
    <header class="top">
      <a class="skip" href="#/section/verdict">
        Skip to the result
      </a>
      <a class="brand" href="#/section/verdict">
        onceover
      </a>
      <label class="search">
        <span class="hidden">Search</span>
        <input
          id="search"
          ref={box}
          type="search"
          placeholder="Search gates, findings, calls ( / )"
          disabled={data === null}
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
      </label>
      <label class="theme">
        <span class="hidden">Colours</span>
        <select value={theme.value} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </header>
  );
}

/** Scrolls to the element of a link, opens what hides it, and gives it the focus. */
function showTarget(id: string): void {
  const element = document.getElementById(id);
  if (element === null) return;
  for (
    let above = element.closest('details');
    above !== null;
    above = above.parentElement?.closest('details') ?? null
  ) {
    above.open = true;
  }
  element.scrollIntoView({ block: 'start' });
  for (const other of document.querySelectorAll('.is-target')) other.classList.remove('is-target');
  if (!id.startsWith('section-')) element.classList.add('is-target');
  if (element.tabIndex >= -1 && element.hasAttribute('tabindex')) element.focus({ preventScroll: true });
}
