import { useState } from 'preact/hooks';
import { resolveFinding } from './live.ts';
import { Code, Name, Nothing, Pill, Prose, Section } from './parts.tsx';
import {
  type FindingDocument,
  isLive,
  linkTo,
  matches,
  type PageDocument,
  type RunDocument,
  session,
} from './state.ts';
import { count } from './words.ts';

const ORDER = ['critical', 'high', 'medium', 'low'];

const STATES = {
  open: 'open',
  fixed_claimed: 'marked as fixed, not confirmed yet',
  warning: 'warning',
  waived: 'waived',
  closed: 'closed',
  gone: 'no longer applies',
} as const;

const isOpen = ({ state }: FindingDocument) => state === 'open' || state === 'fixed_claimed';

/** Returns the open problems of a run. Findings about the same code are one problem. */
export function openProblems(run: RunDocument | null): readonly Problem[] {
  return problemsIn((run?.findings ?? []).filter(isOpen));
}

/** Shows the open findings with the code around them, then warnings and waived findings. */
export function Findings({ page, run }: { readonly page: PageDocument; readonly run: RunDocument }) {
  const currentFindings = run.findings.filter(({ state }) => state !== 'closed' && state !== 'gone');
  const matchingFindings = currentFindings
    .filter(({ id, file, issue, gate, priority }) => matches(id, file, issue, gate, priority))
    .sort((a, b) => ORDER.indexOf(a.priority) - ORDER.indexOf(b.priority));
  const open = problemsIn(matchingFindings.filter(isOpen));
  const otherProblems = problemsIn(matchingFindings.filter((finding) => !isOpen(finding)));
  return (
    <Section id="findings" title="Open findings" aside={count(openProblems(run).length, 'finding')}>
      {open.length === 0 && <Nothing>No finding is open.</Nothing>}
      <div class="cards">
        {open.map((problem) => (
          <Finding key={problem.first.id} {...problem} page={page} />
        ))}
      </div>
      {otherProblems.length > 0 && (
        <details class="others" data-print>
          <summary>{count(otherProblems.length, 'finding')} that do not fail a gate: warnings and waivers</summary>
          <div class="cards">
            {otherProblems.map((problem) => (
              <Finding key={problem.first.id} {...problem} page={page} />
            ))}
          </div>
        </details>
      )}
    </Section>
  );
}

type Problem = { readonly first: FindingDocument; readonly also: readonly FindingDocument[] };

/** Groups findings about the same code; in each group, the most severe finding comes first. */
function problemsIn(findings: readonly FindingDocument[]): readonly Problem[] {
  const shownIds = new Set<string>();
  return findings.flatMap((first) => {
    if (shownIds.has(first.id)) return [];
    const also = findings.filter(({ id }) => first.same_code?.includes(id) === true);
    for (const { id } of also) shownIds.add(id);
    return [{ first, also }];
  });
}

