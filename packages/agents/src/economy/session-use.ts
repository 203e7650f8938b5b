import {
  estimateTokens,
  type KeptSession,
  newTokens,
  type RequestFigures,
  type SessionCache,
  type Usage,
} from '@onceover/base/kernel/agent';
import { type CacheTtl, cacheRule } from './cache-rules.ts';

/** The fields of a stored session that change with every call. */
export type SessionUse = Pick<
  KeptSession,
  'usedBefore' | 'contextTokens' | 'freshTokens' | 'lastUsedAt' | 'warmMinutes' | 'cache'
>;

/** A call that has ended, with the facts that are stored about its session. */
export type EndedCall = {
  readonly usage: Usage | null;
  readonly sessionUsage: Usage | null;
  readonly requests: RequestFigures | null;
  readonly at: Date;
  readonly ttl: CacheTtl;
  readonly provider: string | null;
  readonly model: string | null;
  /** The length in characters of the prompt, not counting what a resumed session already contains. */
  readonly promptLength: number;
};

/** Returns the fields of a session to store after a call. `before` has the old ones; `null` for a new session. */
export function sessionUse(
  before: Pick<SessionUse, 'contextTokens' | 'freshTokens' | 'cache'> | null,
  call: EndedCall,
): SessionUse {
  const { usage, requests, ttl, provider, model } = call;
  const contextTokens = contextAfter(before, call);
  const commonFields = { provider, model, ttl, sentTokens: requests?.lastCached ?? requests?.lastSent ?? null };
  const cache: SessionCache =
    before === null
      ? { ...commonFields, opening: openingOf(call), resumed: null }
      : { ...commonFields, opening: before.cache?.opening ?? null, resumed: resumedOf(before, call, contextTokens) };
  return {
    usedBefore: call.sessionUsage,
    contextTokens,
    freshTokens: before !== null ? before.freshTokens : usage === null ? null : newTokens(usage),
    lastUsedAt: call.at.toISOString(),
    warmMinutes: cacheRule(provider, model).lifeMinutes[ttl],
    cache,
  };
}

/**
 * Returns the tokens of the session after a call, including cached ones; `null` if unknown. If the figures of the last
 * request are missing, it uses the new tokens: after a cache miss these are the whole context, after a cache hit only
 * what the call added.
 */
function contextAfter(
  before: Pick<SessionUse, 'contextTokens' | 'cache'> | null,
  { usage, requests }: Pick<EndedCall, 'usage' | 'requests'>,
): number | null {
  if (requests !== null && requests.lastSent !== null) return requests.lastSent + (requests.lastOutput ?? 0);
  if (usage === null) return before?.contextTokens ?? null;
  const addedTokens = newTokens(usage);
  // The last request is the longest, so it has at least the average number of tokens.
  const average = requests === null ? 0 : Math.ceil((addedTokens + usage.cachedInputTokens) / requests.count);
  if (before === null) return Math.max(addedTokens, average);
  if (before.contextTokens === null) return null;
  const isMiss = addedTokens >= before.contextTokens * MISS_SHARE;
  return Math.max(isMiss ? addedTokens : before.contextTokens + addedTokens, average);
}

function openingOf({ usage, requests }: Pick<EndedCall, 'usage' | 'requests'>): SessionCache['opening'] {
  if (usage === null || requests === null) return null;
  return {
    uncached: usage.inputTokens + usage.cacheWriteTokens,
    cached: usage.cachedInputTokens,
    shared: Math.min(requests.firstRead ?? 0, usage.cachedInputTokens),
    requests: requests.count,
  };
}

/**
 * Returns the figures of the first call in a forked session, without the files that the original session had already
 * opened. A session that reads alone would open them only once. `again` is the share of these files among those that
 * the fork opened.
 */
export function openingOnce(
  opening: NonNullable<SessionCache['opening']>,
  { again, promptLength }: { readonly again: number; readonly promptLength: number },
): NonNullable<SessionCache['opening']> {
  const { uncached, cached, shared } = opening;
  const files = Math.max(0, uncached - estimateTokens(promptLength));
  return {
    ...opening,
    uncached: Math.round(uncached - files * again),
    cached: Math.round(shared + (cached - shared) * (1 - again)),
  };
}

function resumedOf(
  before: Pick<SessionUse, 'contextTokens' | 'cache'>,
  { requests, promptLength }: Pick<EndedCall, 'requests' | 'promptLength'>,
  contextTokens: number | null,
): SessionCache['resumed'] {
  if (requests === null || contextTokens === null || before.contextTokens === null)
    return before.cache?.resumed ?? null;
  const growth = contextTokens - before.contextTokens - estimateTokens(promptLength);
  return { requests: requests.count, added: Math.max(0, growth) };
}

/**
 * If at least this share of the context came uncached, the call missed the cache. If less than `HIT_SHARE` did, it hit
 * the cache.
 */
const MISS_SHARE = 0.9;
const HIT_SHARE = 0.5;

/** Returns whether a resumed session was still in the provider's cache; `null` if the usage does not show it. */
export function judgeHit(
  session: Pick<KeptSession, 'contextTokens' | 'cache'>,
  { usage, requests }: Pick<EndedCall, 'usage' | 'requests'>,
): boolean | null {
  const { cache, contextTokens } = session;
  const rule = cacheRule(cache?.provider ?? null, cache?.model ?? null);
  const sentTokens = cache?.sentTokens ?? null;
  if (sentTokens !== null && requests !== null && requests.firstRead !== null) {
    if (sentTokens < rule.minimumTokens) return null;
    return requests.firstRead >= Math.floor(sentTokens * 0.98) - rule.stepTokens;
  }
  if (usage === null || contextTokens === null || contextTokens < rule.minimumTokens) return null;
  const uncachedTokens = usage.inputTokens + usage.cacheWriteTokens;
  if (uncachedTokens >= contextTokens * MISS_SHARE) return false;
  return uncachedTokens < contextTokens * HIT_SHARE ? true : null;
}
