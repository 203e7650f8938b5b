/**
 * Simulated figures: Anthropic's documented rules of prompt caching, applied to tokens counted as characters / 4.
 * Not modelled: the bill of the API, the size of images and documents, and toggling web search and citations.
 */
import { type JsonObject, objectAt, stringAt } from '../json.ts';
import { tokensOf } from '../tokens.ts';
import { type AnthropicBlock, anthropicBlocks, type Ttl } from './anthropic-blocks.ts';
import {
  type CacheEntries,
  type CacheEntry,
  type CachePlan,
  type CacheRequest,
  chain,
  entryAt,
  liveEntry,
  refreshed,
} from './entries.ts';
import { ANTHROPIC_MINIMUM, figureFor } from './models.ts';

/** Number of blocks that a breakpoint checks for an earlier write, including itself. */
export const LOOK_BACK = 20;

/** Lifetime of entries after the start of the request that wrote or read them. */
export const TTL_MS: Readonly<Record<Ttl, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };

type Position = { readonly key: string; readonly tokens: number; readonly ttl: Ttl | null };

/** Returns the tokens that a Messages request reads from the cache and writes into it. */
export function planAnthropic(entries: CacheEntries, request: CacheRequest<JsonObject>): CachePlan {
  const { body, account, now } = request;
  const positions = positionsOf(body, account);
  const minimum = figureFor(ANTHROPIC_MINIMUM, stringAt(body, 'model'));
  const hits = hitsOf(entries, positions, now).filter(({ position }) => position.tokens >= minimum);
  const read = Math.max(0, ...hits.map(({ position }) => position.tokens));
  const writing = positions.filter(({ ttl, tokens }) => ttl !== null && tokens >= minimum && tokens > read);
  const tokens = writtenTokens(writing, read);
  const write = tokens['5m'] + tokens['1h'];
  const total = positions.at(-1)?.tokens ?? 0;
  return {
    use: { total, read, write, write1h: tokens['1h'], input: total - read - write },
    refreshed: hits.map(({ entry }) => refreshed(entry, now)),
    written: writing.map(({ key, ttl }) => entryAt(key, TTL_MS[ttl ?? '5m'], now)),
  };
}

function positionsOf(body: JsonObject, account: string): readonly Position[] {
  let key = chain(account, stringAt(body, 'model'));
  let chars = 0;
  let before: AnthropicBlock | null = null;
  const positions: Position[] = [];
  for (const block of anthropicBlocks(body)) {
    if (before?.section !== block.section) key = chain(key, openingOf(block.section, body));
    if (before?.speaker !== block.speaker) key = chain(key, block.speaker);
    key = chain(key, JSON.stringify(block.block));
    chars += block.chars;
    positions.push({ key, tokens: tokensOf(chars), ttl: block.ttl });
    before = block;
  }
  return positions;
}

/** The settings that a section's cache depends on, besides its blocks. */
function openingOf(section: AnthropicBlock['section'], body: JsonObject): string {
  switch (section) {
    case 'tools':
      return section;
    case 'system':
      return JSON.stringify([section, body['speed'] ?? null]);
    case 'messages': {
      const effort = objectAt(body, 'output_config')['effort'] ?? null;
      const images = JSON.stringify(body['messages'] ?? []).includes('"type":"image"');
      return JSON.stringify([
        section,
        body['speed'] ?? null,
        body['tool_choice'] ?? null,
        body['thinking'] ?? null,
        effort,
        images,
      ]);
    }
  }
}

type Hit = { readonly position: Position; readonly entry: CacheEntry };

/** Finds, for each breakpoint, the latest live entry within its look-back. */
function hitsOf(entries: CacheEntries, positions: readonly Position[], now: number): readonly Hit[] {
  return positions.flatMap(({ ttl }, at) => {
    if (ttl === null) return [];
    for (let i = at; i > at - LOOK_BACK && i >= 0; i -= 1) {
      const position = positions[i];
      const entry = position === undefined ? null : liveEntry(entries, position.key, now);
      if (position !== undefined && entry !== null) return [{ position, entry }];
    }
    return [];
  });
}

/** Divides the tokens between the read prefix and the last breakpoint by the breakpoints. */
function writtenTokens(writing: readonly Position[], read: number): Readonly<Record<Ttl, number>> {
  const tokens = { '5m': 0, '1h': 0 };
  let from = read;
  for (const position of writing) {
    tokens[position.ttl ?? '5m'] += position.tokens - from;
    from = position.tokens;
  }
  return tokens;
}
