import { isRecord } from '@onceover/base/kernel/json';
import type { RequestTrouble } from './judge-trouble.ts';
import { connectionTrouble, type HttpEnd, type HttpRequest, statusTrouble } from './send-request.ts';
import { NO_STREAM, type WireObject } from './types.ts';
import { fieldObject, fieldText } from './wire-values.ts';

/**
 * A request for the provider's batch API. Such a request costs half as much as an ordinary one, but the answer may come
 * much later.
 */
export type BatchRequest = HttpRequest & {
  readonly baseUrl: string;
  readonly kind: 'anthropic' | 'responses' | 'chat';
  wait(ms: number, signal: AbortSignal): Promise<unknown>;
  watch(doing: string): void;
};

const BATCH_LIMITS = {
  firstPollMs: 1000,
  longestPollMs: 60_000,
  /** How many times in a row a request for the state of a batch may fail. */
  failedPolls: 5,
  resultBytes: 64 * 1024 * 1024,
  /** The time limit of one request about a batch, such as the request to cancel the batch. */
  stepMs: 30_000,
} as const;

const CUSTOM_ID = 'review';

/** The state of a batch: still running, or ended. `result` is the path of the result; `null` if the batch has none. */
type BatchState =
  | { readonly ended: false }
  | { readonly ended: true; readonly result: string | null; readonly said: string };

/** How a provider handles batches. Ids from the provider are checked before they become part of a path. */
type BatchApi = {
  /**
   * Creates a batch and returns its path. Calls `onFileCreated` with the path of every file that must be deleted later.
   */
  start(call: Caller, body: WireObject, onFileCreated: (path: string) => void): Promise<string>;
  judge(batch: WireObject, path: string): BatchState;
  /** Returns the answer in one line of the batch's result, or the error that the line reports. */
  read(line: WireObject): { readonly answer: WireObject } | { readonly trouble: RequestTrouble };
};

type Caller = {
  json(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object | FormData): Promise<WireObject>;
  text(path: string): Promise<string>;
};

/**
 * Sends a request as a batch with a single request, and polls until the batch has ended. Cancels the batch if the call
 * is stopped or its time is over.
 */
export async function sendBatch(request: BatchRequest): Promise<HttpEnd> {
  const { signal, dialect, body, kind } = request;
  const api = kind === 'anthropic' ? messageBatches : openaiBatches(kind);
  const call = openCaller(request, signal);
  const createdFiles: string[] = [];
  let path: string | null = null;
  let isEnded = false;
  try {
    path = await api.start(call, body, (file) => createdFiles.push(file));
    request.begun();
    const state = await poll(request, { api, call, path });
    isEnded = true;
    if (state.result === null) return failWith(inBatchTrouble('batch', state.said));
    if (kind !== 'anthropic') createdFiles.push(state.result.replace(/\/content$/, ''));
    const outcome = api.read(ownLine(await call.text(state.result)));
    if ('trouble' in outcome) return failWith(outcome.trouble);
    const answerState = dialect.whole(outcome.answer);
    const { error } = answerState;
    return { state: answerState, trouble: error === null ? null : { kind: 'in-stream', ...error } };
  } catch (error) {
    if (signal.aborted) return failWith(isRecord(signal.reason) ? timeoutOf(signal.reason) : { kind: 'cancelled' });
    if (!(error instanceof BatchTrouble)) throw error;
    // Creating a second batch could cost twice. So retry only if the batch was certainly not created.
    const isUnsure = error.trouble.kind === 'cut';
    return failWith(isUnsure ? inBatchTrouble('connection', 'the connection broke') : error.trouble);
  } finally {
    await cleanUp(request, { cancels: path !== null && !isEnded ? path : null, made: createdFiles });
  }
}

function failWith(trouble: RequestTrouble): HttpEnd {
  return { state: NO_STREAM, trouble };
}

function inBatchTrouble(type: string, message: string): RequestTrouble {
  return { kind: 'in-stream', type, said: message };
}

function timeoutOf({ kind, seconds }: Record<string, unknown>): RequestTrouble {
  return kind === 'timeout' && typeof seconds === 'number' ? { kind, seconds } : { kind: 'cancelled' };
}

class BatchTrouble extends Error {
  readonly trouble: RequestTrouble;
  constructor(trouble: RequestTrouble) {
    super(trouble.kind);
    this.trouble = trouble;
  }
}

type Started = { readonly api: BatchApi; readonly call: Caller; readonly path: string };

async function poll(
  { wait, watch, signal }: BatchRequest,
  { api, call, path }: Started,
): Promise<Extract<BatchState, { ended: true }>> {
  let failures = 0;
  for (let ms: number = BATCH_LIMITS.firstPollMs; ; ms = Math.min(ms * 1.5, BATCH_LIMITS.longestPollMs)) {
    watch('waiting for the batch');
    await wait(ms, signal);
    signal.throwIfAborted();
    try {
      const state = api.judge(await call.json('GET', path), path);
      if (state.ended) return state;
      failures = 0;
    } catch (error) {
      failures += 1;
      const isPassing = error instanceof BatchTrouble && failures < BATCH_LIMITS.failedPolls && !isFinal(error.trouble);
      if (!isPassing) throw error;
    }
  }
}

// If the provider refuses the request itself, asking for the state again is useless. All other problems may be
// temporary.
function isFinal(trouble: RequestTrouble): boolean {
  return trouble.kind === 'status' && [400, 401, 403, 404].includes(trouble.status);
}

