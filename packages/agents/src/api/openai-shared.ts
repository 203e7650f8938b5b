import type { Usage } from '@onceover/base/kernel/agent';
import { sha256 } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import { strictSchema } from '@onceover/base/kernel/strict-schema';
import type { ApiRequest, WireObject } from './types.ts';
import { fieldNumber, fieldObject } from './wire-values.ts';

/** Returns the HTTP headers for both OpenAI APIs. */
export function openaiHeaders(key: string | null): Readonly<Record<string, string>> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** Returns the JSON format that the answer must have. The two OpenAI APIs expect it in different fields. */
export function answerFormat(schema: object): WireObject {
  return { name: 'answer', strict: true, schema: strictSchema(schema) };
}

/**
 * Returns the field that asks for a cheaper, slower answer. A batch has its own, lower price, and its requests must not
 * set the field.
 */
export function serviceTier({ tier }: Pick<ApiRequest, 'tier'>): WireObject {
  return tier === 'flex' ? { service_tier: 'flex' } : {};
}

/**
 * Returns a key that makes the provider send requests with the same start to the same machine, where their start is
 * cached.
 */
export function cacheKey(opening: string): string {
  return `onceover-${sha256(opening).slice(0, 32)}`;
}

/**
 * Returns the token usage of an answer; `null` if the answer states none. The two OpenAI APIs name the figures
 * differently.
 */
export function openaiUsage(
  holder: WireObject,
  [input, output]: readonly ['input_tokens', 'output_tokens'] | readonly ['prompt_tokens', 'completion_tokens'],
): Usage | null {
  const figures = holder['usage'];
  if (!isRecord(figures)) return null;
  const details = fieldObject(figures, `${input}_details`);
  const cachedInputTokens = fieldNumber(details, 'cached_tokens');
  const cacheWriteTokens = fieldNumber(details, 'cache_write_tokens');
  return {
    // OpenAI's input figure includes the tokens that were read from or written to the cache, so subtract them.
    inputTokens: Math.max(0, fieldNumber(figures, input) - cachedInputTokens - cacheWriteTokens),
    ...{ cachedInputTokens, cacheWriteTokens, outputTokens: fieldNumber(figures, output), costUsd: null },
  };
}
