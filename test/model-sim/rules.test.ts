import type { Json, JsonObject } from '@onceover/testing/model-sim/json.ts';
import {
  callsHaveResults,
  firstMessageFromUser,
  fourBreakpoints,
  longerTtlFirst,
  resultsHaveCalls,
} from '@onceover/testing/model-sim/rules/anthropic.ts';
import { asManyResponsesAsCalls, endsWithUser, someContents } from '@onceover/testing/model-sim/rules/gemini.ts';
import { outputsHaveCalls, strictAnswerSchema, strictToolSchemas } from '@onceover/testing/model-sim/rules/openai.ts';
import type { Rule } from '@onceover/testing/model-sim/wire/wire.ts';
import { describe, expect, test } from 'vitest';

type Case = readonly [title: string, body: JsonObject, message: string | null];

function cases(rule: Rule, all: readonly Case[]): void {
  test.each(all)('%s', (_title, body, message) => {
    const rejection = rule(body);
    if (message === null) expect(rejection).toBeNull();
    else expect(rejection).toMatchObject({ status: 400, message: expect.stringContaining(message) });
  });
}

const mark = (ttl?: string): JsonObject => ({
  cache_control: ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl },
});
const text = (more: JsonObject = {}): JsonObject => ({ type: 'text', text: 'x', ...more });
const says = (role: string, ...content: readonly JsonObject[]): JsonObject => ({ role, content });
const call = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string): JsonObject => ({ type: 'tool_result', tool_use_id: id, content: 'x' });

describe('Anthropic: at most four breakpoints', () => {
  const marked = (count: number) => says('user', ...Array.from({ length: count }, () => text(mark())));
  cases(fourBreakpoints, [
    ['four', { messages: [marked(4)] }, null],
    ['five', { messages: [marked(5)] }, 'A maximum of 4 blocks with cache_control may be provided. Found 5.'],
    ['over all sections', { tools: [mark()], system: [text(mark())], messages: [marked(3)] }, 'Found 5.'],
    ['the automatic one counts', { ...mark(), messages: [marked(4), says('user', text())] }, 'Found 5.'],
    ['the automatic one at a marked block', { ...mark(), messages: [marked(4)] }, null],
  ]);
});

describe('Anthropic: longer lifetimes first', () => {
  const wrong = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block";
  cases(longerTtlFirst, [
    ['an hour, then five minutes', { system: [text(mark('1h'))], messages: [says('user', text(mark()))] }, null],
    ['five minutes, then an hour', { system: [text(mark())], messages: [says('user', text(mark('1h')))] }, wrong],
    ['tools come first', { tools: [mark('5m')], system: [text(mark('1h'))] }, 'system.0.cache_control.ttl'],
    ['all the same', { tools: [mark('1h')], system: [text(mark('1h'))] }, null],
  ]);
});

describe('Anthropic: the first message', () => {
  cases(firstMessageFromUser, [
    ['is the user’s', { messages: [says('user', text())] }, null],
    ['is the assistant’s', { messages: [says('assistant', text())] }, 'first message must use the "user" role'],
    ['is missing', { messages: [] }, 'at least one message is required'],
  ]);
});

describe('Anthropic: results belong to calls', () => {
  const asked = [says('user', text()), says('assistant', call('t1'))];
  cases(resultsHaveCalls, [
    ['of the message before', { messages: [...asked, says('user', result('t1'))] }, null],
    [
      'with a system message between',
      { messages: [...asked, says('system', text()), says('user', result('t1'))] },
      null,
    ],
    [
      'of an unknown call',
      { messages: [...asked, says('user', result('t2'))] },
      'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t2.',
    ],
    [
      'of an older message',
      { messages: [...asked, says('user', result('t1')), says('assistant', text()), says('user', result('t1'))] },
      'messages.4.content.0: unexpected `tool_use_id`',
    ],
  ]);
});

