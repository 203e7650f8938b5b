import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { err, ok, type Result } from '../kernel/result.ts';
import type { WriteEnd } from './types.ts';

/** The answer of a forge to one request. `body` is not validated yet; it is null if the answer has none. */
export type ForgeAnswer = { readonly status: number; readonly body: unknown; readonly headers: Headers };

export type ForgeRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly body?: object;
  /**
   * Whether the request can be sent twice without harm. If the answer to a write was lost, the forge may still have
   * performed the write.
   */
  readonly isRepeatable?: boolean;
};

export type SendRequest = (request: ForgeRequest) => Promise<Result<ForgeAnswer>>;

const MOST_TRIES = 5;
const MOST_MILLISECONDS = 30_000;
/**
 * The longest wait that a forge may ask for. If it asks for more, the publication ends with an error and can be
 * repeated later.
 */
const LONGEST_WAIT_SECONDS = 90;
const MOST_BYTES = 20_000_000;

/**
 * Returns a function that sends requests. It waits and sends the request again if the forge is overloaded or limits
 * requests.
 */
export function requestSender(
  forge: string,
  headers: Readonly<Record<string, string>>,
  wait: (milliseconds: number) => Promise<unknown> = sleep,
): SendRequest {
  return async (request) => {
    const isRepeatable = request.isRepeatable ?? request.method === 'GET';
    let said = '';
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const answer = await send(request, headers);
      if (typeof answer !== 'string') {
        const seconds = secondsToWait(answer, isRepeatable, tries);
        if (seconds === null) return ok(answer);
        said = `${answer.status}, and asked to wait for ${seconds} seconds`;
        if (seconds > LONGEST_WAIT_SECONDS) break;
        await wait(seconds * 1000);
      } else {
        said = answer;
        if (!isRepeatable) break;
        await wait(500 * 2 ** tries);
      }
    }
    return err({ kind: 'forge-failed', forge, said });
  };
}

async function send(
  { method, url, body }: ForgeRequest,
  headers: Readonly<Record<string, string>>,
): Promise<ForgeAnswer | string> {
  try {
    const answer = await fetch(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Do not follow redirects: a redirect could send the token to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(MOST_MILLISECONDS),
    });
    const text = await answer.text();
    if (text.length > MOST_BYTES) return 'an answer that is too long';
    return { status: answer.status, body: parsed(text), headers: answer.headers };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return `${error instanceof Error ? error.message : String(error)}${cause}`;
  }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text.slice(0, 500);
  }
}

/** Returns how many seconds to wait before sending the request again; null to accept the answer as it is. */
function secondsToWait({ status, headers }: ForgeAnswer, isRepeatable: boolean, tries: number): number | null {
  const asked = Number(headers.get('retry-after') ?? Number.NaN);
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
  const isLimited = status === 429 || (status === 403 && (!Number.isNaN(asked) || isUsedUp(headers)));
  if (isLimited) {
    if (!Number.isNaN(asked)) return Math.max(0, asked);
    return Number.isNaN(reset) ? 2 ** tries : Math.max(1, Math.ceil(reset - Date.now() / 1000));
  }
  if (status < 500 || !isRepeatable) return null;
  return tries === MOST_TRIES ? null : 2 ** (tries - 1);
}

function isUsedUp(headers: Headers): boolean {
  return headers.get('x-ratelimit-remaining') === '0';
}

/** Returns a forge's error answer as one line of text. */
export function errorText(body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
  return text.replace(/\s+/g, ' ').slice(0, 300);
}

/**
 * Returns the functions that read a forge's answers. `rejecting` lists the HTTP status codes that mean invalid content.
 */
export function forgeAnswers(forge: string, rejecting: readonly number[]) {
  const failed = (said: string) => err({ kind: 'forge-failed', forge, said });
  const refused = (status: number, body: unknown) =>
    err({ kind: 'forge-refused', forge, status, said: errorText(body) });
  return {
    failed,
    /** Returns the validated body of an answer. */
    readBody<T>(answer: Result<ForgeAnswer>, shape: z.ZodType<T>): Result<T> {
      if (!answer.ok) return answer;
      const { status, body } = answer.value;
      if (status === 401 || status === 403 || status === 404) return refused(status, body);
      const read = status < 300 ? shape.safeParse(body) : null;
      return read?.success === true ? ok(read.data) : failed(`${status} ${errorText(body)}`);
    },
    /** Returns how a write ended. Fails if the forge cannot be used at all. */
    writeEnd(answer: Result<ForgeAnswer>): Result<WriteEnd> {
      if (!answer.ok) return answer;
      const { status, body } = answer.value;
      if (status < 300) return ok('done');
      if (status === 403 || status === 404) return ok('refused');
      if (rejecting.includes(status)) return ok('rejected');
      return status === 401 ? refused(status, body) : failed(`${status} ${errorText(body)}`);
    },
  };
}
