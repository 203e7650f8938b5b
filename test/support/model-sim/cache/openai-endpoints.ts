/**
 * Simulated figures: the cache of GPT-5.6 and later, which matches only exact breakpoints. Tokens are counted as
 * characters / 4.
 */
import { isObject, type JsonObject, objectAt, objectsIn, without } from '../json.ts';
import { tokensOf } from '../tokens.ts';
import { type CacheEntries, type CachePlan, chain, entryAt, liveEntry, refreshed } from './entries.ts';
import { inputItems, openingParts } from './openai-prompt.ts';

/** Number of earlier message ends that are looked up besides the breakpoints. */
export const EARLIER_ENDS = 20;

/** Number of breakpoints that a request may write. */
const MAX_WRITES = 4;

type Endpoint = { readonly key: string; readonly tokens: number; readonly kind: 'explicit' | 'end' | 'developer' };

/** Returns the tokens that a request reads at exact breakpoints, and writes at its own. */
export function planEndpoints(
  entries: CacheEntries,
  request: { readonly scope: readonly string[]; readonly body: JsonObject; readonly now: number },
  rules: { readonly minimum: number; readonly ttlMs: number },
): CachePlan {
  const { now } = request;
  const { endpoints, total } = endpointsOf(request.scope, request.body);
  const large = endpoints.filter(({ tokens }) => tokens >= rules.minimum);
  const implicit = objectAt(request.body, 'prompt_cache_options')['mode'] !== 'explicit';
  const hits = lookedUp(large, implicit).flatMap((endpoint) => {
    const entry = liveEntry(entries, endpoint.key, now);
    return entry === null ? [] : [{ endpoint, entry }];
  });
  const read = Math.max(0, ...hits.map(({ endpoint }) => endpoint.tokens));
  const writing = writtenAt(large, implicit).filter(({ tokens }) => tokens > read);
  const write = Math.max(0, ...writing.map(({ tokens }) => tokens - read));
  return {
    use: { total, read, write, write1h: 0, input: total - read - write },
    refreshed: hits.map(({ entry }) => refreshed(entry, now)),
    written: writing.map(({ key }) => entryAt(key, rules.ttlMs, now)),
  };
}

function lookedUp(endpoints: readonly Endpoint[], implicit: boolean): readonly Endpoint[] {
  const explicit = endpoints.filter(({ kind }) => kind === 'explicit');
  const marked = explicit.length <= 52 ? explicit : [...explicit.slice(0, 2), ...explicit.slice(-50)];
  if (!implicit) return marked;
  const developer = endpoints.filter(({ kind }) => kind === 'developer');
  const ends = endpoints.filter(({ kind }) => kind !== 'explicit').slice(-1 - EARLIER_ENDS);
  return [...new Set([...marked, ...developer, ...ends])];
}

function writtenAt(endpoints: readonly Endpoint[], implicit: boolean): readonly Endpoint[] {
  const explicit = endpoints.filter(({ kind }) => kind === 'explicit');
  if (!implicit) return explicit.slice(-MAX_WRITES);
  const last = endpoints.findLast(({ kind }) => kind !== 'explicit');
  const marked = explicit.slice(1 - MAX_WRITES);
  return last === undefined ? marked : [...marked, last];
}

function endpointsOf(scope: readonly string[], body: JsonObject): { endpoints: readonly Endpoint[]; total: number } {
  const opening = openingParts(body);
  let key = chain(JSON.stringify([...scope, ...settingsOf(body)]), JSON.stringify(opening));
  let chars = opening.join('').length;
  const endpoints: Endpoint[] = [];
  const items = inputItems(body);
  const developers = items.findIndex((item) => !isDeveloper(item));
  for (const [i, item] of items.entries()) {
    for (const part of partsOf(item)) {
      key = chain(key, part.text);
      chars += part.text.length;
      if (part.explicit) endpoints.push({ key, tokens: tokensOf(chars), kind: 'explicit' });
    }
    key = chain(key, 'end');
    endpoints.push({ key, tokens: tokensOf(chars), kind: i + 1 === developers ? 'developer' : 'end' });
  }
  return { endpoints, total: tokensOf(chars) };
}

/** Settings that invalidate every entry when they change. */
function settingsOf(body: JsonObject): readonly string[] {
  return [body['parallel_tool_calls'], objectAt(body, 'reasoning')['effort'], objectAt(body, 'text')['verbosity']].map(
    (setting) => JSON.stringify(setting ?? null),
  );
}

function partsOf(item: JsonObject): readonly { text: string; explicit: boolean }[] {
  const content = objectsIn(item['content']);
  const head = { text: JSON.stringify(without(item, 'content')), explicit: false };
  if (content.length === 0) return [{ text: JSON.stringify(item), explicit: false }];
  const parts = content.map((part) => ({
    text: JSON.stringify(without(part, 'prompt_cache_breakpoint')),
    explicit: isObject(part['prompt_cache_breakpoint']),
  }));
  return [head, ...parts];
}

function isDeveloper(item: JsonObject): boolean {
  return item['role'] === 'developer' || item['role'] === 'system';
}
