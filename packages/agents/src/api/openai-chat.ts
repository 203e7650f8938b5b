import { isRecord } from '@onceover/base/kernel/json';
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
import { fieldNumber, fieldObject, fieldObjects, fieldText, parseArguments } from './wire-values.ts';

/** Calls the Chat Completions API, which most gateways and local servers offer. */
export const openaiChat: Dialect = {
  path: '/chat/completions',
  headers: openaiHeaders,
  body,
  hear,
  whole(answer) {
    const [choice = {}] = fieldObjects(answer, 'choices');
    return hear(NO_STREAM, { ...answer, choices: [{ ...choice, delta: fieldObject(choice, 'message') }] });
  },
  read(content) {
    const [message = {}] = content;
    const calls = fieldObjects(message, 'tool_calls').map((call) => ({
      ...{ id: fieldText(call, 'id'), name: fieldText(fieldObject(call, 'function'), 'name') },
      input: parseArguments(fieldText(fieldObject(call, 'function'), 'arguments')),
    }));
    return { text: fieldText(message, 'content'), calls };
  },
};

function body(request: ApiRequest): WireObject {
  const { model, opening, turns, schema, maxOutputTokens, isProvider, tier, isRepeat } = request;
  // With this field, vLLM and Ollama make the model answer at once, so that it could open no file. The prompt contains the
  // schema too, and onceover checks every answer.
  const isForced = isProvider || isRepeat || tier === 'batch';
  return {
    model,
    // Local servers know only the older name of this limit, and OpenAI accepts only the newer one.
    [isProvider ? 'max_completion_tokens' : 'max_tokens']: maxOutputTokens,
    ...(isProvider ? { prompt_cache_key: cacheKey(opening), store: false } : {}),
    ...serviceTier(request),
    ...(tier === 'batch' ? {} : { stream: true, stream_options: { include_usage: true }, tools: TOOLS.map(tool) }),
    ...(isForced ? { response_format: { type: 'json_schema', json_schema: answerFormat(schema) } } : {}),
    messages: [{ role: 'system', content: opening }, ...turns.flatMap(messages)],
  };
}

function tool({ name, description, parameters }: (typeof TOOLS)[number]): WireObject {
  return { type: 'function', function: { name, description, parameters } };
}

function messages(turn: Turn): readonly WireObject[] {
  switch (turn.kind) {
    case 'question':
      return [{ role: 'user', content: turn.text }];
    case 'model':
      return turn.content;
    case 'tools':
      return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
  }
}

const STOPS: Readonly<Record<string, EndReason>> = {
  stop: 'answer',
  tool_calls: 'tools',
  function_call: 'other',
  length: 'length',
  content_filter: 'refusal',
};

function hear(state: StreamState, data: WireObject): StreamState {
  if (isRecord(data['error'])) {
    const type = fieldText(data['error'], 'type') || fieldText(data['error'], 'code');
    return { ...state, error: { type, said: fieldText(data['error'], 'message') } };
  }
  const model = fieldText(data, 'model') || state.model;
  const [choice] = fieldObjects(data, 'choices');
  const next = { ...withUsage(state, data), model };
  if (choice === undefined) return next;
  const delta = fieldObject(choice, 'delta');
  const message = growMessage(next.content[0] ?? { role: 'assistant', content: '' }, delta);
  const stopWord = fieldText(choice, 'finish_reason') || next.stopWord;
  const isRefusal = fieldText(message, 'refusal') !== '';
  const endReason = STOPS[stopWord] ?? (stopWord === '' ? null : 'other');
  // Some servers report "stop" although the message calls tools.
  const stop = endReason === 'answer' && fieldObjects(message, 'tool_calls').length > 0 ? 'tools' : endReason;
  return {
    ...next,
    begun: true,
    content: [message],
    stopWord,
    stop: isRefusal && stop !== null ? 'refusal' : stop,
    done: stopWord !== '',
  };
}

function growMessage(message: WireObject, delta: WireObject): WireObject {
  const calls = [...fieldObjects(message, 'tool_calls')];
  for (const [at, piece] of fieldObjects(delta, 'tool_calls').entries()) {
    const index = typeof piece['index'] === 'number' ? fieldNumber(piece, 'index') : at;
    const before = calls[index] ?? { id: '', type: 'function', function: { name: '', arguments: '' } };
    const functionSoFar = fieldObject(before, 'function');
    const functionDelta = fieldObject(piece, 'function');
    calls[index] = {
      id: fieldText(piece, 'id') || fieldText(before, 'id'),
      type: 'function',
      function: {
        name: fieldText(functionSoFar, 'name') + fieldText(functionDelta, 'name'),
        arguments: fieldText(functionSoFar, 'arguments') + fieldText(functionDelta, 'arguments'),
      },
    };
  }
  const refusal = fieldText(message, 'refusal') + fieldText(delta, 'refusal');
  return {
    role: 'assistant',
    content: fieldText(message, 'content') + fieldText(delta, 'content'),
    ...(refusal === '' ? {} : { refusal }),
    ...(calls.length === 0 ? {} : { tool_calls: Array.from(calls, (call) => call ?? {}) }),
  };
}

function withUsage(state: StreamState, holder: WireObject): StreamState {
  const usage = openaiUsage(holder, ['prompt_tokens', 'completion_tokens']);
  return usage === null ? state : { ...state, usage };
}
