import type { PromptUse } from '../cache/entries.ts';
import { matchesEndpoints, planOpenai } from '../cache/openai.ts';
import { isObject, type Json, type JsonObject, objectAt, objectsIn, stringAt } from '../json.ts';
import { openaiRules } from '../rules/openai.ts';
import { outputTokens, STRUCTURED_TOOL, thinkingTokens } from './content.ts';
import { offeredTool, toolNames } from './openai-tools.ts';
import { inTwo, namedEvent } from './sse.ts';
import type { Content, Saying, Wire, WireAnswer, WireError } from './wire.ts';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'invalid_request_error',
  403: 'invalid_request_error',
  404: 'invalid_request_error',
  413: 'invalid_request_error',
  429: 'rate_limit_exceeded',
};

/** OpenAI's Responses API. */
export const openaiWire: Wire = {
  provider: 'openai',
  rules: openaiRules,
  summarize(body) {
    const items = objectsIn(body['input']);
    const lastUser = items.findLast((item) => item['role'] === 'user');
    const newest = items.slice(items.findLastIndex((item) => !isToolOutput(item)) + 1);
    const structured = offeredTool(body, STRUCTURED_TOOL)?.tool['parameters'];
    return {
      model: stringAt(body, 'model'),
      tools: toolNames(body),
      schema: objectAt(objectAt(body, 'text'), 'format')['schema'] ?? structured ?? null,
      lastUserText: typeof body['input'] === 'string' ? body['input'] : textOf(lastUser?.['content']),
      toolResults: newest.map((item) => textOf(item['output'])),
    };
  },
  isAside: (body) => toolNames(body).length === 0 && /title generator/i.test(JSON.stringify(openingOf(body))),
  plan: planOpenai,
  answer,
  counted: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  error: (error, id) => ({ headers: { 'x-request-id': `req_${id}`, ...limitHeaders(error) }, body: errorBody(error) }),
};

function answer({ id, body, content, use, stops }: Saying): WireAnswer {
  const output = content.map((one, i) => itemOf(one, `${id}_${i}`, body));
  const usage = usageOf(use, content, stringAt(body, 'model'));
  const response = { id: `resp_${id}`, object: 'response', created_at: 0, model: stringAt(body, 'model') };
  const open = { ...response, status: 'in_progress', output: [] };
  const status = stops === null ? 'completed' : 'incomplete';
  const reasons = { 'at-limit': 'max_output_tokens', refused: 'content_filter' };
  const incomplete_details = stops === null ? null : { reason: reasons[stops] };
  const whole = { ...response, status, error: null, incomplete_details, output, usage };
  const events = [
    { type: 'response.created', response: open },
    { type: 'response.in_progress', response: open },
    ...output.flatMap((item, index) => itemEvents(item, index)),
    { type: `response.${status}`, response: whole },
  ];
  return { whole, events: events.map((event, i) => namedEvent({ ...event, sequence_number: i })), usage };
}

function usageOf(use: PromptUse, content: readonly Content[], model: string): JsonObject {
  const output = outputTokens(content);
  return {
    input_tokens: use.total,
    input_tokens_details: {
      cached_tokens: use.read,
      ...(matchesEndpoints(model) ? { cache_write_tokens: use.write } : {}),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: thinkingTokens(content) },
    total_tokens: use.total + output,
  };
}

function itemOf(content: Content, id: string, body: JsonObject): JsonObject {
  switch (content.kind) {
    case 'thinking': {
      const summary = [{ type: 'summary_text', text: content.text }];
      return { type: 'reasoning', id: `rs_${id}`, summary, encrypted_content: `simulated-${id}` };
    }
    case 'text': {
      const parts = [{ type: 'output_text', text: content.text, annotations: [], logprobs: [] }];
      return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content: parts };
    }
    case 'call': {
      const offered = offeredTool(body, content.name);
      const call = { call_id: `call_${id}`, name: content.name, status: 'completed' };
      if (offered?.tool['type'] === 'custom') {
        return { type: 'custom_tool_call', id: `ctc_${id}`, ...call, input: stringAt(content.input, 'input') };
      }
      const namespace = offered === null || offered.namespace === null ? {} : { namespace: offered.namespace };
      const fields = { ...call, ...namespace, arguments: JSON.stringify(content.input) };
      return { type: 'function_call', id: `fc_${id}`, ...fields };
    }
  }
}

type Event = JsonObject & { readonly type: string };

function itemEvents(item: JsonObject, index: number): readonly Event[] {
  const at = { output_index: index, item_id: stringAt(item, 'id') };
  const added = (shown: JsonObject): Event => ({
    type: 'response.output_item.added',
    output_index: index,
    item: { ...shown, status: 'in_progress' },
  });
  const done: Event = { type: 'response.output_item.done', output_index: index, item };
  if (item['type'] === 'message') {
    const part = objectsIn(item['content'])[0] ?? {};
    const text = stringAt(part, 'text');
    const inside = { ...at, content_index: 0 };
    return [
      added({ ...item, content: [] }),
      { type: 'response.content_part.added', ...inside, part: { ...part, text: '' } },
      ...inTwo(text).map((delta) => ({ type: 'response.output_text.delta', ...inside, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...inside, text, logprobs: [] },
      { type: 'response.content_part.done', ...inside, part },
      done,
    ];
  }
  if (item['type'] === 'function_call') {
    const text = stringAt(item, 'arguments');
    return [
      added({ ...item, arguments: '' }),
      ...inTwo(text).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
      { type: 'response.function_call_arguments.done', ...at, arguments: text },
      done,
    ];
  }
  return [added(item), done];
}

function errorBody(error: WireError): Json {
  const type = error.type ?? ERROR_TYPES[error.status] ?? 'server_error';
  const code = error.code ?? (error.status === 401 ? 'invalid_api_key' : null);
  const resets = error.resetsAt === undefined ? {} : { resets_at: Math.ceil(error.resetsAt / 1000) };
  return { error: { message: error.message, type, param: error.param ?? null, code, ...resets } };
}

function limitHeaders(error: WireError): Readonly<Record<string, string>> {
  if (error.retryAfterSeconds === undefined) return {};
  const seconds = String(error.retryAfterSeconds);
  return { 'retry-after': seconds, 'x-ratelimit-reset-requests': `${seconds}s` };
}

function isToolOutput(item: JsonObject): boolean {
  return stringAt(item, 'type').endsWith('_call_output');
}

function openingOf(body: JsonObject): Json {
  const first = objectsIn(body['input'])[0];
  return [body['instructions'] ?? null, first ?? null];
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => (isObject(part) ? stringAt(part, 'text') : '')).join('') : '';
}
