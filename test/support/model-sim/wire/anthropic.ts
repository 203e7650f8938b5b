import { planAnthropic } from '../cache/anthropic.ts';
import { contentOf } from '../cache/anthropic-blocks.ts';
import type { PromptUse } from '../cache/entries.ts';
import { type Json, type JsonObject, objectsIn, stringAt } from '../json.ts';
import { anthropicRules } from '../rules/anthropic.ts';
import { outputTokens, STRUCTURED_TOOL, thinkingTokens } from './content.ts';
import { inTwo, namedEvent } from './sse.ts';
import type { Content, Saying, Wire, WireAnswer, WireError } from './wire.ts';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Anthropic's Messages API. */
export const anthropicWire: Wire = {
  provider: 'anthropic',
  rules: anthropicRules,
  summarize(body) {
    const tools = objectsIn(body['tools']);
    const last = objectsIn(body['messages']).findLast((message) => message['role'] === 'user');
    const blocks = contentOf(last?.['content']);
    return {
      model: stringAt(body, 'model'),
      tools: tools.map((tool) => stringAt(tool, 'name')),
      schema: tools.find((tool) => tool['name'] === STRUCTURED_TOOL)?.['input_schema'] ?? null,
      lastUserText: blocks.map((block) => stringAt(block, 'text')).join(''),
      toolResults: blocks.filter((block) => block['type'] === 'tool_result').map((block) => textOf(block['content'])),
    };
  },
  isAside: (body) => contentOf(body['system']).some((block) => /title generator/i.test(stringAt(block, 'text'))),
  plan: planAnthropic,
  answer,
  counted: (tokens) => ({ input_tokens: tokens }),
  error: (error, id) => ({
    headers: { 'request-id': `req_${id}`, ...limitHeaders(error) },
    body: errorBody(error, id),
  }),
};

function answer({ id, body, content, use, stops }: Saying): WireAnswer {
  const blocks = content.map((one, i) => blockOf(one, `toolu_${id}_${i}`));
  const ended = content.some(({ kind }) => kind === 'call') ? 'tool_use' : 'end_turn';
  const stop = stops === null ? ended : { 'at-limit': 'max_tokens', refused: 'refusal' }[stops];
  const usage = usageOf(use, content);
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: stringAt(body, 'model') };
  const started = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const events = [
    namedEvent({ type: 'message_start', message: started }),
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
    namedEvent({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage }),
    namedEvent({ type: 'message_stop' }),
  ];
  return { whole: { ...message, content: blocks, stop_reason: stop, stop_sequence: null, usage }, events, usage };
}

function usageOf(use: PromptUse, content: readonly Content[]): JsonObject {
  return {
    input_tokens: use.input,
    cache_creation_input_tokens: use.write,
    cache_read_input_tokens: use.read,
    cache_creation: {
      ephemeral_5m_input_tokens: use.write - use.write1h,
      ephemeral_1h_input_tokens: use.write1h,
    },
    output_tokens: outputTokens(content),
    output_tokens_details: { thinking_tokens: thinkingTokens(content) },
    service_tier: 'standard',
  };
}

function blockOf(content: Content, callId: string): JsonObject {
  switch (content.kind) {
    case 'thinking':
      return { type: 'thinking', thinking: content.text, signature: 'c2ltdWxhdGVk' };
    case 'text':
      return { type: 'text', text: content.text };
    case 'call':
      return { type: 'tool_use', id: callId, name: content.name, input: content.input };
  }
}

function blockEvents(block: JsonObject, index: number): readonly string[] {
  const delta = (change: JsonObject) => namedEvent({ type: 'content_block_delta', index, delta: change });
  return [
    namedEvent({ type: 'content_block_start', index, content_block: emptied(block) }),
    ...deltasOf(block).map(delta),
    namedEvent({ type: 'content_block_stop', index }),
  ];
}

function emptied(block: JsonObject): JsonObject {
  if (block['type'] === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return block['type'] === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
}

function deltasOf(block: JsonObject): readonly JsonObject[] {
  if (block['type'] === 'text') return inTwo(stringAt(block, 'text')).map((text) => ({ type: 'text_delta', text }));
  if (block['type'] === 'tool_use') {
    const pieces = inTwo(JSON.stringify(block['input']));
    return pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  }
  return [
    ...inTwo(stringAt(block, 'thinking')).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: stringAt(block, 'signature') },
  ];
}

function errorBody(error: WireError, id: string): Json {
  const type = error.type ?? ERROR_TYPES[error.status] ?? 'api_error';
  return { type: 'error', error: { type, message: error.message }, request_id: `req_${id}` };
}

function limitHeaders(error: WireError): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (error.resetsAt !== undefined) {
    headers['anthropic-ratelimit-requests-reset'] = new Date(error.resetsAt).toISOString();
    headers['anthropic-ratelimit-unified-status'] = 'rejected';
    headers['anthropic-ratelimit-unified-reset'] = String(Math.ceil(error.resetsAt / 1000));
  }
  return headers;
}

function textOf(content: Json | undefined): string {
  return contentOf(content)
    .map((block) => stringAt(block, 'text'))
    .join('');
}
