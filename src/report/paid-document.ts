import type { Paid } from '../domain/cost.ts';

export type PaidDocument = {
  looks: number;
  resumed: number;
  dispatches: number;
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  looks_without_usage: number;
  told_usd: number;
  list_price_usd: number;
  looks_without_price: number;
  duration_ms: number;
};

export function paidDocument(paid: Paid): PaidDocument {
  return {
    looks: paid.looks,
    resumed: paid.resumed,
    dispatches: paid.dispatches,
    input_tokens: paid.inputTokens,
    cached_input_tokens: paid.cachedInputTokens,
    cache_write_tokens: paid.cacheWriteTokens,
    output_tokens: paid.outputTokens,
    looks_without_usage: paid.untold,
    told_usd: money(paid.toldUsd),
    list_price_usd: money(paid.listUsd),
    looks_without_price: paid.unpriced,
    duration_ms: paid.durationMs,
  };
}

// Sums of floating point have tails that mean nothing.
export function money(usd: number): number {
  return Number(usd.toFixed(6));
}
