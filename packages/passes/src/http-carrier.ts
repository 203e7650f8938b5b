import { createHash } from 'node:crypto';
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { CarrierTrouble, Failure } from '@onceover/base/kernel/failure';
import { isRecord } from '@onceover/base/kernel/json';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { decodeUtf8, parseJson } from '@onceover/base/platform/private-files';
import { distinctFiles, fileName, isPassKey, isStorable } from './stored-files.ts';
import { LARGEST_STATEMENT, type PassCarrier, type SignedFile, type StoredFile } from './types.ts';

/**
 * The maximum number of signed files that are stored under one key. They are numbered, and the number is part of the
 * address.
 */
const MOST_PER_KEY = 16;

/** The size limit of an answer: the largest pass file and signature in base64, and the JSON around them. */
const LARGEST_ANSWER = Math.ceil((LARGEST_STATEMENT * 4) / 3) + 32 * 1024;

const AT_ONCE = 8;

const LIMIT_MS = 10_000;

/** The token that an HTTP store requires; `null` if it requires none. */
type StoreAccess = { readonly token: string | null; readonly limitMs?: number };

/**
 * Shares signed passes and waivers through an HTTP store, with `GET` and `PUT` of `<address>/ac/<id>`. Nothing in the
 * store is ever replaced. Redirects are failures, so that the token is sent to this address only.
 */
export function openHttpCarrier(address: string, { token, limitMs = LIMIT_MS }: StoreAccess): Result<PassCarrier> {
  const base = storeAddress(address);
  const isToken = token === null || /^[\x21-\x7e]{1,4096}$/.test(token);
  if (base === null || !isToken) return err(trouble(shownAddress(address), 'bad-address', ''));
  const where = base.href.replace(/\/$/, '');
  const isTls = base.protocol === 'https:';
  const agent = isTls
    ? new HttpsAgent({ keepAlive: true, maxSockets: AT_ONCE })
    : new HttpAgent({ keepAlive: true, maxSockets: AT_ONCE });

  /** Sends a request. `signal` aborts it at the deadline that all requests of one call of `find` or `push` share. */
  function send(method: 'GET' | 'PUT', id: string, body: string | null, signal: AbortSignal): Promise<Answer> {
    const url = new URL(`${where}/ac/${id}`);
    const headers = {
      accept: 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === null ? {} : { 'content-type': 'application/json', 'if-none-match': '*' }),
      ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }),
    };
    return answerTo((onAnswer) => {
      const start = isTls ? httpsRequest : httpRequest;
      const request = start(url, { method, headers, agent, signal }, onAnswer);
      request.end(body ?? undefined);
      return request;
    });
  }

  /** Returns the signed file with this number; `null` if there is none, 'other' if the content is not a signed file. */
  async function get(key: string, number: number, signal: AbortSignal): Promise<Result<SignedFile | 'other' | null>> {
    const answer = await send('GET', idOf(key, number), null, signal);
    if (answer.kind === 'failed') return err(trouble(where, whyFailed(signal), answer.said));
    if (answer.status === 404 || answer.status === 410) return ok(null);
    if (answer.status !== 200) return err(statusTrouble(where, answer.status, 'unreachable'));
    return ok(answer.body === null ? 'other' : (fileIn(key, answer.body) ?? 'other'));
  }

  /** Stores a signed file under the first free number. Returns false if the file was already stored. */
  async function put({ key, file }: StoredFile, signal: AbortSignal): Promise<Result<boolean>> {
    const body = bodyOf(file);
    for (let number = 0; number < MOST_PER_KEY; number++) {
      const there = await get(key, number, signal);
      if (!there.ok) return there;
      if (isSame(there.value, file)) return ok(false);
      if (there.value !== null) continue;
      const answer = await send('PUT', idOf(key, number), body, signal);
      if (answer.kind === 'failed') return err(trouble(where, whyFailed(signal), answer.said));
      if (answer.status >= 200 && answer.status < 300) return ok(true);
      // Status 409 or 412 means that another clone has just used this number, perhaps for the same file.
      if (answer.status !== 409 && answer.status !== 412) return err(statusTrouble(where, answer.status, 'refused'));
      const winner = await get(key, number, signal);
      if (!winner.ok) return winner;
      if (isSame(winner.value, file)) return ok(false);
    }
    // All numbers of this key are in use. Other clones have enough signed files about the same content, so do not store
    // this one.
    return ok(false);
  }

  async function filesOf(key: string, signal: AbortSignal): Promise<Result<readonly SignedFile[]>> {
    const files = new Map<string, SignedFile>();
    for (let number = 0; number < MOST_PER_KEY; number++) {
      const file = await get(key, number, signal);
      if (!file.ok) return file;
      if (file.value === null) break;
      if (file.value !== 'other') files.set(fileName(file.value), file.value);
    }
    return ok([...files.values()]);
  }

  const cannotList = () => Promise.resolve(err(trouble(where, 'cannot-list', '')));
  return ok({
    name: where,
    isFresh: () => false,
    // Files are requested per key when they are needed, so there is nothing to fetch in advance.
    fetch: async (stop) => (stop?.aborted === true ? err(trouble(where, 'stopped', '')) : ok(false)),
    find: (keys, stop = null) =>
      withDeadline(limitMs, stop, async (signal) => {
        const passKeys = [...new Set(keys)].filter(isPassKey);
        const lists = await severalAtOnce(passKeys, (key) => filesOf(key, signal));
        if (!lists.ok) return lists;
        const pairs = passKeys.map((key, at) => [key, lists.value[at] ?? []] as const);
        return ok(new Map(pairs.filter(([, files]) => files.length > 0)));
      }),
    all: cannotList,
    push: (files, stop) =>
      withDeadline(limitMs, stop, async (signal) => {
        const storableFiles = distinctFiles(files.filter(isStorable));
        const results = await severalAtOnce(storableFiles, (file) => put(file, signal));
        return results.ok ? ok({ added: results.value.filter(Boolean).length }) : results;
      }),
    prune: cannotList,
  });
}

