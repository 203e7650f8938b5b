import { isRecord } from '@onceover/base/kernel/json';
import { strictSchema } from '@onceover/base/kernel/strict-schema';
import { answerFormat, cacheKey, openaiHeaders, openaiUsage, serviceTier } from './openai-shared.ts';
import { TOOLS } from './tool-list.ts';
import {
  type ApiRequest,
  type Dialect,
  type EndReason,
  NO_STREAM,
  type StreamState,
  type Turn,
  type WireObject,
} from './types.ts';
import { fieldObject, fieldObjects, fieldText, parseArguments } from './wire-values.ts';

/**
 * Calls OpenAI's Responses API. onceover asks OpenAI not to store anything, so every request sends the whole
 * conversation.
 */
export const openaiResponses: Dialect = {
  path: '/responses',
  headers: openaiHeaders,
  body,
  hear,
  whole(response) {
    const status = fieldText(response, 'status');
    const type = `response.${status === 'completed' || status === 'incomplete' ? status : 'failed'}`;
    const model = fieldText(response, 'model') || null;
    const content = fieldObjects(response, 'output').map(withoutId);
    return hear({ ...NO_STREAM, begun: true, content, model }, { type, response });
  },
  read(content) {
    const parts = content.filter(({ type }) => type === 'message').flatMap((item) => fieldObjects(item, 'content'));
    const calls = content
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({
        ...{ id: fieldText(item, 'call_id'), name: fieldText(item, 'name') },
        input: parseArguments(fieldText(item, 'arguments')),
      }));
    return { text: parts.map((part) => fieldText(part, 'text')).join(''), calls };
  },
};

// Since GPT-5.6, models use the cache only at marked positions. So the shared start of the prompt needs a mark at its
// end.
const HAS_BREAKPOINTS = /(?:^|\/)gpt-(?:5\.(?:[6-9]|\d\d)|[6-9]|\d\d)/;

function body(request: ApiRequest): WireObject {
  const { model, opening, turns, schema, maxOutputTokens, isProvider } = request;
  const point = HAS_BREAKPOINTS.test(model) ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {};
  return {
    model,
    store: false,
    // Without this field, the model would lose its reasoning between the requests of one review.
    ...(isProvider ? { include: ['reasoning.encrypted_content'] } : {}),
    max_output_tokens: maxOutputTokens,
    prompt_cache_key: cacheKey(opening),
    ...serviceTier(request),
    ...(request.tier === 'batch' ? {} : { stream: true, parallel_tool_calls: true, tools: TOOLS.map(tool) }),
    text: { format: { type: 'json_schema', ...answerFormat(schema) } },
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: opening, ...point }] },
      ...turns.flatMap((turn) => items(turn)),
    ],
  };
}

function tool({ name, description, parameters }: (typeof TOOLS)[number]): WireObject {
  return {
    ...{ type: 'function', name, description },
    ...{ strict: true, parameters: strictSchema({ ...parameters, additionalProperties: false }) },
  };
}

function items(turn: Turn): readonly WireObject[] {
  switch (turn.kind) {
    case 'question':
      return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: turn.text }] }];
    case 'model':
      return turn.content;
    case 'tools':
      return turn.results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text }));
  }
}

function hear(state: StreamState, data: WireObject): StreamState {
  switch (data['type']) {
    case 'response.created':
    case 'response.in_progress':
      return { ...state, model: fieldText(fieldObject(data, 'response'), 'model') || state.model };
    case 'response.output_item.done':
      return { ...state, begun: true, content: [...state.content, withoutId(fieldObject(data, 'item'))] };
    case 'response.completed':
      return endState(state, fieldObject(data, 'response'), null);
    case 'response.incomplete': {
      const response = fieldObject(data, 'response');
      const why = fieldText(fieldObject(response, 'incomplete_details'), 'reason');
      return endState(state, response, why === 'content_filter' ? 'refusal' : 'length', why);
    }
    case 'response.failed':
    case 'error': {
      const response = fieldObject(data, 'response');
      const error = isRecord(response['error']) ? response['error'] : isRecord(data['error']) ? data['error'] : data;
      const type = fieldText(error, 'code') || fieldText(error, 'type');
      return { ...withUsage(state, response), error: { type, said: fieldText(error, 'message') } };
    }
    default:
      return String(data['type']).startsWith('response.output') ? { ...state, begun: true } : state;
  }
}

// Remove the ids: they refer to items stored at the provider, and with `store: false` nothing is stored there.
function withoutId({ id: _id, status: _status, ...item }: WireObject): WireObject {
  return item;
}

function endState(state: StreamState, response: WireObject, stop: EndReason | null, why = ''): StreamState {
  const isRefusal = state.content.some((item) => fieldObjects(item, 'content').some(({ type }) => type === 'refusal'));
  const calls = state.content.some(({ type }) => type === 'function_call');
  return {
    ...withUsage(state, response),
    done: true,
    stop: stop ?? (isRefusal ? 'refusal' : calls ? 'tools' : 'answer'),
    stopWord: why || fieldText(response, 'status'),
  };
}

function withUsage(state: StreamState, holder: WireObject): StreamState {
  const usage = openaiUsage(holder, ['input_tokens', 'output_tokens']);
  return usage === null ? state : { ...state, usage };
}
