import { isRecord } from '@onceover/base/kernel/json';
import type { Fetch } from '@onceover/base/platform/proxy';
import { openEventReader } from './events.ts';
import { type RequestTrouble, retryAfter } from './judge-trouble.ts';
import { type Dialect, NO_STREAM, type StreamState, type WireObject } from './types.ts';
import { fieldText } from './wire-values.ts';

/** One request over HTTP. */
export type HttpRequest = {
  readonly fetch: Fetch;
  readonly dialect: Dialect;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: WireObject;
  readonly idleSeconds: number;
  /**
   * Aborts the request when its time is over or when the user stops the run. The signal's `reason` says which of the
   * two.
   */
  readonly signal: AbortSignal;
  begun(): void;
};

/**
 * The state of the answer when the request ended. If the answer was cut off, the provider still bills the part that it
 * sent.
 */
export type HttpEnd = { readonly state: StreamState; readonly trouble: RequestTrouble | null };

const LONGEST_ERROR_BYTES = 64 * 1024;

/**
 * Sends a request and reads its answer stream to the end. Never follows a redirect, which would send the API key to
 * another server.
 */
export async function sendRequest(request: HttpRequest): Promise<HttpEnd> {
  const silence = openSilence(request);
  let state = NO_STREAM;
  try {
    const response = await request.fetch(request.url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...request.headers },
      body: JSON.stringify(request.body),
      signal: silence.signal,
    });
    silence.heard();
    if (!response.ok) return { state, trouble: await statusTrouble(response) };
    const type = response.headers.get('content-type') ?? '';
    if (!/text\/event-stream/i.test(type)) return { state, trouble: await noStream(response, type) };
    const readEvents = openEventReader();
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      silence.heard();
      for (const event of readEvents(decoder.decode(chunk, { stream: true }))) {
        if (event.kind === 'broken') return { state, trouble: { kind: 'cut' } };
        if (event.kind === 'data') state = request.dialect.hear(state, event.data);
        if (state.begun) request.begun();
      }
    }
    const { error } = state;
    if (error !== null) return { state, trouble: { kind: 'in-stream', ...error } };
    return { state, trouble: state.done ? null : { kind: 'cut' } };
  } catch (error) {
    return { state, trouble: silence.trouble() ?? connectionTrouble(error, state) };
  } finally {
    silence.end();
  }
}

/** Aborts the request if the server sends nothing for too long, and remembers that this was the reason. */
function openSilence({ idleSeconds, signal }: Pick<HttpRequest, 'idleSeconds' | 'signal'>) {
  const silent = new AbortController();
  const wait = () => setTimeout(() => silent.abort(), idleSeconds * 1000);
  let timer = wait();
  return {
    signal: AbortSignal.any([silent.signal, signal]),
    heard() {
      clearTimeout(timer);
      timer = wait();
    },
    end: () => clearTimeout(timer),
    trouble(): RequestTrouble | null {
      if (signal.aborted) return isTrouble(signal.reason) ? signal.reason : { kind: 'cancelled' };
      return silent.signal.aborted ? { kind: 'idle', seconds: idleSeconds } : null;
    },
  };
}

function isTrouble(reason: unknown): reason is Extract<RequestTrouble, { kind: 'timeout' }> {
  return isRecord(reason) && reason['kind'] === 'timeout';
}

/** Returns the reason why a connection failed. If the answer had begun, the request may be billed. */
export function connectionTrouble(error: unknown, state: StreamState): RequestTrouble {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = cause instanceof Error ? cause.message : String(cause);
  if (state.begun || code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || /terminated/.test(message))
    return { kind: 'cut' };
  if (/redirect/i.test(message)) return { kind: 'not-a-stream', said: 'the server answered with a redirect' };
  return { kind: 'unreachable', said: `no connection: ${code || message}` };
}

/** Returns the error of an answer with an error status, with the message from its body. */
export async function statusTrouble(response: Response): Promise<RequestTrouble> {
  const retryAfterMs = retryAfter(response.headers.get('retry-after'), new Date());
  return { kind: 'status', status: response.status, said: await errorText(response), retryAfterMs };
}

/**
 * Returns the message in an error body: the message field of JSON, or else the beginning of the text without HTML tags.
 */
async function errorText(response: Response): Promise<string> {
  const text = await startOf(response);
  try {
    const value: unknown = JSON.parse(text);
    const error = isRecord(value) && isRecord(value['error']) ? value['error'] : value;
    const [type, message] = [fieldText(error, 'code') || fieldText(error, 'type'), fieldText(error, 'message')];
    if (message !== '') return type === '' ? message : `${type}: ${message}`;
  } catch {
    // The body is not JSON but, for example, the HTML page of a proxy. Use its text instead.
  }
  return text
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
}

async function noStream(response: Response, type: string): Promise<RequestTrouble> {
  const text = await startOf(response);
  if (text.trim() === '') return { kind: 'cut' };
  return { kind: 'not-a-stream', said: `the server did not send a stream of events, but ${type || 'another format'}` };
}

/** Returns the beginning of an answer body; an empty text if it cannot be read. */
async function startOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > LONGEST_ERROR_BYTES) break;
    }
  } catch {
    // If reading fails, the part that has arrived is enough for a message.
  }
  return Buffer.concat(chunks).toString('utf8').slice(0, LONGEST_ERROR_BYTES);
}
