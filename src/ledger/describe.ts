import { totalTokens, type Usage } from '../kernel/agent.ts';
import { money } from '../kernel/json.ts';
import { count, tokensOf, usdOf } from '../ui/wording.ts';
import type { Saved } from './entries.ts';

/** Returns a line about the cost, and a line about the savings, if any. */
export function describePaid({
  usage,
  dispatches,
  saved,
}: {
  readonly usage: Usage | null;
  readonly dispatches: number;
  readonly saved: Saved;
}): string[] {
  const total = saved.pass + saved.slot + saved.session + saved.prefix;
  const lines: string[] = [];
  if (dispatches > 0) {
    lines.push(`Paid: ${count(dispatches, 'call')}${usage === null ? '' : `, ${describeUsage(usage)}`}.`);
  }
  if (total > 0) {
    const savings = [
      [saved.pass, 'by skipping unchanged code'],
      [saved.slot, 'by skipping reviewers that passed'],
      [saved.session, 'by resuming sessions'],
      [saved.prefix, 'by sharing prompts'],
    ] as const;
    const parts = savings.filter(([tokens]) => tokens > 0).map(([tokens, how]) => `${tokensOf(tokens)} ${how}`);
    lines.push(`Saved (estimated tokens): ${parts.join(', ')}.`);
  }
  return lines;
}

/** Returns the tokens and the money of a call. */
export function describeUsage(usage: Usage): string {
  const cost = usage.costUsd === null ? '' : `, ${usdOf(usage.costUsd)}`;
  const cached = usage.cachedInputTokens > 0 ? ` (${tokensOf(usage.cachedInputTokens)} cached)` : '';
  return `${tokensOf(totalTokens(usage))} tokens${cached}${cost}`;
}

/** The usage of calls in JSON documents. */
export type UsageDocument = {
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
};

export function usageDocument(usage: Usage | null): UsageDocument | null {
  if (usage === null) return null;
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd === null ? null : money(usage.costUsd),
  };
}
