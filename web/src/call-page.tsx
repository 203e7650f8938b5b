import { useEffect, useState } from 'preact/hooks';
import { readTranscript } from './live.ts';
import { Empty, LongText, Name, Pill, Section } from './parts.tsx';
import { isLive, linkTo, matches, type PageDocument, page, type TranscriptDocument } from './state.ts';
import { count, describeUsage, TONES, when } from './words.ts';

/** A list of the transcripts, each with a link to its own view. */
export function Transcripts({ page: shown }: { readonly page: PageDocument }) {
  const cells = shown.timelines.flatMap(({ gate, runs }) =>
    runs.flatMap(({ iteration, at, cells: own }) =>
      own.flatMap((cell) => (cell.transcript === null ? [] : [{ ...cell, gate, iteration, at, id: cell.transcript }])),
    ),
  );
  const known = new Set(shown.transcripts.map(({ id }) => id));
  const found = cells
    .filter(({ id, agent, status }) => (isLive.value || known.has(id)) && matches(id, agent, status))
    .sort((a, b) => b.at.localeCompare(a.at));
  return (
    <Section
      id="transcripts"
      title="Transcripts"
      aside={<span class="aside">{count(found.length, 'transcript')}</span>}
    >
      {found.length === 0 && <Empty>There is no transcript of this change.</Empty>}
      <ul class="transcripts">
        {found.slice(0, MOST_SHOWN).map(({ id, gate, slot, iteration, agent, status, at }) => (
          <li key={id} data-item tabIndex={-1}>
            <a href={linkTo('call', id)}>
              <Name>{gate}</Name>
            </a>
            <span class="soft">
              {slot === null ? 'check' : `reviewer ${slot}`}
              {agent !== null && (
                <>
                  {' '}
                  (<Name>{agent}</Name>)
                </>
              )}
              , run {iteration}, {when(at)}
            </span>
            <Pill tone={TONES[status]}>{status}</Pill>
          </li>
        ))}
      </ul>
      {found.length > MOST_SHOWN && (
        <p class="soft">{count(found.length - MOST_SHOWN, 'older transcript')} not shown.</p>
      )}
    </Section>
  );
}

const MOST_SHOWN = 100;

/** One transcript: the prompt as sent, the files that were opened, the answer, and the tokens of each call. */
export function CallPage({ id }: { readonly id: string }) {
  const [state, setState] = useState<TranscriptDocument | 'loading' | 'missing'>('loading');
  const data = page.value;
  useEffect(() => {
    let isCurrent = true;
    const own = data?.transcripts.find((one) => one.id === id);
    if (own !== undefined || !isLive.value) setState(own ?? 'missing');
    else void readTranscript(id).then((read) => isCurrent && setState(read ?? 'missing'));
    return () => {
      isCurrent = false;
    };
  }, [id, data]);
  return (
    <main id="main" class="view">
      <p>
        <a href="#/section/transcripts">← Back to the report</a>
      </p>
      {state === 'loading' && <p class="empty">Loading the transcript…</p>}
      {state === 'missing' && (
        <>
          <h1>No such transcript</h1>
          <Empty>The records of this review are archived or were not kept.</Empty>
        </>
      )}
      {typeof state === 'object' && <Transcript transcript={state} />}
    </main>
  );
}

function Transcript({ transcript }: { readonly transcript: TranscriptDocument }) {
  const { gate, slot, iteration, agent, status, at, head, calls, result, cut } = transcript;
  const tone = status in TONES ? TONES[status as keyof typeof TONES] : 'idle';
  return (
    <>
      <h1 class="view-title">
        <Name>{gate}</Name>
      </h1>
      <p class="meta">
        <Pill tone={tone}>
          <Name>{status}</Name>
        </Pill>
        <span>{slot === null ? 'check' : `reviewer ${slot}`}</span>
        {agent !== null && (
          <span>
            <Name>{agent}</Name>
          </span>
        )}
        <span>run {iteration}</span>
        <span>{when(at)}</span>
      </p>
      {head.slice(1).map((line) => (
        <p class="soft" key={line}>
          <Name>{line}</Name>
        </p>
      ))}
      {cut && <p class="warning">The log is very long. Its end is not shown.</p>}
      {calls.map((call, n) => (
        <section key={n} class="call" aria-label={`Call ${n + 1}`}>
          <header class="section-head">
            <h2>
              {calls.length > 1 ? `Call ${n + 1}: ` : ''}
              {MODES[call.mode] ?? 'Call'}
            </h2>
            <span class="aside">{describeUsage(call.usage)}</span>
          </header>
          <h3 class="plain">Sent</h3>
          {call.stable !== '' && (
            <details>
              <summary>Stable part of the prompt, {count(call.stable.length, 'character')}</summary>
              <LongText>{call.stable}</LongText>
            </details>
          )}
          <LongText>{call.dynamic}</LongText>
          {call.files_read !== null && (
            <>
              <h3 class="plain">Files opened</h3>
              {call.files_read.length === 0 ? (
                <Empty>The agent opened no file.</Empty>
              ) : (
                <ul class="files">
                  {call.files_read.map((file) => (
                    <li key={file}>
                      <code>
                        <Name>{file}</Name>
                      </code>
                    </li>
                  ))}
                </ul>
              )}
            </>
          )}
          <h3 class="plain">Answer</h3>
          <LongText>{call.said}</LongText>
          {call.notes.map((note) => (
            <p class="warning" key={note}>
              <Name>{note}</Name>
            </p>
          ))}
        </section>
      ))}
      <h2>{slot === null ? 'Output' : 'Result'}</h2>
      <LongText>{result.join('\n')}</LongText>
    </>
  );
}

const MODES: Readonly<Record<string, string>> = {
  fresh: 'New session',
  resumed: 'Resumed session',
  repair: 'Asked to answer again',
};