describe('Anthropic: calls are answered', () => {
  const asked = [says('user', text()), says('assistant', call('t1'), call('t2'))];
  cases(callsHaveResults, [
    ['all of them', { messages: [...asked, says('user', result('t2'), result('t1'))] }, null],
    [
      'one of two',
      { messages: [...asked, says('user', result('t1'))] },
      'without `tool_result` blocks immediately after: t2',
    ],
  ]);
});

describe('OpenAI: strict schemas', () => {
  const item = (more: JsonObject): JsonObject => ({ type: 'object', properties: { a: {}, b: {} }, ...more });
  const whole = { required: ['a', 'b'], additionalProperties: false };
  const format = (schema: Json, strict = true): JsonObject => ({
    text: { format: { type: 'json_schema', name: 'review', strict, schema } },
  });
  const nested = (schema: Json): JsonObject => ({
    type: 'object',
    properties: { list: { type: 'array', items: schema } },
    required: ['list'],
    additionalProperties: false,
  });
  cases(strictAnswerSchema, [
    ['complete', format(item(whole)), null],
    ['no format', {}, null],
    ['not strict', format(item({}), false), null],
    ['others allowed', format(item({ required: ['a', 'b'] })), "In context=(), 'additionalProperties' is required"],
    ['one optional', format(item({ ...whole, required: ['a'] })), "Missing 'b'."],
    ['none required', format(item({ additionalProperties: false })), "Missing 'a'."],
    ['inside a list', format(nested(item({}))), "In context=('properties', 'list', 'items')"],
    ['inside a choice', format(nested({ anyOf: [{ type: 'null' }, item({})] })), "'anyOf', '1'"],
    ['inside a definition', format({ ...item(whole), $defs: { x: item({}) } }), "'$defs', 'x'"],
  ]);
  cases(strictToolSchemas, [
    ['a strict tool', { tools: [{ type: 'function', name: 'f', strict: true, parameters: item({}) }] }, "function 'f'"],
    ['a lax tool', { tools: [{ type: 'function', name: 'f', strict: false, parameters: item({}) }] }, null],
  ]);

  test('the error names code and parameter', () => {
    expect(strictAnswerSchema(format(item({})))).toMatchObject({
      code: 'invalid_json_schema',
      param: 'text.format.schema',
    });
  });
});

describe('OpenAI: outputs belong to calls', () => {
  const called = { type: 'function_call', call_id: 'c1' };
  const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'x' });
  cases(outputsHaveCalls, [
    ['of a call before', { input: [called, output('c1')] }, null],
    ['of a custom call', { input: [{ type: 'custom_tool_call', call_id: 'c1' }, output('c1')] }, null],
    [
      'of a later call',
      { input: [output('c1'), called] },
      'No tool call found for function call output with call_id c1.',
    ],
    ['of an unknown call', { input: [called, output('c2')] }, 'call_id c2'],
  ]);
});

describe('Gemini', () => {
  const turn = (role: string, ...parts: readonly JsonObject[]): JsonObject => ({ role, parts });
  const question = turn('user', { text: 'x' });
  const asked = turn('model', { functionCall: { name: 'f', args: {} } });
  const answered = { functionResponse: { name: 'f', response: {} } };
  const uneven = 'number of function response parts is equal to the number of function call parts';
  cases(someContents, [
    ['contents', { contents: [question] }, null],
    ['no contents', { contents: [] }, 'contents is not specified'],
  ]);
  cases(endsWithUser, [
    ['ends with the user', { contents: [question, turn('model', { text: 'y' }), question] }, null],
    ['ends with a function’s response', { contents: [question, asked, turn('user', answered)] }, null],
    ['ends with the model', { contents: [question, asked] }, 'ends with a user role or a function response'],
  ]);
  cases(asManyResponsesAsCalls, [
    ['one response', { contents: [question, asked, turn('user', answered)] }, null],
    ['a response twice', { contents: [question, asked, turn('user', answered, answered)] }, uneven],
    ['no response', { contents: [question, asked, question] }, uneven],
  ]);
});
