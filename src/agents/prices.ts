import { calcPrice, type MatchLogic } from '@pydantic/genai-prices';
import type { PriceList } from '../domain/cost.ts';

const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['claude', 'anthropic'],
  ['codex', 'openai'],
  ['gemini', 'google'],
]);

// Prices rise with the length of one request, and what is known is the sum of many: the price of short ones is taken.
const SCALE = 1_000_000;

/** Prices as providers publish them, from the package's own list: nothing is asked of the network. */
export const listPrices: PriceList = ({ agent, model, usage, at }) => {
  const called = provided(agent, model);
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
};

function provided(agent: string, model: string): { readonly provider: string; readonly model: string } | null {
  const provider = PROVIDERS.get(agent);
  if (provider !== undefined) return { provider, model };
  const [, named, rest] = /^([^/]+)\/([^/]+)$/.exec(model) ?? [];
  return agent === 'opencode' && named !== undefined && rest !== undefined ? { provider: named, model: rest } : null;
}

/**
 * Whether the list means this very model. It would also take a later model for an earlier one with the same beginning, whose
 * price would be made up; only a date after the name makes no other model of it.
 */
function isNamed(match: MatchLogic, model: string): boolean {
  if ('or' in match) return match.or.some((one) => isNamed(one, model));
  if ('and' in match) return match.and.some((one) => isNamed(one, model));
  if ('equals' in match) return match.equals === model;
  if (!('starts_with' in match) || !model.startsWith(match.starts_with)) return false;
  return DATED.test(model.slice(match.starts_with.length));
}

const DATED = /^(?:[-@](?:\d{3}|\d{8}|\d{4}-\d\d-\d\d|latest))?$/;
