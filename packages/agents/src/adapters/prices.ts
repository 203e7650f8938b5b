import type { PriceList } from '@onceover/base/kernel/agent';
import { calcPrice, type MatchLogic } from '@pydantic/genai-prices';
import { loadAgents } from './table.ts';

// Some models cost more per token in long requests, but the usage is the sum of many short ones. So divide the usage by
// this number, look up the price of such a short request, and multiply that price again.
const SCALE = 1_000_000;

/**
 * Returns the list prices of the built-in agents' providers. The list comes with the package, so no network is needed.
 */
export async function openPrices(): Promise<PriceList> {
  const providers = new Map((await loadAgents()).map(({ name, priceProvider }) => [name, priceProvider]));
  return ({ agent, ...used }) => listPrice(providers.get(agent) ?? null, used);
}

type Used = Omit<Parameters<PriceList>[0], 'agent'>;

/** Returns the list price of a call; `null` if the provider, the model or its price is unknown. */
export function listPrice(provider: string | null, { model, usage, at }: Used): number | null {
  const called = withProvider(provider, model);
  if (called === null) return null;
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = usage;
  const found = calcPrice(
    {
      input_tokens: (inputTokens + cachedInputTokens + cacheWriteTokens) / SCALE,
      cache_read_tokens: cachedInputTokens / SCALE,
      cache_write_tokens: cacheWriteTokens / SCALE,
      output_tokens: outputTokens / SCALE,
    },
    called.model,
    { providerId: called.provider, timestamp: at },
  );
  if (found === null || !(found.model.id === called.model || isNamed(found.model.match, called.model))) return null;
  return found.total_price * SCALE;
}

function withProvider(provider: string | null, model: string) {
  if (provider !== 'in-model') return provider === null ? null : { provider, model };
  const [, named, rest] = /^([^/]+)\/([^/]+)$/.exec(model) ?? [];
  return named === undefined || rest === undefined ? null : { provider: named, model: rest };
}

/**
 * Whether an entry of the price list is about exactly this model: after the name, only a date or "latest" may follow.
 * The list also matches newer models whose names begin alike, but does not know their prices.
 */
function isNamed(match: MatchLogic, model: string): boolean {
  if ('or' in match) return match.or.some((one) => isNamed(one, model));
  if ('and' in match) return match.and.some((one) => isNamed(one, model));
  if ('equals' in match) return match.equals === model;
  if (!('starts_with' in match) || !model.startsWith(match.starts_with)) return false;
  return DATED.test(model.slice(match.starts_with.length));
}

const DATED = /^(?:[-@](?:\d{3}|\d{8}|\d{4}-\d\d-\d\d|latest))?$/;
