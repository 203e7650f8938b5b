import { isRecord } from '@onceover/base/kernel/json';
import { plainSchema } from '@onceover/base/kernel/strict-schema';
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
import { fieldNumber, fieldObject, fieldObjects, fieldText, parseArguments } from './wire-values.ts';

const VERSION = '2023-06-01';

/** Calls Anthropic's Messages API. */
export const anthropicMessages: Dialect = {
  path: '/v1/messages',
  headers: (key) => ({ 'anthropic-version': VERSION, ...(key === null ? {} : { 'x-api-key': key }) }),
  body,
  hear,
  whole(message) {
    const content = fieldObjects(message, 'content');
    const startState = hear(NO_STREAM, { type: 'message_start', message });
    return { ...hear({ ...startState, content }, { type: 'message_delta', delta: message }), done: true };
  },
  read(content) {
    const texts = content.filter(({ type }) => type === 'text').map((block) => fieldText(block, 'text'));
    const calls = content
      .filter(({ type }) => type === 'tool_use')
      .map((block) => ({
        ...{ id: fieldText(block, 'id'), name: fieldText(block, 'name') },
        input: isRecord(block['input']) ? block['input'] : null,
      }));
    return { text: texts.join(''), calls };
  },
};

/**
 * Returns the body of a request, with cache breakpoints: positions up to which the provider may cache the prompt. They
 * are at the end of the shared start (tools, instructions and change) and at the ends of our last two turns, because a
 * breakpoint finds an earlier one only within 20 blocks. Text that no later request will read gets no breakpoint,
 * because writing to the cache costs at least a quarter more than plain input.
 */
function body(request: ApiRequest): WireObject {
  const { model, opening, turns, schema, cacheTtl, maxOutputTokens, tier } = request;
  const point = { cache_control: cacheTtl === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' } };
  const ownTurns = turns.flatMap(({ kind }, at) => (kind === 'model' ? [] : [at]));
  const breakpoints = new Set(request.leavesEndUncached ? ownTurns.slice(-2, -1) : ownTurns.slice(-2));
  return {
    model,
    max_tokens: maxOutputTokens,
    ...(tier === 'batch' ? {} : { stream: true, tools: TOOLS.map(tool) }),
    system: [{ type: 'text', text: opening, ...point }],
    messages: turns.map((turn, at) => message(turn, breakpoints.has(at) ? point : {})),
    output_config: { format: { type: 'json_schema', schema: plainSchema(schema) } },
  };
}

function tool({ name, description, parameters }: (typeof TOOLS)[number]): WireObject {
  return { name, description, input_schema: parameters };
}

function message(turn: Turn, point: object): WireObject {
  switch (turn.kind) {
    case 'question':
      return { role: 'user', content: [{ type: 'text', text: turn.text, ...point }] };
    case 'model':
      return { role: 'assistant', content: turn.content };
    case 'tools':
      return {
        role: 'user',
        content: turn.results.map(({ id, text, failed }, at) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: text,
          ...(failed ? { is_error: true } : {}),
          ...(at === turn.results.length - 1 ? point : {}),
        })),
      };
  }
}

function hear(state: StreamState, data: WireObject): StreamState {
  const index = fieldNumber(data, 'index');
  switch (data['type']) {
    case 'message_start': {
      const startMessage = fieldObject(data, 'message');
      return { ...withUsage(state, startMessage), begun: true, model: fieldText(startMessage, 'model') || null };
    }
    case 'content_block_start':
      return withBlock(state, index, () => openBlock(fieldObject(data, 'content_block')));
    case 'content_block_delta':
      return withBlock(state, index, (block) => growBlock(block, fieldObject(data, 'delta')));
    case 'content_block_stop':
      return withBlock(state, index, closeBlock);
    case 'message_delta': {
      const stopWord = fieldText(fieldObject(data, 'delta'), 'stop_reason') || state.stopWord;
      return { ...withUsage(state, data), stopWord, stop: STOPS[stopWord] ?? (stopWord === '' ? null : 'other') };
    }
    case 'message_stop':
      return { ...state, done: true };
    case 'error': {
      const error = fieldObject(data, 'error');
      return { ...state, error: { type: fieldText(error, 'type'), said: fieldText(error, 'message') } };
    }
    default:
      return state;
  }
}

const STOPS: Readonly<Record<string, EndReason>> = {
  end_turn: 'answer',
  tool_use: 'tools',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
};

function withBlock(state: StreamState, index: number, change: (block: WireObject) => WireObject): StreamState {
  const content = [...state.content];
  content[index] = change(content[index] ?? {});
  return { ...state, content };
}

// The input of a tool call arrives as pieces of JSON text. Collect them as text; `closeBlock` parses it when the block
// is complete.
function openBlock(block: WireObject): WireObject {
  return block['type'] === 'tool_use' ? { ...block, input: '' } : block;
}

function growBlock(block: WireObject, delta: WireObject): WireObject {
  switch (delta['type']) {
    case 'text_delta':
      return { ...block, text: fieldText(block, 'text') + fieldText(delta, 'text') };
    case 'input_json_delta':
      return { ...block, input: fieldText(block, 'input') + fieldText(delta, 'partial_json') };
    case 'thinking_delta':
      return { ...block, thinking: fieldText(block, 'thinking') + fieldText(delta, 'thinking') };
    case 'signature_delta':
      return { ...block, signature: fieldText(delta, 'signature') };
    default:
      return block;
  }
}

function closeBlock(block: WireObject): WireObject {
  if (block['type'] !== 'tool_use') return block;
  return { ...block, input: parseArguments(fieldText(block, 'input')) ?? { unreadable: fieldText(block, 'input') } };
}

function withUsage(state: StreamState, holder: WireObject): StreamState {
  const figures = holder['usage'];
  if (!isRecord(figures)) return state;
  // The last usage event usually repeats the figures of the prompt, but some gateways omit them. Then keep the earlier
  // figures.
  const latest = (key: string, before: number) => (key in figures ? fieldNumber(figures, key) : before);
  const { usage } = state;
  return {
    ...state,
    usage: {
      inputTokens: latest('input_tokens', usage?.inputTokens ?? 0),
      cachedInputTokens: latest('cache_read_input_tokens', usage?.cachedInputTokens ?? 0),
      cacheWriteTokens: latest('cache_creation_input_tokens', usage?.cacheWriteTokens ?? 0),
      outputTokens: latest('output_tokens', usage?.outputTokens ?? 0),
      costUsd: null,
    },
    hourTokens: Math.max(state.hourTokens, fieldNumber(figures['cache_creation'], 'ephemeral_1h_input_tokens')),
  };
}

/** Returns the content without the gaps that a damaged stream can leave. */
export function wholeContent(content: readonly WireObject[]): readonly WireObject[] {
  return fieldObjects({ content: Array.from(content) }, 'content');
}
