import { createHash } from 'node:crypto';

/** A prompt prefix that a provider holds, known by the digest of everything up to its end. */
export type CacheEntry = { readonly key: string; readonly ttlMs: number; readonly expiresAt: number };

/** All prefixes that the simulated providers hold. */
export type CacheEntries = ReadonlyMap<string, CacheEntry>;

/** How a prompt's tokens divide; `total` is the sum of `read`, `write` and `input`. */
export type PromptUse = {
  readonly total: number;
  readonly read: number;
  /** Tokens billed as a cache write; 0 where the provider bills none. */
  readonly write: number;
  /** The part of `write` that is kept for an hour. */
  readonly write1h: number;
  readonly input: number;
};

/** What one request does to the cache: `refreshed` holds from its start, `written` from when its answer begins. */
export type CachePlan = {
  readonly use: PromptUse;
  readonly refreshed: readonly CacheEntry[];
  readonly written: readonly CacheEntry[];
};

/** One request to a cache: its body, whose cache it is, and when it started. */
export type CacheRequest<Body> = { readonly body: Body; readonly account: string; readonly now: number };

/** The entry of a prefix, unless it is unknown or its time is over. */
export function liveEntry(entries: CacheEntries, key: string, now: number): CacheEntry | null {
  const entry = entries.get(key);
  return entry !== undefined && entry.expiresAt > now ? entry : null;
}

/** The entries with these added; where one was there already, the later end counts. */
export function withEntries(entries: CacheEntries, added: readonly CacheEntry[]): CacheEntries {
  const all = new Map(entries);
  for (const entry of added) {
    const held = all.get(entry.key);
    if (held === undefined || held.expiresAt < entry.expiresAt) all.set(entry.key, entry);
  }
  return all;
}

/** An entry whose time starts again. */
export function refreshed(entry: CacheEntry, now: number): CacheEntry {
  return { ...entry, expiresAt: now + entry.ttlMs };
}

/** A new entry that starts now. */
export function entryAt(key: string, ttlMs: number, now: number): CacheEntry {
  return { key, ttlMs, expiresAt: now + ttlMs };
}

/** The digest of a text that follows what `before` stands for. */
export function chain(before: string, text: string): string {
  return createHash('sha256').update(before).update('\0').update(text).digest('hex');
}