/**
 * Returns the parsed address of a store; `null` if the address must not receive a token, for example because it is not
 * encrypted.
 */
function storeAddress(text: string): URL | null {
  if (text.length > 2000 || !/^https?:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null;
  const isLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || isLoopback ? url : null;
}

// The address may contain a password, which must not be shown.
function shownAddress(address: string): string {
  return address.slice(0, 200).replace(/\/\/[^/]*@/, '//…@');
}

function trouble(where: string, why: CarrierTrouble, message: string): Failure {
  return { kind: 'passes-carrier', where, why, said: message };
}

function statusTrouble(where: string, status: number, otherwise: CarrierTrouble): Failure {
  const isRefusal = status === 401 || status === 403;
  const words = status >= 300 && status < 400 ? ' (onceover does not follow redirects)' : '';
  return trouble(where, isRefusal ? 'refused' : otherwise, `HTTP status ${status}${words}`);
}

function whyFailed(signal: AbortSignal): CarrierTrouble {
  if (!signal.aborted) return 'unreachable';
  return signal.reason === TOO_LATE ? 'timeout' : 'stopped';
}

function idOf(key: string, number: number): string {
  return createHash('sha256').update(`${key}:${number}`).digest('hex');
}

function bodyOf({ statement, signature }: SignedFile): string {
  return JSON.stringify({ statement: Buffer.from(statement).toString('base64'), signature });
}

function fileIn(key: string, body: Buffer): SignedFile | null {
  const value = parseJson(decodeUtf8(body)?.text ?? '');
  if (!isRecord(value)) return null;
  const { statement, signature } = value;
  if (typeof statement !== 'string' || typeof signature !== 'string') return null;
  const file = { statement: Buffer.from(statement, 'base64'), signature };
  return isStorable({ key, file }) && file.statement.length > 0 ? file : null;
}

function isSame(storedFile: SignedFile | 'other' | null, file: SignedFile): boolean {
  return storedFile !== null && storedFile !== 'other' && fileName(storedFile) === fileName(file);
}

/** The answer to a request. `body` is `null` if it was longer than `LARGEST_ANSWER`. */
type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: Buffer | null }
  | { readonly kind: 'failed'; readonly said: string };

function answerTo(start: (onAnswer: (response: IncomingMessage) => void) => ClientRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const onError = (error: Error & { code?: string }) =>
      resolve({ kind: 'failed', said: error.name === 'AbortError' ? '' : (error.code ?? error.message) });
    const request = start((response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const status = response.statusCode ?? 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length <= LARGEST_ANSWER) return void chunks.push(chunk);
        resolve({ kind: 'answered', status, body: null });
        request.destroy();
      });
      response.on('end', () => resolve({ kind: 'answered', status, body: Buffer.concat(chunks) }));
      response.on('error', onError);
      // The connection may close before the whole answer has arrived.
      response.on('close', () => resolve({ kind: 'failed', said: 'the answer was cut off' }));
    });
    request.on('error', onError);
  });
}

const TOO_LATE = 'too late';

async function withDeadline<T>(
  limitMs: number,
  stop: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<Result<T>>,
): Promise<Result<T>> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(TOO_LATE), limitMs);
  const onStop = () => end.abort('stopped');
  if (stop?.aborted === true) onStop();
  stop?.addEventListener('abort', onStop, { once: true });
  try {
    return await work(end.signal);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', onStop);
  }
}

/**
 * Calls `work` for all items, a few at a time, and returns the results in order. After a failure, no further call
 * starts.
 */
async function severalAtOnce<T, V>(
  items: readonly T[],
  work: (item: T) => Promise<Result<V>>,
): Promise<Result<readonly V[]>> {
  const values: V[] = [];
  let failure: Failure | null = null;
  const queue = items.entries();
  const worker = async () => {
    for (const [at, item] of queue) {
      if (failure !== null) return;
      const result = await work(item);
      if (result.ok) values[at] = result.value;
      else failure ??= result.failure;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return failure === null ? ok(values) : err(failure);
}
