import { eventsOf, objectOf, post, textOfTokens } from '@onceover/testing/model-sim/client.ts';
import { type JsonObject, objectAt, stringAt } from '@onceover/testing/model-sim/json.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

const PATH = '/v1/messages?beta=true';
const STRUCTURED = { name: 'StructuredOutput', input_schema: { type: 'object' } };
const ask = (more: JsonObject = {}): JsonObject => ({
  model: 'claude-sonnet-5-5',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Review.' }],
  ...more,
});

describe('Anthropic Messages', () => {
  test('a text is streamed from message_start to message_stop', async () => {
    sim.script('text', { kind: 'text', text: 'All good.', thinking: 'Hm.' });
    const response = await post(sim, PATH, ask({ stream: true }), { label: 'text' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = await eventsOf(response);
    expect(events.every(({ event, data }) => event === data['type'])).toBe(true);
    expect(events.map(({ event }) => event)).toEqual([
      'message_start',
      ...[
        'content_block_start',
        'content_block_delta',
        'content_block_delta',
        'content_block_delta',
        'content_block_stop',
      ],
      ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
      'message_delta',
      'message_stop',
    ]);
    const deltas = events.map(({ data }) => objectAt(data, 'delta'));
    expect(deltas.map((delta) => stringAt(delta, 'text')).join('')).toBe('All good.');
    expect(deltas.map((delta) => stringAt(delta, 'thinking')).join('')).toBe('Hm.');
    expect(deltas.at(-2)).toEqual({ stop_reason: 'end_turn', stop_sequence: null });
  });

  test('tool calls are streamed as pieces of JSON, with their own ids', async () => {
    const calls = [
      { name: 'Read', input: { file_path: 'a.ts' } },
      { name: 'Grep', input: { pattern: 'x' } },
    ];
    sim.script('tools', { kind: 'tools', text: 'I look.', calls });
    const events = await eventsOf(await post(sim, PATH, ask({ stream: true }), { label: 'tools' }));
    const blocks = events.filter(({ event }) => event === 'content_block_start');
    const started = blocks.map(({ data }) => objectAt(data, 'content_block'));
    expect(started.map((block) => block['type'])).toEqual(['text', 'tool_use', 'tool_use']);
    expect(new Set(started.map((block) => block['id'])).size).toBe(3);
    const inputs = [1, 2].map((index) =>
      events
        .filter(({ data }) => data['index'] === index)
        .map(({ data }) => stringAt(objectAt(data, 'delta'), 'partial_json'))
        .join(''),
    );
    expect(inputs).toEqual(['{"file_path":"a.ts"}', '{"pattern":"x"}']);
    expect(objectAt(events.at(-2)?.data ?? {}, 'delta')['stop_reason']).toBe('tool_use');
  });

  test('without stream, the answer is one document', async () => {
    sim.script('whole', { kind: 'tools', calls: [{ name: 'Read', input: { file_path: 'a.ts' } }] });
    const message = await objectOf(await post(sim, PATH, ask(), { label: 'whole' }));
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5',
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', name: 'Read', input: { file_path: 'a.ts' } }],
    });
  });

  test('a structured answer is a call of its tool, or JSON if there is no such tool', async () => {
    sim.script('structured', { kind: 'structured', value: { status: 'pass' } });
    const offered = await objectOf(await post(sim, PATH, ask({ tools: [STRUCTURED] }), { label: 'structured' }));
    expect(offered['content']).toMatchObject([
      { type: 'tool_use', name: 'StructuredOutput', input: { status: 'pass' } },
    ]);
    const plain = await objectOf(await post(sim, PATH, ask(), { label: 'structured' }));
    expect(plain['content']).toEqual([{ type: 'text', text: '{"status":"pass"}' }]);
  });

  test('usage is the same in the first and the last event of a stream, and follows the cache', async () => {
    const system = [
      { type: 'text', text: textOfTokens(700, 'usage'), cache_control: { type: 'ephemeral', ttl: '1h' } },
    ];
    const usages = [];
    for (const _round of [1, 2]) {
      const events = await eventsOf(await post(sim, PATH, ask({ system, stream: true }), { label: 'usage' }));
      const [first, last] = [objectAt(events[0]?.data ?? {}, 'message')['usage'], events.at(-2)?.data['usage']];
      expect(first).toMatchObject({ ...objectAt({ last: last ?? null }, 'last'), output_tokens: 1 });
      usages.push(last);
    }
    const split = (hour: number) => ({ ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: hour });
    expect(usages).toMatchObject([
      { input_tokens: 2, cache_creation_input_tokens: 700, cache_read_input_tokens: 0, cache_creation: split(700) },
      { input_tokens: 2, cache_creation_input_tokens: 0, cache_read_input_tokens: 700, cache_creation: split(0) },
    ]);
  });

  test('counting tokens uses no turn of the script', async () => {
    sim.script('count', [{ kind: 'text', text: 'First.' }]);
    const counted = await post(sim, '/v1/messages/count_tokens', ask(), { label: 'count' });
    expect(await counted.json()).toEqual({ input_tokens: 2 });
    const answer = await objectOf(await post(sim, PATH, ask(), { label: 'count' }));
    expect(answer['content']).toEqual([{ type: 'text', text: 'First.' }]);
  });

  test('connection checks are answered', async () => {
    const head = await fetch(sim.baseUrl('probe'), { method: 'HEAD' });
    const get = await fetch(`${sim.baseUrl('probe')}/`);
    const models = await fetch(`${sim.baseUrl('probe')}/v1/models`);
    const other = await fetch(`${sim.baseUrl('probe')}/v1/elsewhere`);
    expect([head.status, get.status, models.status, other.status]).toEqual([200, 200, 200, 404]);
  });

  test('a request that the provider would reject gets its error, and uses no turn of the script', async () => {
    sim.script('rejected', [{ kind: 'text', text: 'First.' }]);
    const messages = [{ role: 'assistant', content: 'Hello.' }];
    const response = await post(sim, PATH, ask({ messages }), { label: 'rejected' });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'messages: first message must use the "user" role' },
      request_id: expect.stringMatching(/^req_/),
    });
    const answer = await objectOf(await post(sim, PATH, ask(), { label: 'rejected' }));
    expect(answer['content']).toEqual([{ type: 'text', text: 'First.' }]);
    expect(sim.requests('rejected').map(({ outcome }) => outcome)).toEqual(['rejected', 'text']);
  });
});
