import type { AccountLimits } from './types.ts';

/** The use of an account by all workers. */
export type AccountUse = {
  readonly running: number;
  /** The times of the calls that started in the last minute, oldest first. */
  readonly started: readonly Date[];
  /** The ends of the last minute, oldest first, with their tokens. */
  readonly ended: readonly { readonly at: Date; readonly tokens: number }[];
  /** The time until which the provider refuses calls; `null` if it refuses none. */
  readonly cooldownUntil: Date | null;
};

/** Whether an account may start another call now, or the time at which to look again. */
export type TakeDecision =
  | { readonly kind: 'take' }
  | { readonly kind: 'wait'; readonly until: Date; readonly why: 'cooldown' | 'at-once' | 'calls' | 'tokens' };

const MINUTE_MS = 60_000;

/** How long to wait for a call of another worker to end. Its end also wakes the workers. */
const LOOK_AGAIN_MS = 1000;

/** Decides whether an account may start another call. All limits hold for all workers together. */
export function decideTake(limits: AccountLimits, use: AccountUse, now: Date): TakeDecision {
  const { callsAtOnce, callsPerMinute, tokensPerMinute } = limits;
  if (use.cooldownUntil !== null && use.cooldownUntil > now)
    return { kind: 'wait', until: use.cooldownUntil, why: 'cooldown' };
  if (callsAtOnce !== null && use.running >= callsAtOnce)
    return { kind: 'wait', until: new Date(now.getTime() + LOOK_AGAIN_MS), why: 'at-once' };
  if (callsPerMinute !== null && use.started.length >= callsPerMinute)
    return { kind: 'wait', until: minuteAfter(use.started[use.started.length - callsPerMinute], now), why: 'calls' };
  if (tokensPerMinute === null) return { kind: 'take' };
  let tokens = 0;
  // Go back in time until the limit is reached: that end has to leave the last minute first.
  for (const { at, tokens: more } of [...use.ended].reverse()) {
    tokens += more;
    if (tokens >= tokensPerMinute) return { kind: 'wait', until: minuteAfter(at, now), why: 'tokens' };
  }
  return { kind: 'take' };
}

function minuteAfter(at: Date | undefined, now: Date): Date {
  return new Date((at ?? now).getTime() + MINUTE_MS);
}

/** How long a client waits for a limit to end, before it gets the failure and can try another agent. */
const LONGEST_WAIT_MS = 5 * MINUTE_MS;

/**
 * Decides what follows if a provider refuses a call because of a limit. The call goes back to the queue if another
 * account can take it, or if the limit ends soon. Else the client gets the failure.
 */
export function decideAfterLimit(
  { resetAt, otherAccounts }: { readonly resetAt: Date; readonly otherAccounts: number },
  now: Date,
): 'put-back' | 'fail' {
  return otherAccounts > 0 || resetAt.getTime() - now.getTime() <= LONGEST_WAIT_MS ? 'put-back' : 'fail';
}

/** Returns when a limit ends: the announced time, else after a minute. A time more than a day ahead is not plausible. */
export function limitEnd(resetAt: Date | null, now: Date): Date {
  const ahead = resetAt === null ? MINUTE_MS : resetAt.getTime() - now.getTime();
  const isPlausible = ahead > 0 && ahead <= 31 * 24 * 60 * MINUTE_MS;
  return new Date(now.getTime() + (isPlausible ? ahead : MINUTE_MS));
}