/** Cancels a batch that is still running. Deletes the batch's files, because they contain the reviewed code. */
async function cleanUp(
  request: BatchRequest,
  { cancels, made }: { readonly cancels: string | null; readonly made: readonly string[] },
): Promise<void> {
  // The review's own signal may already be aborted, which would also abort the requests below. So these requests get no
  // signal, only a time limit.
  const call = openCaller(request, null);
  // Ignore failures of these requests: the review does not need their answers, and the provider ends and deletes
  // batches by itself.
  if (cancels !== null) await call.json('POST', `${cancels}/cancel`).catch(() => {});
  for (const file of made) await call.json('DELETE', file).catch(() => {});
}

function openCaller({ baseUrl, headers, fetch }: BatchRequest, stop: AbortSignal | null): Caller {
  return {
    async json(method, path, body) {
      const text = await send(method, path, body);
      try {
        const value: unknown = JSON.parse(text);
        if (isRecord(value)) return value;
      } catch {
        // Invalid JSON is reported by the error that follows.
      }
      throw new BatchTrouble({ kind: 'not-a-stream', said: 'the server did not send JSON' });
    },
    text: (path) => send('GET', path),
  };

  async function send(method: string, path: string, body?: object | FormData): Promise<string> {
    const late = AbortSignal.timeout(BATCH_LIMITS.stepMs);
    const isForm = body instanceof FormData;
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        ...{ method, redirect: 'error' },
        headers: { ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        signal: stop === null ? late : AbortSignal.any([late, stop]),
      });
      if (!response.ok) throw new BatchTrouble(await statusTrouble(response));
      return await wholeText(response);
    } catch (error) {
      if (error instanceof BatchTrouble) throw error;
      throw new BatchTrouble(late.aborted ? { kind: 'cut' } : connectionTrouble(error, NO_STREAM));
    }
  }
}

async function wholeText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > BATCH_LIMITS.resultBytes) {
      throw new BatchTrouble({ kind: 'not-a-stream', said: 'the result of the batch is too long' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns the line of the result that answers our request. */
function ownLine(text: string): WireObject {
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    try {
      const value: unknown = JSON.parse(line);
      if (isRecord(value) && value['custom_id'] === CUSTOM_ID) return value;
    } catch {
      // Skip a line that cannot be parsed: it is not the answer.
    }
  }
  throw new BatchTrouble({ kind: 'not-a-stream', said: 'the result of the batch has no answer' });
}

/** Returns an id that the provider sent. Throws if it contains characters that are not safe in a path. */
function idOf(value: WireObject, key = 'id'): string {
  const id = fieldText(value, key);
  if (/^[\w-]{1,200}$/.test(id)) return id;
  throw new BatchTrouble({ kind: 'not-a-stream', said: `the server sent no usable ${key}` });
}

const ANTHROPIC_PATH = '/v1/messages/batches';

/**
 * Calls Anthropic's Message Batches API. The path of the result is built here, so that an address in the server's
 * answer is never followed.
 */
const messageBatches: BatchApi = {
  async start(call, body) {
    const batch = await call.json('POST', ANTHROPIC_PATH, { requests: [{ custom_id: CUSTOM_ID, params: body }] });
    return `${ANTHROPIC_PATH}/${idOf(batch)}`;
  },
  judge(batch, path) {
    if (fieldText(batch, 'processing_status') !== 'ended') return { ended: false };
    return { ended: true, result: `${path}/results`, said: '' };
  },
  read(line) {
    const result = fieldObject(line, 'result');
    const type = fieldText(result, 'type');
    if (type === 'succeeded') return { answer: fieldObject(result, 'message') };
    if (type !== 'errored')
      return { trouble: inBatchTrouble('batch', `the request in the batch is ${type || 'lost'}`) };
    const outer = fieldObject(result, 'error');
    const error = isRecord(outer['error']) ? outer['error'] : outer;
    return { trouble: inBatchTrouble(fieldText(error, 'type') || 'error', fieldText(error, 'message')) };
  },
};

const OPENAI_ENDED = ['completed', 'failed', 'expired', 'cancelled'];

/** Calls OpenAI's Batch API, which takes an uploaded file of requests and returns a file of answers. */
function openaiBatches(kind: 'responses' | 'chat'): BatchApi {
  const url = kind === 'responses' ? '/v1/responses' : '/v1/chat/completions';
  return {
    async start(call, body, onFileCreated) {
      const form = new FormData();
      const line = JSON.stringify({ custom_id: CUSTOM_ID, method: 'POST', url, body });
      form.set('purpose', 'batch');
      form.set('file', new Blob([`${line}\n`], { type: 'application/jsonl' }), 'review.jsonl');
      const input = idOf(await call.json('POST', '/files', form));
      onFileCreated(`/files/${input}`);
      const batchRequest = { input_file_id: input, endpoint: url, completion_window: '24h' };
      return `/batches/${idOf(await call.json('POST', '/batches', batchRequest))}`;
    },
    judge(batch) {
      const status = fieldText(batch, 'status');
      if (!OPENAI_ENDED.includes(status)) return { ended: false };
      const key = ['output_file_id', 'error_file_id'].find((field) => fieldText(batch, field) !== '');
      const message = `the batch is ${status}`;
      return { ended: true, result: key === undefined ? null : `/files/${idOf(batch, key)}/content`, said: message };
    },
    read(line) {
      const response = fieldObject(line, 'response');
      const answer = fieldObject(response, 'body');
      if (response['status_code'] === 200) return { answer };
      const error = isRecord(line['error']) ? line['error'] : fieldObject(answer, 'error');
      return {
        trouble: inBatchTrouble(fieldText(error, 'code') || fieldText(error, 'type'), fieldText(error, 'message')),
      };
    },
  };
}
