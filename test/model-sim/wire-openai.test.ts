import { eventsOf, objectOf, post, textOfTokens } from '@onceover/testing/model-sim/client.ts';
import { type JsonObject, objectAt, objectsIn } from '@onceover/testing/model-sim/json.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

const PATH = '/v1/responses';
const ask = (more: JsonObject = {}): JsonObject => ({
  model: 'gpt-5.4',
  stream: true,
  instructions: 'You review.',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Review.' }] }],
  ...more,
});
const completed = async (label: string, body: JsonObject): Promise<JsonObject> => {
  const events = await eventsOf(await post(sim, PATH, body, { label }));
  return objectAt(events.at(-1)?.data ?? {}, 'response');
};

describe('OpenAI Responses', () => {
  test('a text is streamed from created to completed, numbered in order', async () => {
    sim.script('text', { kind: 'text', text: 'All good.' });
    const events = await eventsOf(await post(sim, PATH, ask(), { label: 'text' }));
    expect(events.map(({ event }) => event)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(({ data }) => data['sequence_number'])).toEqual(events.map((_, i) => i));
    expect(events.map(({ data }) => data['delta'] ?? '').join('')).toBe('All good.');
    expect(objectAt(events.at(-1)?.data ?? {}, 'response')).toMatchObject({
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'All good.' }] }],
    });
  });

  const tools: readonly (readonly [string, JsonObject, JsonObject, JsonObject])[] = [
    [
      'a function',
      { tools: [{ type: 'function', name: 'read' }] },
      { path: 'a' },
      { type: 'function_call', arguments: '{"path":"a"}' },
    ],
    [
      'a function in a namespace',
      { tools: [{ type: 'namespace', name: 'mcp__x', tools: [{ type: 'function', name: 'read' }] }] },
      { path: 'a' },
      { type: 'function_call', namespace: 'mcp__x', arguments: '{"path":"a"}' },
    ],
    [
      'a free-form tool',
      { tools: [{ type: 'custom', name: 'read' }] },
      { input: 'a' },
      { type: 'custom_tool_call', input: 'a' },
    ],
    [
      'a tool that the input adds',
      { input: [{ type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'read' }] }] },
      { input: 'a' },
      { type: 'custom_tool_call', input: 'a' },
    ],
  ];
  test.each(tools)('%s is called in its own form', async (title, body, input, expected) => {
    sim.script(title, { kind: 'tools', thinking: 'Hm.', text: 'I look.', calls: [{ name: 'read', input }] });
    const { output } = await completed(title, ask(body));
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hm.' }] },
      { type: 'message' },
      { name: 'read', call_id: expect.stringMatching(/^call_/), ...expected },
    ]);
  });

  test('a structured answer is JSON text, or a call if its tool is offered', async () => {
    sim.script('structured', { kind: 'structured', value: { status: 'pass' } });
    const format = { type: 'json_schema', name: 'a', strict: true, schema: { type: 'string' } };
    const plain = await completed('structured', ask({ text: { format } }));
    expect(plain['output']).toMatchObject([{ content: [{ text: '{"status":"pass"}' }] }]);
    const offered = await completed('structured', ask({ tools: [{ type: 'function', name: 'StructuredOutput' }] }));
    expect(offered['output']).toMatchObject([{ name: 'StructuredOutput', arguments: '{"status":"pass"}' }]);
  });

  test('input tokens include the cached ones; later models report their writes', async () => {
    const input = [{ role: 'user', content: textOfTokens(2000, 'cached') }];
    const usage = async (model: string) => {
      await completed('usage', ask({ input, model }));
      return objectAt(await completed('usage', ask({ input, model })), 'usage');
    };
    const older = await usage('gpt-5.4');
    expect(older).toMatchObject({ input_tokens_details: { cached_tokens: 1920 } });
    expect(objectAt(older, 'input_tokens_details')['cache_write_tokens']).toBeUndefined();
    const later = await usage('gpt-5.6-sol');
    expect(objectAt(later, 'input_tokens_details')).toEqual({
      cached_tokens: later['input_tokens'],
      cache_write_tokens: 0,
    });
  });

  test('without stream, the answer is one document', async () => {
    sim.script('whole', { kind: 'text', text: 'All good.' });
    const response = await objectOf(await post(sim, PATH, ask({ stream: false }), { label: 'whole' }));
    expect(objectsIn(response['output'])).toHaveLength(1);
  });

  test('a schema that is not strict is rejected with its location', async () => {
    const schema = { type: 'object', properties: { a: {} }, additionalProperties: false };
    const format = { type: 'json_schema', name: 'review', strict: true, schema };
    const response = await post(sim, PATH, ask({ text: { format } }), { label: 'strict' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', code: 'invalid_json_schema', param: 'text.format.schema' },
    });
  });

  test('a title request is answered outside the conversation', async () => {
    sim.script('title', [{ kind: 'text', text: 'First.' }]);
    await completed('title', ask({ instructions: 'You are a title generator.' }));
    const answer = await completed('title', ask());
    expect(answer['output']).toMatchObject([{ content: [{ text: 'First.' }] }]);
    expect(sim.requests('title').map(({ aside }) => aside)).toEqual([true, false]);
  });
});
