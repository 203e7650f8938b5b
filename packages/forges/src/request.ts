import { setTimeout as sleep } from 'node:timers/promises';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import * as z from 'zod';
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
/** The wait if a forge limits requests and does not say for how long. GitHub asks for at least a minute. */
const DEFAULT_WAIT_SECONDS = 60;
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
    let reason = '';
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const answer = await send(request, headers);
      if (typeof answer !== 'string') {
        const seconds = secondsToWait(answer, isRepeatable, tries);
        if (seconds === null) return ok(answer);
        reason = `${answer.status}, and asked to wait for ${seconds} seconds`;
        if (seconds > LONGEST_WAIT_SECONDS) break;
        await wait(seconds * 1000);
      } else {
        reason = answer;
        if (!isRepeatable) break;
        await wait(500 * 2 ** tries);
      }
    }
    return err({ kind: 'forge-failed', forge, said: reason });
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
    return { status: answer.status, body: parseBody(text), headers: answer.headers };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return `${error instanceof Error ? error.message : String(error)}${cause}`;
  }
}

function parseBody(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text.slice(0, 500);
  }
}

/** Returns how many seconds to wait before sending the request again; null to accept the answer as it is. */
function secondsToWait(answer: ForgeAnswer, isRepeatable: boolean, tries: number): number | null {
  const { status, headers } = answer;
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0';
  const hasHeader = !Number.isNaN(retryAfter) || isUsedUp;
  if (status === 429 || (status === 403 && hasHeader) || saysLimited(answer)) {
    if (!Number.isNaN(retryAfter)) return Math.max(0, retryAfter);
    const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
    return isUsedUp && !Number.isNaN(reset) ? Math.max(1, Math.ceil(reset - Date.now() / 1000)) : DEFAULT_WAIT_SECONDS;
  }
  if (status < 500 || !isRepeatable) return null;
  return tries === MOST_TRIES ? null : 2 ** (tries - 1);
}

const graphqlErrors = z.object({ errors: z.array(z.object({ type: z.string().optional(), message: z.string() })) });
const restError = z.object({ message: z.string() });

/**
 * Whether the body says that requests are limited. GitHub does not always send a header, and its GraphQL API answers
 * with status 200.
 */
function saysLimited({ status, body }: ForgeAnswer): boolean {
  const isLimit = (message: string) => /\b(?:rate limit|abuse detection)\b/i.test(message);
  const restAnswer = restError.safeParse(body);
  if (status === 403) return restAnswer.success && isLimit(restAnswer.data.message);
  const graphqlAnswer = graphqlErrors.safeParse(body);
  return (
    status === 200 &&
    graphqlAnswer.success &&
    graphqlAnswer.data.errors.some(({ type, message }) => type === 'RATE_LIMITED' || isLimit(message))
  );
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
  const failure = (reason: string) => err({ kind: 'forge-failed', forge, said: reason });
  const refusal = (status: number, body: unknown) =>
    err({ kind: 'forge-refused', forge, status, said: errorText(body) });
  return {
    failed: failure,
    /** Returns the validated body of an answer. */
    readBody<T>(answer: Result<ForgeAnswer>, shape: z.ZodType<T>): Result<T> {
      if (!answer.ok) return answer;
      const { status, body } = answer.value;
      if (status === 401 || status === 403 || status === 404) return refusal(status, body);
      const content = status < 300 ? shape.safeParse(body) : null;
      return content?.success === true ? ok(content.data) : failure(`${status} ${errorText(body)}`);
    },
    /** Returns how a write ended. Fails if the forge cannot be used at all. */
    writeEnd(answer: Result<ForgeAnswer>): Result<WriteEnd> {
      if (!answer.ok) return answer;
      const { status, body } = answer.value;
      if (status < 300) return ok('done');
      if (status === 403 || status === 404) return ok('refused');
      if (rejecting.includes(status)) return ok('rejected');
      return status === 401 ? refusal(status, body) : failure(`${status} ${errorText(body)}`);
    },
  };
}
