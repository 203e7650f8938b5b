/**
 * Simulated figures: Gemini's implicit cache. Its minimum is documented. Steps and lifetime are not documented, and the
 * provider guarantees no hit, so both are assumptions of the simulator.
 */
import { type JsonObject, objectsIn, stringAt } from '../json.ts';
import { type ChunkRules, planChunks } from './chunks.ts';
import type { CacheEntries, CachePlan, CacheRequest } from './entries.ts';
import { figureFor, GEMINI_MINIMUM } from './models.ts';

/** The assumed step of a hit, in tokens. */
export const GEMINI_STEP = 128;

/** The assumed lifetime of an entry that no request reads. */
export const GEMINI_TTL_MS = 5 * 60_000;

/**
 * Returns the tokens that a generateContent request reads. The path has the model's name, so the caller passes it in
 * the body as `model`.
 */
export function planGemini(entries: CacheEntries, request: CacheRequest<JsonObject>): CachePlan {
  const { body, account, now } = request;
  const model = stringAt(body, 'model');
  const rules: ChunkRules = {
    minimum: figureFor(GEMINI_MINIMUM, model),
    step: GEMINI_STEP,
    ttlMs: GEMINI_TTL_MS,
  };
  return planChunks(entries, { scope: JSON.stringify(['gemini', account, model]), text: promptOf(body), now }, rules);
}

function promptOf(body: JsonObject): string {
  const before = [body['tools'], body['systemInstruction']].filter((part) => part !== undefined);
  return [...before, ...objectsIn(body['contents'])].map((part) => JSON.stringify(part)).join('\n');
}
