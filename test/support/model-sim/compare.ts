import { contentOf } from './cache/anthropic-blocks.ts';
import { type Json, type JsonObject, objectsIn, without } from './json.ts';
import type { LoggedRequest } from './log.ts';

/** The part of an earlier request that a later one repeats. */
export type Comparison = {
  readonly toolsIdentical: boolean;
  readonly systemIdentical: boolean;
  /** Whether the later messages begin with the earlier ones, ignoring cache markers. */
  readonly messagesPrefixIdentical: boolean;
  /** Number of equal messages from the beginning. */
  readonly commonMessages: number;
  /** Number of messages that the later request has more than the earlier one. */
  readonly extraMessages: number;
  readonly commonBytes: number;
};

/** Compares a request with an earlier one of the same provider. */
export function compareRequests(earlier: LoggedRequest, later: LoggedRequest): Comparison {
  const [a, b] = [partsOf(earlier), partsOf(later)];
  const differs = a.messages.findIndex((message, i) => message !== b.messages[i]);
  const commonMessages = differs === -1 ? a.messages.length : differs;
  return {
    toolsIdentical: a.tools === b.tools,
    systemIdentical: a.system === b.system,
    messagesPrefixIdentical: commonMessages === a.messages.length,
    commonMessages,
    extraMessages: b.messages.length - a.messages.length,
    commonBytes: commonPrefixLength(earlier.raw, later.raw),
  };
}

/** Number of equal bytes from the beginning. */
export function commonPrefixLength(a: Uint8Array, b: Uint8Array): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a[at] === b[at]) at += 1;
  return at;
}

type Parts = { readonly tools: string; readonly system: string; readonly messages: readonly string[] };

function partsOf({ body, target }: LoggedRequest): Parts {
  const request = body ?? {};
  const provider = target.kind === 'generate' ? target.provider : 'anthropic';
  switch (provider) {
    case 'anthropic':
      return {
        tools: text(objectsIn(request['tools']).map(unmarked)),
        system: text(contentOf(request['system']).map(unmarked)),
        messages: objectsIn(request['messages']).map((message) =>
          text({ ...message, content: contentOf(message['content']).map(unmarked) }),
        ),
      };
    case 'openai':
      return {
        tools: text(request['tools'] ?? null),
        system: text([request['instructions'] ?? null, request['text'] ?? null]),
        messages: objectsIn(request['input']).map(text),
      };
    case 'gemini':
      return {
        tools: text(request['tools'] ?? null),
        system: text(request['systemInstruction'] ?? null),
        messages: objectsIn(request['contents']).map(text),
      };
  }
}

function unmarked(block: JsonObject): JsonObject {
  return without(block, 'cache_control');
}

function text(value: Json): string {
  return JSON.stringify(value);
}
