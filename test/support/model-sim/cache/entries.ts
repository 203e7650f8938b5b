import { createHash } from 'node:crypto';

/** A prompt prefix in a provider's cache, identified by the digest of everything up to its end. */
export type CacheEntry = { readonly key: string; readonly ttlMs: number; readonly expiresAt: number };

/** All prefixes in the simulated caches. */
export type CacheEntries = ReadonlyMap<string, CacheEntry>;

/** The division of a prompt's tokens; `total` is the sum of `read`, `write` and `input`. */
export type PromptUse = {
  readonly total: number;
  readonly read: number;
  /** Tokens billed as a cache write; 0 if the provider bills none. */
  readonly write: number;
  /** The part of `write` that is kept for an hour. */
  readonly write1h: number;
  readonly input: number;
};

/**
 * The effect of one request on the cache: `refreshed` applies from its start, `written` from the beginning of its
 * answer.
 */
export type CachePlan = {
  readonly use: PromptUse;
  readonly refreshed: readonly CacheEntry[];
  readonly written: readonly CacheEntry[];
};

/** One request to a cache: its body, the owner of the cache, and the start time. */
export type CacheRequest<Body> = { readonly body: Body; readonly account: string; readonly now: number };

/** Returns the entry of a prefix; absent if it is unknown or expired. */
export function liveEntry(entries: CacheEntries, key: string, now: number): CacheEntry | null {
  const entry = entries.get(key);
  return entry !== undefined && entry.expiresAt > now ? entry : null;
}

/** Returns the entries with these added; of two equal entries, the later expiry counts. */
export function withEntries(entries: CacheEntries, added: readonly CacheEntry[]): CacheEntries {
  const all = new Map(entries);
  for (const entry of added) {
    const held = all.get(entry.key);
    if (held === undefined || held.expiresAt < entry.expiresAt) all.set(entry.key, entry);
  }
  return all;
}

/** Returns an entry with a renewed lifetime. */
export function refreshed(entry: CacheEntry, now: number): CacheEntry {
  return { ...entry, expiresAt: now + entry.ttlMs };
}

/** Returns a new entry whose lifetime starts now. */
export function entryAt(key: string, ttlMs: number, now: number): CacheEntry {
  return { key, ttlMs, expiresAt: now + ttlMs };
}

/** Returns the digest of a text that follows the prefix `before`. */
export function chain(before: string, text: string): string {
  return createHash('sha256').update(before).update('\0').update(text).digest('hex');
}
