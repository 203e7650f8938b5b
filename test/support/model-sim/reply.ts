import type { Answer, Pace, Said, Trouble } from './script.ts';
import { contentOf } from './wire/content.ts';
import type { Rejection, Wire, WireAnswer, WireError } from './wire/wire.ts';

/** The server's action for a request. */
export type Reply =
  | { readonly kind: 'hang' }
  | {
      readonly kind: 'send';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly chunks: readonly string[];
      readonly pace: Pace;
      /** Whether the connection ends normally or is cut. */
      readonly end: 'close' | 'cut';
    };

const JSON_TYPE = { 'content-type': 'application/json' };
const STREAM_TYPE = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
const HTML_PAGE = '<!doctype html><html><body>Sign in to the network</body></html>';

/** Whether an answer makes the model run, so that it is billed and fills the cache. */
export function isGenerated(answer: Answer): answer is Said | Extract<Trouble, { kind: 'cut' }> {
  return answer.kind === 'text' || answer.kind === 'tools' || answer.kind === 'structured' || answer.kind === 'cut';
}

/** The answer in pieces, independent of a provider; a cut answer is a text without its end. */
export function contentSaid(answer: Said | Extract<Trouble, { kind: 'cut' }>, tools: readonly string[]) {
  return contentOf(answer.kind === 'cut' ? { kind: 'text', text: answer.text } : answer, tools);
}

/** Returns the reply with a finished answer. */
export function answerReply(made: WireAnswer, answer: Answer, stream: boolean): Reply {
  const chunks = stream ? made.events : [JSON.stringify(made.whole)];
  const headers = stream ? STREAM_TYPE : JSON_TYPE;
  if (answer.kind === 'cut') {
    return { kind: 'send', status: 200, headers, chunks: firstHalf(chunks), pace: {}, end: 'cut' };
  }
  return { kind: 'send', status: 200, headers, chunks, pace: paceOf(answer), end: 'close' };
}

/** Returns the reply to a request that the model never sees. */
export function troubleReply(wire: Wire, trouble: Exclude<Trouble, { kind: 'cut' }>, id: string): Reply {
  switch (trouble.kind) {
    case 'hang':
      return { kind: 'hang' };
    case 'error': {
      const { message = `Simulated error ${trouble.status}.`, headers = {}, ...rest } = trouble;
      return errorReply(wire, { ...rest, message }, id, headers);
    }
    case 'garbage':
      return garbageReply(trouble.body);
  }
}

/** Returns the reply of a provider that rejects a request. */
export function errorReply(
  wire: Wire,
  error: Rejection | WireError,
  id: string,
  more: Readonly<Record<string, string>> = {},
): Reply {
  const { headers, body } = wire.error(error, id);
  return jsonReply(body, error.status, { ...headers, ...more });
}

/** Returns a whole JSON document as the reply. */
export function jsonReply(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  const chunks = [JSON.stringify(body)];
  return { kind: 'send', status, headers: { ...JSON_TYPE, ...headers }, chunks, pace: {}, end: 'close' };
}

function garbageReply(body: Extract<Trouble, { kind: 'garbage' }>['body']): Reply {
  const send = (headers: Readonly<Record<string, string>>, chunks: readonly string[]): Reply => ({
    kind: 'send',
    status: 200,
    headers,
    chunks,
    pace: {},
    end: 'close',
  });
  switch (body) {
    case 'html':
      return send({ 'content-type': 'text/html' }, [HTML_PAGE]);
    case 'truncated-json':
      return send(JSON_TYPE, ['{"id": "simulated", "type": "mess']);
    case 'truncated-event':
      return send(STREAM_TYPE, ['event: message_start\ndata: {"type":"message_st\n\n']);
    case 'empty':
      return send(JSON_TYPE, []);
  }
}

function firstHalf(chunks: readonly string[]): readonly string[] {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return [only.slice(0, Math.ceil(only.length / 2))];
  return chunks.slice(0, Math.ceil(chunks.length / 2));
}

function paceOf(answer: Answer): Pace {
  return 'delayMs' in answer || 'betweenEventsMs' in answer ? answer : {};
}
