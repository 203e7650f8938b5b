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
  const qualifiedModel = withProvider(provider, model);
  if (qualifiedModel === null) return null;
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = usage;
  const price = calcPrice(
    {
      input_tokens: (inputTokens + cachedInputTokens + cacheWriteTokens) / SCALE,
      cache_read_tokens: cachedInputTokens / SCALE,
      cache_write_tokens: cacheWriteTokens / SCALE,
      output_tokens: outputTokens / SCALE,
    },
    qualifiedModel.model,
    { providerId: qualifiedModel.provider, timestamp: at },
  );
  if (price === null || !(price.model.id === qualifiedModel.model || isNamed(price.model.match, qualifiedModel.model)))
    return null;
  return price.total_price * SCALE;
}

function withProvider(provider: string | null, model: string) {
  if (provider !== 'in-model') return provider === null ? null : { provider, model };
  const [, providerName, modelName] = /^([^/]+)\/([^/]+)$/.exec(model) ?? [];
  return providerName === undefined || modelName === undefined ? null : { provider: providerName, model: modelName };
}

/**
 * Whether an entry of the price list is about exactly this model: after the name, only a date or "latest" may follow.
 * The list also matches newer models whose names begin alike, but does not know their prices.
 */
function isNamed(match: MatchLogic, model: string): boolean {
  if ('or' in match) return match.or.some((clause) => isNamed(clause, model));
  if ('and' in match) return match.and.some((clause) => isNamed(clause, model));
  if ('equals' in match) return match.equals === model;
  if (!('starts_with' in match) || !model.startsWith(match.starts_with)) return false;
  return DATED.test(model.slice(match.starts_with.length));
}

const DATED = /^(?:[-@](?:\d{3}|\d{8}|\d{4}-\d\d-\d\d|latest))?$/;