function Finding({ first: finding, also, page }: Problem & { readonly page: PageDocument }) {
  const { id, file, line, issue, fix, priority, state, gate, slot, since, why, answer, by } = finding;
  const code = page.code.find((candidate) => candidate.finding === id);
  const height = (finding.code ?? '').trim().split('\n').length;
  const at = code === undefined ? null : markedLine(finding, code);
  const tone = priority === 'critical' || priority === 'high' ? 'bad' : priority === 'medium' ? 'warn' : 'idle';
  return (
    <article class={`card finding ${tone}`} id={`finding-${id}`} data-item tabIndex={-1}>
      <div class="card-head">
        <h3>
          <a href={linkTo('finding', id)}>
            <Name>{[id, ...also.map((duplicate) => duplicate.id)].join(', ')}</Name>
          </a>{' '}
          {file !== null && (
            <code class="place">
              <Name>{file}</Name>
              {line !== null && `:${line}`}
            </code>
          )}
        </h3>
        <Pill tone={tone}>{priority}</Pill>
      </div>
      <Prose class="issue">{issue}</Prose>
      {code !== undefined && (
        <Code lines={code.lines} first={code.first_line} marked={at === null ? null : [at, at + height - 1]} />
      )}
      {code === undefined && finding.code !== null && (
        <Code lines={finding.code.split('\n')} first={line ?? 1} marked={null} />
      )}
      {fix !== null && (
        <>
          <h4>Suggested fix</h4>
          <Prose>{fix}</Prose>
        </>
      )}
      <p class="soft origin">
        {STATES[state]} since run {since}, reported by reviewer {slot} of{' '}
        <a href={linkTo('gate', gate)}>
          <Name>{gate}</Name>
        </a>
        {finding.mark !== null && `, ${MARKS[finding.mark] ?? 'its place is in doubt'}`}
      </p>
      {finding.contested === true && (
        <p class="answer">
          <b>Contested</b>: the reviewer closed it and reported it again several times. Waive it, or mark it as fixed so
          that the reviewer can close it.
        </p>
      )}
      {also.map((duplicate) => (
        <div key={duplicate.id} id={`finding-${duplicate.id}`}>
          <h4>
            Also <Name>{duplicate.id}</Name> {duplicate.priority}, reported by reviewer {duplicate.slot} of{' '}
            <Name>{duplicate.gate}</Name>
          </h4>
          <Prose>{duplicate.issue}</Prose>
          {duplicate.fix !== null && <Prose>{duplicate.fix}</Prose>}
        </div>
      ))}
      {answer !== null && (
        <p class="answer">
          <b>{ANSWERS[answer]}</b>
          {by !== null && (
            <>
              {' '}
              by {by.kind === 'agent' && (by.name === 'unknown' ? 'an agent' : 'the agent ')}
              {by.name !== 'unknown' && <Name>{by.name}</Name>}
            </>
          )}
          {why !== null && (
            <>
              : <Name>{why}</Name>
            </>
          )}
        </p>
      )}
      {isLive.value && <Actions finding={finding} />}
    </article>
  );
}

const MARKS: Readonly<Record<string, string>> = {
  'off-diff': 'outside of the change',
  'no-such-line': 'the line does not exist',
  'code-not-found': 'the quoted code was not found',
};

const ANSWERS = {
  fixed: 'Marked as fixed',
  skipped: 'Waived',
  refuted: 'Marked as fixed, but the reviewer disagreed',
  proposed: 'Waiver proposed',
} as const;

function markedLine({ code, line }: FindingDocument, excerpt: PageDocument['code'][number]): number | null {
  const quote = code?.trim().split('\n')[0]?.trim() ?? '';
  const at = quote === '' ? -1 : excerpt.lines.findIndex((text) => text.includes(quote));
  if (at !== -1) return excerpt.first_line + at;
  return line;
}

/** Shows the buttons with which a user answers a finding in the live view. */
function Actions({ finding }: { readonly finding: FindingDocument }) {
  const [isWaiving, setWaiving] = useState(false);
  const [why, setWhy] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async (how: 'fixed' | 'skipped' | 'confirmed', reason: string) => {
    setBusy(true);
    const isDone = await resolveFinding(finding.id, how, reason);
    setBusy(false);
    if (isDone) setWaiving(false);
  };
  const isPerson = session.value?.person === true;
  if (finding.state === 'waived') return null;
  return (
    <div class="actions">
      {finding.state === 'open' && (
        <button type="button" disabled={isBusy} onClick={() => send('fixed', '')}>
          Mark as fixed
        </button>
      )}
      {finding.answer === 'proposed' && isPerson && (
        <button type="button" disabled={isBusy} onClick={() => send('confirmed', '')}>
          Confirm the waiver
        </button>
      )}
      {!isWaiving && (
        <button type="button" class="quiet" onClick={() => setWaiving(true)}>
          {isPerson ? 'Waive…' : 'Propose a waiver…'}
        </button>
      )}
      {isWaiving && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send('skipped', why.trim());
          }}
        >
          <label>
            <span>
              Why is <Name>{finding.id}</Name> acceptable?
            </span>
            <input type="text" value={why} required onInput={(event) => setWhy(event.currentTarget.value)} />
          </label>
          <button type="submit" class="primary" disabled={isBusy || why.trim() === ''}>
            {isPerson ? 'Waive' : 'Propose'}
          </button>
          <button type="button" class="quiet" onClick={() => setWaiving(false)}>
            Cancel
          </button>
        </form>
      )}
    </div>
  );
}
