import type { AccountLimits } from '@onceover/agents/remote/types';

/** How much all workers together currently use one account. */
export type AccountUse = {
  readonly running: number;
  /** The times of the agent calls that started within the last minute, oldest first. */
  readonly started: readonly Date[];
  /** The times and tokens of the agent calls that ended within the last minute, oldest first. */
  readonly ended: readonly { readonly at: Date; readonly tokens: number }[];
  /** The time until which the provider refuses agent calls; `null` if it accepts calls now. */
  readonly cooldownUntil: Date | null;
};

/** Whether an account may start another agent call now. If not, the time at which to check again. */
export type TakeDecision =
  | { readonly kind: 'take' }
  | { readonly kind: 'wait'; readonly until: Date; readonly why: 'cooldown' | 'at-once' | 'calls' | 'tokens' };

const MINUTE_MS = 60_000;

/** How long to wait before checking again whether an agent call of another worker has ended. */
const LOOK_AGAIN_MS = 1000;

/** Decides whether an account may start another agent call. The limits apply to all workers together. */
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
  // Add up tokens from the newest agent call backwards until they reach the limit. As soon as the call that reaches the
  // limit is more than a minute old, another call may start.
  for (const { at, tokens: callTokens } of [...use.ended].reverse()) {
    tokens += callTokens;
    if (tokens >= tokensPerMinute) return { kind: 'wait', until: minuteAfter(at, now), why: 'tokens' };
  }
  return { kind: 'take' };
}

function minuteAfter(at: Date | undefined, now: Date): Date {
  return new Date((at ?? now).getTime() + MINUTE_MS);
}

/**
 * The longest rate limit that a client waits for. If the limit lasts longer, the agent call fails and the client can
 * try another agent.
 */
const LONGEST_WAIT_MS = 5 * MINUTE_MS;

/**
 * Decides what to do with an agent call that a provider refused because of a usage limit. The call goes back into the
 * queue if another account can take it, or if the limit ends soon. Otherwise it fails.
 */
export function decideAfterLimit(
  { resetAt, otherAccounts }: { readonly resetAt: Date; readonly otherAccounts: number },
  now: Date,
): 'put-back' | 'fail' {
  return otherAccounts > 0 || resetAt.getTime() - now.getTime() <= LONGEST_WAIT_MS ? 'put-back' : 'fail';
}

/**
 * Returns when a usage limit ends: at the announced time, or in one minute if that time is missing, in the past or more
 * than 31 days ahead.
 */
export function limitEnd(resetAt: Date | null, now: Date): Date {
  const ahead = resetAt === null ? MINUTE_MS : resetAt.getTime() - now.getTime();
  const isPlausible = ahead > 0 && ahead <= 31 * 24 * 60 * MINUTE_MS;
  return new Date(now.getTime() + (isPlausible ? ahead : MINUTE_MS));
}
