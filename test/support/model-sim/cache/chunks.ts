/**
 * Simulated figures: an implicit cache that stores prefixes of prompts in steps of a fixed number of tokens. Tokens are
 * counted as characters / 4.
 */
import { createHash } from 'node:crypto';
import { CHARS_PER_TOKEN, tokensOf } from '../tokens.ts';
import { type CacheEntries, type CacheEntry, type CachePlan, entryAt, liveEntry, refreshed } from './entries.ts';

/** Parameters of an implicit cache. */
export type ChunkRules = { readonly minimum: number; readonly step: number; readonly ttlMs: number };

/** One prompt as the cache sees it: different `scope`s share nothing, and `text` is compared from its beginning. */
export type ChunkedPrompt = { readonly scope: string; readonly text: string; readonly now: number };

/** Returns the tokens that a prompt reads from prefixes of earlier prompts; such a cache bills no write. */
export function planChunks(entries: CacheEntries, prompt: ChunkedPrompt, rules: ChunkRules): CachePlan {
  const total = tokensOf(prompt.text.length);
  const read: CacheEntry[] = [];
  const written: CacheEntry[] = [];
  let readTokens = 0;
  for (const { key, tokens } of boundariesOf(prompt, rules)) {
    const entry = liveEntry(entries, key, prompt.now);
    if (entry === null) {
      written.push(entryAt(key, rules.ttlMs, prompt.now));
    } else {
      read.push(refreshed(entry, prompt.now));
      readTokens = tokens;
    }
  }
  return {
    use: { total, read: readTokens, write: 0, write1h: 0, input: total - readTokens },
    refreshed: read,
    written,
  };
}

function boundariesOf(prompt: ChunkedPrompt, rules: ChunkRules): readonly { key: string; tokens: number }[] {
  const hash = createHash('sha256').update(prompt.scope).update('\0');
  const boundaries: { key: string; tokens: number }[] = [];
  let from = 0;
  for (let tokens = rules.step; tokens * CHARS_PER_TOKEN <= prompt.text.length; tokens += rules.step) {
    hash.update(prompt.text.slice(from, tokens * CHARS_PER_TOKEN));
    from = tokens * CHARS_PER_TOKEN;
    if (tokens >= rules.minimum) boundaries.push({ key: hash.copy().digest('hex'), tokens });
  }
  return boundaries;
}
