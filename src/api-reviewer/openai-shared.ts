import type { Usage } from '../kernel/agent.ts';
import { sha256 } from '../kernel/ids.ts';
import { isRecord } from '../kernel/json.ts';
import { strictSchema } from '../kernel/strict-schema.ts';
import type { ApiRequest, WireObject } from './types.ts';
import { fieldNumber, fieldObject } from './wire-values.ts';

/** Returns the headers of both APIs of OpenAI. */
export function openaiHeaders(key: string | null): Readonly<Record<string, string>> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** Returns the format of the answer, which the two APIs put into different places. */
export function answerFormat(schema: object): WireObject {
  return { name: 'answer', strict: true, schema: strictSchema(schema) };
}

/** Returns the field for a cheaper and slower answer. A batch is cheaper without it. */
export function serviceTier({ tier }: Pick<ApiRequest, 'tier'>): WireObject {
  return tier === 'flex' ? { service_tier: 'flex' } : {};
}

/** Returns the key that makes requests with the same start go to the same machine of the provider. */
export function cacheKey(opening: string): string {
  return `onceover-${sha256(opening).slice(0, 32)}`;
}

/** Returns the usage of an answer; `null` if it has none. The APIs name the same figures differently. */
export function openaiUsage(
  holder: WireObject,
  [input, output]: readonly ['input_tokens', 'output_tokens'] | readonly ['prompt_tokens', 'completion_tokens'],
): Usage | null {
  const told = holder['usage'];
  if (!isRecord(told)) return null;
  const details = fieldObject(told, `${input}_details`);
  const cachedInputTokens = fieldNumber(details, 'cached_tokens');
  const cacheWriteTokens = fieldNumber(details, 'cache_write_tokens');
  return {
    // OpenAI counts cached and written tokens as input too.
    inputTokens: Math.max(0, fieldNumber(told, input) - cachedInputTokens - cacheWriteTokens),
    ...{ cachedInputTokens, cacheWriteTokens, outputTokens: fieldNumber(told, output), costUsd: null },
  };
}
