import { type CacheNote, totalTokens, type Usage } from '@onceover/base/kernel/agent';
import { money } from '@onceover/base/kernel/json';
import type { usage as usageSchema } from '@onceover/base/kernel/json-schema';
import { count, tokensOf, usdOf } from '@onceover/base/ui/wording';
import type * as z from 'zod';
import { LEVERS, type Lever, type Saved } from './entries.ts';

/** For each kind of saving, the end of a sentence about saved tokens. */
export const SAVED_BY: Readonly<Record<Lever, string>> = {
  pass: 'by skipping unchanged code',
  slot: 'by skipping reviewers that passed',
  session: 'by resuming sessions',
  prefix: 'by sharing prompts',
  reading: 'by sharing opened files',
};

/** Returns a line about the cost if there were calls, and a line about the savings if there are any. */
export function describePaid({
  usage,
  dispatches,
  retries = 0,
  saved,
}: {
  readonly usage: Usage | null;
  readonly dispatches: number;
  readonly retries?: number;
  readonly saved: Saved;
}): string[] {
  const retryNote = retries === 0 ? '' : ` (${count(retries, 'retry', 'retries')} by the agents themselves)`;
  const costLine = `Paid: ${count(dispatches, 'call')}${retryNote}${usage === null ? '' : `, ${describeUsage(usage)}`}.`;
  const savings = LEVERS.filter((lever) => saved[lever] > 0).map(
    (lever) => `${tokensOf(saved[lever])} ${SAVED_BY[lever]}`,
  );
  return [
    ...(dispatches > 0 ? [costLine] : []),
    ...(savings.length > 0 ? [`Saved (estimated tokens): ${savings.join(', ')}.`] : []),
  ];
}

/** Returns the tokens and the cost of a call as text. */
export function describeUsage(usage: Usage): string {
  const cost = usage.costUsd === null ? '' : `, ${usdOf(usage.costUsd)}`;
  const cacheNote = usage.cachedInputTokens > 0 ? ` (${tokensOf(usage.cachedInputTokens)} cached)` : '';
  return `${tokensOf(totalTokens(usage))} tokens${cacheNote}${cost}`;
}

/**
 * Describes what onceover assumed about the cache of a session: "40 min after its last call; cached for 24 h (table)".
 */
export function describeCache(
  note: Pick<CacheNote, 'idleMs' | 'lifeMinutes' | 'lifeFrom' | 'hit' | 'estimate'>,
): string {
  const { hit, estimate } = note;
  const hitNote = hit === null ? '' : hit ? ', was in the cache' : ', was not in the cache';
  const costs =
    estimate === null ? '' : `; estimated cost: ${tokensOf(estimate.fresh)} new, ${tokensOf(estimate.resumed)} resumed`;
  return `${minutesText(note.idleMs / 60_000)} after its last call; cached for ${describeLife(note)}${hitNote}${costs}`;
}

/** Describes how long a provider caches a prompt, and how onceover knows: "24 h (table)". */
export function describeLife({ lifeMinutes, lifeFrom }: Pick<CacheNote, 'lifeMinutes' | 'lifeFrom'>): string {
  return `${minutesText(lifeMinutes)} (${lifeFrom})`;
}

function minutesText(minutes: number): string {
  return minutes < 90 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`;
}

/** Returns the usage of calls for a JSON document. */
export function usageDocument(usage: Usage | null): z.infer<typeof usageSchema> {
  if (usage === null) return null;
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd === null ? null : money(usage.costUsd),
  };
}
