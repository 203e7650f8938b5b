import { showInvisible } from '@onceover/base/kernel/escape';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CallPage, Transcripts } from './call-page.tsx';
import { DiffPage } from './diff-page.tsx';
import { FeatureSection } from './feature.tsx';
import { Findings, openProblems } from './findings.tsx';
import { Calls, HistorySection } from './history.tsx';
import { Help } from './keys.tsx';
import { Paid } from './paid.tsx';
import { Name, Prose } from './parts.tsx';
import { PhaseIssues, PhaseRounds } from './phase.tsx';
import { ProveSections } from './prove.tsx';
import { connection, isLive, type PageDocument, page, problem, query, route } from './state.ts';
import { setTheme, type Theme, theme } from './theme.ts';
import { Timelines } from './timeline.tsx';
import { Toolbar } from './toolbar.tsx';
import { Uncovered, Verdict, WhyItCounts } from './verdict.tsx';
import { whole } from './words.ts';

export function App() {
  const { value: data } = page;
  const { value: currentRoute } = route;
  useEffect(() => {
    if (currentRoute.view !== 'report') scrollTo(0, 0);
    else if (data !== null && currentRoute.target !== null) showTarget(currentRoute.target);
  }, [currentRoute, data === null]);
  useEffect(() => {
    const title = data?.verdict[0]?.replace(/ \(exit code \d+\)$/, '') ?? 'onceover';
    document.title = data === null ? 'onceover' : showInvisible(`${title} · ${data.project}`);
  }, [data]);
  return (
    <>
      <TopBar data={data} />
      {currentRoute.view === 'call' && <CallPage id={currentRoute.id} />}
      {currentRoute.view === 'diff' && <DiffPage route={currentRoute} />}
      {currentRoute.view === 'report' && (
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
  if (problem.value !== null && connection.value === 'connected') {
    return (
      <div class="state">
        <h1>The gates cannot be read</h1>
        <p class="soft">The message above says why.</p>
      </div>
    );
  }
  return (
    <div class="state">
      {connection.value !== 'lost' && <span class="spinner" aria-hidden="true" />}
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
  const sections = sectionsOf(data);
  const has = (id: string) => sections.includes(id);
  return (
    <>
      <Verdict page={data} />
      {data.missing.map((line) => (
        <Prose key={line} class="banner warn">
          {line}
        </Prose>
      ))}
      {run !== null && has('gates') && <WhyItCounts page={data} run={run} />}
      {run !== null && has('findings') && <Findings page={data} run={run} />}
      {phase !== null && <PhaseIssues phase={phase} />}
      {data.feature !== null && <FeatureSection feature={data.feature} />}
      {data.prove !== null && <ProveSections prove={data.prove} />}
      {has('paid') && <Paid page={data} />}
      {run !== null && has('timeline') && <Timelines page={data} />}
      {phase !== null && <PhaseRounds phase={phase} />}
      <HistorySection history={data.history} />
      {has('calls') && <Calls calls={data.history.calls} />}
      {has('transcripts') && <Transcripts page={data} />}
      {run !== null && has('uncovered') && <Uncovered run={run} />}
      <footer>
        onceover <Name>{data.version}</Name>. Everything that looks like a password, key or token is masked. Press{' '}
        <kbd>?</kbd> for keys.
      </footer>
    </>
  );
}

const SECTIONS = [
  ['verdict', 'Result'],
  ['gates', 'Why it counts'],
  ['findings', 'Open findings'],
  ['feature', 'Phases'],
  ['proof', 'What reviewers catch'],
  ['cases', 'Cases'],
  ['paid', 'Paid and not paid'],
  ['timeline', 'Timeline'],
  ['history', 'History'],
  ['calls', 'Calls'],
  ['transcripts', 'Transcripts'],
  ['uncovered', 'Not covered'],
] as const;

const PHASE_TITLES: Readonly<Record<string, string>> = { findings: 'Open issues', timeline: 'Rounds' };

/** Returns the ids of the sections that a page has, in order. */
function sectionsOf({ run, phase, prove, feature, history, cost, logs }: PageDocument): readonly string[] {
  // Leave out the list of gates if it would be empty: on a page without changes, or of a clone without runs.
  const hasGates = run !== null && (run.status !== 'no_changes' || run.gates.length + run.findings.length > 0);
  const hasPast = history.runs.length + history.calls.length > 0;
  return [
    'verdict',
    ...(hasGates ? ['gates', 'uncovered'] : []),
    ...(hasGates || phase !== null ? ['findings', 'timeline'] : []),
    ...(hasGates || phase !== null || logs.length > 0 ? ['transcripts'] : []),
    ...(feature === null ? [] : ['feature']),
    ...(prove === null ? [] : ['proof', 'cases']),
    ...(hasPast || cost === null ? ['paid'] : []),
    ...(hasPast ? ['history', 'calls'] : ['history']),
  ];
}

function Contents({ data }: { readonly data: PageDocument }) {
  const sections = sectionsOf(data);
  const current = useSectionOnScreen(sections.join(' '));
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the links are a strip that scrolls to the side. Scroll it to the current link.
    const link = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (link !== null && link !== undefined) list.current?.scrollTo({ left: link.offsetLeft - 60 });
  }, [current]);
  return (
    <nav aria-label="Sections" class="contents" ref={list}>
      <ul>
        {SECTIONS.filter(([id]) => sections.includes(id)).map(([id, title]) => (
          <li key={id}>
            <a href={`#/section/${id}`} aria-current={current === id ? 'true' : undefined}>
              {data.phase === null ? title : (PHASE_TITLES[id] ?? title)}
              <Count of={countIn(data, id)} tone={id === 'findings' ? 'bad' : 'idle'} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Count({ of, tone }: { readonly of: number; readonly tone: 'bad' | 'idle' }) {
  return of === 0 ? null : <span class={`count ${tone}`}>{whole(of)}</span>;
}

/** Returns how many items a section lists; 0 if the section is not a list. */
function countIn({ run, phase, logs, history }: PageDocument, id: string): number {
  if (id === 'gates') return run?.gates.length ?? 0;
  if (id === 'findings') return phase === null ? openProblems(run).length : phase.open_issues.length;
  if (id === 'calls') return history.calls.length;
  if (id === 'transcripts') return logs.length;
  return id === 'uncovered' && run !== null ? run.uncovered_files.length + run.withheld_files.length : 0;
}

/** Returns the id of the section at the top of the window. */
function useSectionOnScreen(ids: string): string {
  const [current, setCurrent] = useState('verdict');
  useEffect(() => {
    const find = () => {
      const above = ids
        .split(' ')
        .map((id) => ({ id, top: document.getElementById(`section-${id}`)?.getBoundingClientRect().top }))
        .filter(({ top }) => top !== undefined && top < 160)
        .sort((a, b) => (b.top ?? 0) - (a.top ?? 0));
      setCurrent(above[0]?.id ?? 'verdict');
    };
    addEventListener('scroll', find, { passive: true });
    return () => removeEventListener('scroll', find);
  }, [ids]);
  return current;
}

function TopBar({ data }: { readonly data: PageDocument | null }) {
  const box = useRef<HTMLInputElement>(null);
  return (
    <header class="top">
      <a class="skip" href="#/section/verdict">
        Skip to the result
      </a>
      <a class="brand" href="#/section/verdict">
        <span class="logo" aria-hidden="true" />
        onceover
      </a>
      {data !== null && (
        <span class="where cut">
          <Name>{data.project}</Name>
          {data.branch !== null && (
            <>
              {' / '}
              <Name>{data.branch}</Name>
            </>
          )}
        </span>
      )}
      <label class="search">
        <span class="hidden">Search</span>
        <input
          id="search"
          ref={box}
          type="search"
          placeholder="Search"
          disabled={data === null}
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
        {query.value === '' && <kbd>/</kbd>}
      </label>
      <label class="theme">
        <span class="hidden">Colours</span>
        <select value={theme.value} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
          <option value="system">Auto</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </header>
  );
}

/**
 * Scrolls to the element that a link points at, unfolds the parts that hide it, highlights it, and gives it the focus.
 */
function showTarget(id: string): void {
  // A run has one column in the timeline of each gate that it reviewed, so there may be several elements.
  const [, run] = /^run-(\d+)$/.exec(id) ?? [];
  const targets =
    run === undefined ? [document.getElementById(id)] : [...document.querySelectorAll(`[data-run="${run}"]`)];
  for (const highlight of document.querySelectorAll('.is-target')) highlight.classList.remove('is-target');
  const [element] = targets;
  if (!(element instanceof HTMLElement)) return;
  for (
    let above = element.closest('details');
    above !== null;
    above = above.parentElement?.closest('details') ?? null
  ) {
    above.open = true;
  }
  element.scrollIntoView({ block: run === undefined ? 'start' : 'center' });
  if (!id.startsWith('section-')) for (const target of targets) target?.classList.add('is-target');
  if (element.hasAttribute('tabindex')) element.focus({ preventScroll: true });
}
