/**
 * Simulated figures: OpenAI's documented rules of prompt caching, applied to tokens counted as characters / 4.
 * Requests with different `prompt_cache_key` share nothing here; the provider only documents that the key affects
 * routing.
 */
import { type JsonObject, stringAt } from '../json.ts';
import { planChunks } from './chunks.ts';
import type { CacheEntries, CachePlan, CacheRequest } from './entries.ts';
import { figureFor, OPENAI_MINIMUM, OPENAI_STEP } from './models.ts';
import { planEndpoints } from './openai-endpoints.ts';
import { inputItems, openingParts } from './openai-prompt.ts';

/**
 * Lifetimes of an entry that no request reads. In memory it is "5 to 10 minutes"; the simulator uses the shorter time.
 */
export const OPENAI_TTL_MS = { in_memory: 5 * 60_000, '24h': 24 * 60 * 60_000, '30m': 30 * 60_000 } as const;

/** Returns the tokens that a Responses request reads from the cache and writes into it. */
export function planOpenai(entries: CacheEntries, request: CacheRequest<JsonObject>): CachePlan {
  const { body, account, now } = request;
  const model = stringAt(body, 'model');
  const scope = ['openai', account, model, stringAt(body, 'prompt_cache_key')];
  const minimum = figureFor(OPENAI_MINIMUM, model);
  if (matchesEndpoints(model)) {
    return planEndpoints(entries, { scope, body, now }, { minimum, ttlMs: OPENAI_TTL_MS['30m'] });
  }
  const ttlMs = OPENAI_TTL_MS[body['prompt_cache_retention'] === 'in_memory' ? 'in_memory' : '24h'];
  const prompt = { scope: JSON.stringify(scope), text: promptOf(body), now };
  return planChunks(entries, prompt, { minimum, step: figureFor(OPENAI_STEP, model), ttlMs });
}

/** Whether the model caches at exact breakpoints, as GPT-5.6 and later do. */
export function matchesEndpoints(model: string): boolean {
  const version = /^gpt-(\d+)(?:\.(\d+))?/.exec(model);
  if (version === null) return false;
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
  return major > 5 || (major === 5 && minor >= 6);
}

function promptOf(body: JsonObject): string {
  return [...openingParts(body), ...inputItems(body).map((item) => JSON.stringify(item))].join('\n');
}
