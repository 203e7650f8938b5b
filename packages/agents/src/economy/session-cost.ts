import { type CacheNote, estimateTokens, type KeptSession, type SessionCache } from '@onceover/base/kernel/agent';
import { type CacheHistory, lifeOfSession, MINUTE_MS } from './cache-life.ts';
import { type CacheRule, type CacheTtl, cacheRule } from './cache-rules.ts';

/**
 * The number of requests that a resumed call is assumed to need, before any was measured: one that reads a changed
 * file, and one that answers.
 */
const USUAL_REQUESTS = 2;

/**
 * Returns whether the session has expired from the provider's cache and whether a new session would then be cheaper.
 * Cost is in tokens weighted by price. A new session pays for writing its prompt and every file that it opens to the
 * cache, and each request reads all that came before. A resumed session writes its whole context once and then reads
 * it.
 */
export function costAfterCacheExpiry(
  session: Pick<
    KeptSession,
    'agent' | 'contextTokens' | 'freshTokens' | 'firstPromptLength' | 'lastUsedAt' | 'warmMinutes' | 'cache'
  >,
  lengths: {
    readonly delta: number;
    readonly fresh: number;
    /** How many files the prompt of a new session shows, so that the reviewer need not open them. */
    readonly given?: number;
    /**
     * The part of the prompt that the reviewers of this run have in common: if they start new sessions, and if they
     * resume their old ones.
     */
    readonly shared?: { readonly fresh: SharedStart; readonly resumed: SharedStart };
  },
  { now, ttl, history }: { readonly now: Date; readonly ttl: CacheTtl; readonly history: Pick<CacheHistory, 'seen'> },
): { readonly cacheExpired: boolean; readonly freshIsCheaper: boolean; readonly note: CacheNote } {
  const idleMs = now.getTime() - Date.parse(session.lastUsedAt);
  const life = lifeOfSession(session, history, now);
  // Count the cache as expired if the clock was set back or the stored time is unreadable.
  const cacheExpired = !(idleMs >= 0 && idleMs < life.minutes * MINUTE_MS);
  const rule = cacheRule(session.cache?.provider ?? null, session.cache?.model ?? null);
  const estimate = {
    fresh: Math.round(costOfNew(session, lengths, rule, ttl)),
    resumed: Math.round(costOfResumed(session, lengths, rule, ttl)),
  };
  const note: CacheNote = {
    ...{ model: session.cache?.model ?? null, ttl: session.cache?.ttl ?? ttl },
    idleMs: Number.isFinite(idleMs) ? Math.max(0, idleMs) : 0,
    ...{ lifeMinutes: life.minutes, lifeFrom: life.from, hit: null },
    estimate: cacheExpired ? estimate : null,
  };
  return { cacheExpired, freshIsCheaper: estimate.fresh < estimate.resumed, note };
}

/** A common start of several prompts: how many reviewers send it now, and how many tokens it has. */
export type SharedStart = { readonly reviewers: number; readonly tokens: number };

type Lengths = Parameters<typeof costAfterCacheExpiry>[1];

function costOfNew(
  { cache, freshTokens, firstPromptLength }: Pick<KeptSession, 'cache' | 'freshTokens' | 'firstPromptLength'>,
  { fresh, given = 0, shared }: Lengths,
  rule: CacheRule,
  ttl: CacheTtl,
): number {
  const growth = estimateTokens(fresh) - estimateTokens(firstPromptLength);
  const opening = cache?.opening ?? null;
  const { write, read } = rule;
  if (opening === null) return write[ttl] * ((freshTokens ?? estimateTokens(firstPromptLength)) + growth);
  // The common start that another session had cached has expired too, so it has to be written again.
  const writtenTokens = opening.uncached + opening.shared + growth;
  const savings = savedBySharing(shared?.fresh, writtenTokens, rule, ttl);
  return write[ttl] * writtenTokens + read * readAgain(opening, given) - savings;
}

/**
 * Returns the tokens that a new session would read from the cache because it opens files: each request reads all that
 * came before. A file that the prompt shows saves one request.
 */
export function readAgain(
  { cached, shared, requests }: NonNullable<SessionCache['opening']>,
  givenFiles: number,
): number {
  const openings = Math.max(1, requests - 1);
  return (cached - shared) * Math.max(0, 1 - givenFiles / openings);
}

/**
 * Returns what one reviewer saves if one of several writes the shared start to the cache and the others read it. Every
 * reviewer counts an equal part of the saving, so that all make the same decision. If only one started a new session,
 * nothing would be shared.
 */
function savedBySharing(
  sharedStart: SharedStart | undefined,
  writtenTokens: number,
  { write, read }: CacheRule,
  ttl: CacheTtl,
): number {
  if (sharedStart === undefined || sharedStart.reviewers < 2) return 0;
  return Math.min(sharedStart.tokens, writtenTokens) * (1 - 1 / sharedStart.reviewers) * (write[ttl] - read);
}

function costOfResumed(
  { cache, contextTokens, firstPromptLength }: Pick<KeptSession, 'cache' | 'contextTokens' | 'firstPromptLength'>,
  { delta, shared }: Lengths,
  rule: CacheRule,
  ttl: CacheTtl,
): number {
  const context = (contextTokens ?? estimateTokens(firstPromptLength)) + estimateTokens(delta);
  const { write, read } = rule;
  const { requests, added } = cache?.resumed ?? usualResume(cache?.opening ?? null, firstPromptLength);
  const savings = savedBySharing(shared?.resumed, context, rule, ttl);
  return write[ttl] * (context + added) + read * context * Math.max(0, requests - 1) - savings;
}

/**
 * Returns the cost of resuming a session that is still in the cache, including the files that it will probably open
 * again.
 */
export function costWhileCached(
  { cache, contextTokens, firstPromptLength }: Pick<KeptSession, 'cache' | 'contextTokens' | 'firstPromptLength'>,
  delta: number,
  reopens: { readonly files: number; readonly tokens: number },
  ttl: CacheTtl,
): number {
  const { write, read } = cacheRule(cache?.provider ?? null, cache?.model ?? null);
  const context = contextTokens ?? estimateTokens(firstPromptLength);
  return read * context * (1 + reopens.files) + write[ttl] * (estimateTokens(delta) + reopens.tokens);
}

/**
 * Returns what the first resumed call of a session is assumed to do: open one file, of the average length of those
 * opened before.
 */
function usualResume(
  opening: SessionCache['opening'],
  firstPromptLength: number,
): NonNullable<SessionCache['resumed']> {
  if (opening === null || opening.requests < USUAL_REQUESTS) return { requests: 1, added: 0 };
  const openedTokens = Math.max(0, opening.uncached + opening.shared - estimateTokens(firstPromptLength));
  return { requests: USUAL_REQUESTS, added: Math.round(openedTokens / (opening.requests - 1)) };
}
