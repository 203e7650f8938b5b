import { useEffect, useState } from 'preact/hooks';
import { readTranscript } from './live.ts';
import { DataTable, Empty, LongText, Name, Nothing, Pill, Section } from './parts.tsx';
import { isLive, linkTo, matches, type PageDocument, page, type TranscriptDocument } from './state.ts';
import { count, describeUsage, STATUS_WORDS, TONES, type Tone, tokens, when } from './words.ts';

/** Shows a list of all transcripts, each with a link to its own view. */
export function Transcripts({ page: pageDocument }: { readonly page: PageDocument }) {
  const logs = pageDocument.logs.filter(({ id, gate, agent, status }) => matches(id, gate, agent, status));
  return (
    <Section id="transcripts" title="Transcripts" aside={count(logs.length, 'transcript')}>
      {logs.length === 0 && (
        <Nothing>
          {pageDocument.phase === null ? 'There is no transcript of this change.' : 'The phase has no transcript.'}
        </Nothing>
      )}
      <ul class="transcripts">
        {logs.slice(0, MOST_SHOWN).map((log) => (
          <li key={log.id} data-item tabIndex={-1}>
            <Pill tone={toneOfStatus(log.status)}>
              <Name>{STATUS_WORDS[log.status] ?? log.status}</Name>
            </Pill>
            <a href={linkTo('call', log.id)}>
              <Name>{log.gate}</Name>
            </a>
            <span class="soft">
              {log.agent !== null && (
                <>
                  <Name>{log.agent}</Name>,{' '}
                </>
              )}
              {describePlace(log)}
            </span>
            <span class="soft at">{when(log.at)}</span>
          </li>
        ))}
      </ul>
      {logs.length > MOST_SHOWN && <p class="soft">{count(logs.length - MOST_SHOWN, 'older transcript')} not shown.</p>}
    </Section>
  );
}

const MOST_SHOWN = 100;

type Listed = PageDocument['logs'][number];

/** Describes where a transcript comes from: which reviewer and run, or which round of a phase. */
function describePlace({ kind, slot, iteration }: Listed): string {
  if (kind === 'phase') return iteration === 0 ? 'before the first round' : `round ${iteration}`;
  if (kind === 'fix') return `after run ${iteration}`;
  return `${kind === 'check' ? 'check' : `reviewer ${slot}`}, run ${iteration}`;
}

function toneOfStatus(status: string): Tone {
  return status in TONES ? TONES[status as keyof typeof TONES] : 'idle';
}

/** Shows one transcript: the prompt as sent, the opened files, the answer, and the tokens of each call. */
export function CallPage({ id }: { readonly id: string }) {
  const [state, setState] = useState<TranscriptDocument | 'loading' | 'missing'>('loading');
  const data = page.value;
  useEffect(() => {
    let isCurrent = true;
    const transcript = data?.transcripts.find((candidate) => candidate.id === id);
    if (transcript !== undefined || !isLive.value) setState(transcript ?? 'missing');
    else void readTranscript(id).then((answer) => isCurrent && setState(answer ?? 'missing'));
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
          <h1 class="view-title">No such transcript</h1>
          <Empty>The records of this call were not kept.</Empty>
        </>
      )}
      {typeof state === 'object' && <Transcript transcript={state} />}
    </main>
  );
}

function Transcript({ transcript }: { readonly transcript: TranscriptDocument }) {
  const { kind, gate, agent, status, at, head, calls, result, cut } = transcript;
  return (
    <>
      <h1 class="view-title">
        <Name>{gate}</Name>
      </h1>
      <p class="meta">
        <Pill tone={toneOfStatus(status)}>
          <Name>{STATUS_WORDS[status] ?? status}</Name>
        </Pill>
        <span>{describePlace(transcript)}</span>
        {agent !== null && (
          <span>
            <Name>{agent}</Name>
          </span>
        )}
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
          {call.turns.length > 0 && (
            <>
              <h3 class="plain">Tokens of each request</h3>
              <DataTable
                label="Tokens of each request"
                head={['Request', 'Action', '>New input', '>From the cache', '>Output']}
                rows={call.turns.map(({ did, usage }, turn) => [
                  turn + 1,
                  <Name>{did}</Name>,
                  usage === null ? '–' : tokens(usage.input_tokens + usage.cache_write_tokens),
                  usage === null ? '–' : tokens(usage.cached_input_tokens),
                  usage === null ? '–' : tokens(usage.output_tokens),
                ])}
              />
            </>
          )}
          <h3 class="plain">Answer</h3>
          <LongText>{formatJson(call.said)}</LongText>
          {call.notes.map((note) => (
            <p class="warning" key={note}>
              <Name>{note}</Name>
            </p>
          ))}
        </section>
      ))}
      {result.length > 0 && (
        <>
          <h2>{kind === 'check' ? 'Output' : 'Result'}</h2>
          <LongText>{result.join('\n')}</LongText>
        </>
      )}
    </>
  );
}

const LONGEST_JSON = 200_000;

/** Returns a JSON answer formatted with one line per field; any other answer unchanged. */
function formatJson(answer: string): string {
  if (answer.length > LONGEST_JSON || !/^\s*[{[]/.test(answer)) return answer;
  try {
    return JSON.stringify(JSON.parse(answer), null, 2);
  } catch {
    return answer;
  }
}

const MODES: Readonly<Record<string, string>> = {
  fresh: 'New session',
  resumed: 'Resumed session',
  repair: 'Asked to answer again',
};
