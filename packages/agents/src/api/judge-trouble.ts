import type { AgentFailure } from '@onceover/base/kernel/agent';
import type { StreamState } from './types.ts';

/** Why a request got no usable answer. */
export type RequestTrouble =
  | { readonly kind: 'status'; readonly status: number; readonly said: string; readonly retryAfterMs: number | null }
  /** There was no connection, so nothing was sent or billed. */
  | { readonly kind: 'unreachable'; readonly said: string }
  /** The answer broke off or was empty. The provider bills the request. */
  | { readonly kind: 'cut' }
  /** The answer is not an event stream; it may be the error page of a proxy. */
  | { readonly kind: 'not-a-stream'; readonly said: string }
  | { readonly kind: 'in-stream'; readonly type: string; readonly said: string }
  | { readonly kind: 'idle'; readonly seconds: number }
  | { readonly kind: 'timeout'; readonly seconds: number }
  | { readonly kind: 'cancelled' };

/**
 * A failure, and whether the same request may be sent again. `waitMs` is the wait that the provider asked for; `null`
 * if it asked for none.
 */
export type JudgedTrouble = {
  readonly failure: AgentFailure;
  readonly retry: boolean;
  readonly waitMs: number | null;
};

/** HTTP statuses of temporary problems: timeouts, overload and server errors. */
const PASSING = new Set([408, 409, 425, 500, 502, 503, 504, 520, 522, 524, 529]);

const USED_UP = /insufficient_quota|credit balance|billing|exceeded your current quota|spend limit|usage limit/i;

/**
 * Turns a failed request into a failure, and decides whether to try again. If the provider asks for a longer wait than
 * `mostWaitMs`, there is no retry.
 */
export function judgeTrouble(trouble: RequestTrouble, now: Date, mostWaitMs: number): JudgedTrouble {
  const final = (failure: AgentFailure): JudgedTrouble => ({ failure, retry: false, waitMs: null });
  const again = (failure: AgentFailure, waitMs: number | null = null): JudgedTrouble => ({
    ...{ failure, waitMs },
    retry: waitMs === null || waitMs <= mostWaitMs,
  });
  switch (trouble.kind) {
    case 'cancelled':
      return final({ kind: 'cancelled' });
    case 'timeout':
      return final({ kind: 'timeout', seconds: trouble.seconds });
    case 'idle':
      return final({ kind: 'idle', seconds: trouble.seconds });
    case 'unreachable':
      return again({ kind: 'unreachable', said: trouble.said });
    case 'cut':
      return again({ kind: 'agent-error', said: 'the answer broke off' });
    case 'not-a-stream':
      return final({ kind: 'agent-error', said: trouble.said });
    case 'in-stream': {
      const message = `${trouble.type}: ${trouble.said}`;
      if (/rate_limit/.test(trouble.type)) return again({ kind: 'limit', said: message, resetAt: null });
      return /overloaded|server_error|api_error|timeout/.test(trouble.type)
        ? again({ kind: 'agent-error', said: message })
        : final({ kind: 'agent-error', said: message });
    }
    case 'status':
      return judgeStatus(trouble, now, { final, again });
  }
}

function judgeStatus(
  { status, said: serverMessage, retryAfterMs }: Extract<RequestTrouble, { kind: 'status' }>,
  now: Date,
  {
    final,
    again,
  }: {
    readonly final: (failure: AgentFailure) => JudgedTrouble;
    readonly again: (failure: AgentFailure, waitMs?: number | null) => JudgedTrouble;
  },
): JudgedTrouble {
  const message = `HTTP status ${status}${serverMessage === '' ? '' : `: ${serverMessage}`}`;
  if (status === 402 || USED_UP.test(serverMessage)) return final({ kind: 'limit', said: message, resetAt: null });
  if (status === 401 || status === 403) return final({ kind: 'not-logged-in', said: message });
  if (status === 429) {
    const resetAt = retryAfterMs === null ? null : new Date(now.getTime() + retryAfterMs);
    return again({ kind: 'limit', said: message, resetAt }, retryAfterMs);
  }
  const failure: AgentFailure = { kind: 'agent-error', said: message };
  return PASSING.has(status) ? again(failure, retryAfterMs) : final(failure);
}

/** Returns why the model's complete reply is unusable; `null` if the reply is an answer or calls tools. */
export function judgeEnding({ stop, stopWord }: Pick<StreamState, 'stop' | 'stopWord'>): AgentFailure | null {
  switch (stop) {
    case 'answer':
    case 'tools':
      return null;
    case 'length':
      // A truncated answer could say that the review passes, although the missing part listed problems.
      return { kind: 'unreadable-answer', why: 'truncated', said: '' };
    case 'refusal':
      return { kind: 'agent-error', said: 'the model refused to answer' };
    case 'other':
    case null:
      return { kind: 'agent-error', said: `the model stopped without an answer (${stopWord || 'no reason'})` };
  }
}

const FIRST_WAIT_MS = 500;

/**
 * Returns how long to wait before the next attempt: the time that the provider asked for, or else a random time that
 * grows with each attempt.
 */
export function waitBefore(attempt: number, waitMs: number | null, random: number): number {
  return waitMs ?? Math.round(FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + random));
}

/**
 * Returns the wait in milliseconds that a `Retry-After` header asks for, in seconds or as a date; `null` if it asks for
 * none.
 */
export function retryAfter(header: string | null, now: Date): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
