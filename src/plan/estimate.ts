import type { KeptSession } from '../domain/record.ts';

/** About how many characters a token has. */
const CHARACTERS_A_TOKEN = 4;

export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}

/**
 * What resuming would cost beside a fresh look, once the cache is cold: everything in the session is paid for again,
 * while a fresh look pays for its prompt and what it reads.
 */
export function coldCost(
  session: Pick<KeptSession, 'contextTokens' | 'freshTokens' | 'firstPromptLength' | 'lastUsedAt' | 'warmMinutes'>,
  lengths: { readonly delta: number; readonly fresh: number },
  now: Date,
): { readonly cacheExpired: boolean; readonly freshIsCheaper: boolean } {
  const since = now.getTime() - Date.parse(session.lastUsedAt);
  // A clock that went backwards, or a time that cannot be read, says nothing about the cache.
  const cacheExpired = !(since >= 0 && since < session.warmMinutes * 60_000);
  const grown = estimateTokens(lengths.fresh) - estimateTokens(session.firstPromptLength);
  const fresh = (session.freshTokens ?? estimateTokens(session.firstPromptLength)) + grown;
  const resumed = (session.contextTokens ?? estimateTokens(session.firstPromptLength)) + estimateTokens(lengths.delta);
  return { cacheExpired, freshIsCheaper: fresh < resumed };
}
