import { eventsOf, objectOf, post, textOfTokens } from '@onceover/testing/model-sim/client.ts';
import { type JsonObject, objectAt, objectsIn, stringAt } from '@onceover/testing/model-sim/json.ts';
import { asManyResponsesAsCalls } from '@onceover/testing/model-sim/rules/gemini.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

const MODEL = '/v1beta/models/gemini-2.5-pro';
const STREAM = `${MODEL}:streamGenerateContent?alt=sse`;
const question = (text: string): JsonObject => ({ role: 'user', parts: [{ text }] });
const ask = (more: JsonObject = {}): JsonObject => ({ contents: [question('Review.')], ...more });
const candidate = (response: JsonObject) => objectsIn(response['candidates'])[0] ?? {};
const partsOf = (response: JsonObject) => objectsIn(objectAt(candidate(response), 'content')['parts']);

describe('Gemini', () => {
  test('a text is streamed in pieces, the last with its finish reason', async () => {
    sim.script('text', { kind: 'text', text: 'All good.' });
    const events = await eventsOf(await post(sim, STREAM, ask(), { label: 'text' }));
    expect(events.map(({ event }) => event)).toEqual([null, null]);
    expect(events.flatMap(({ data }) => partsOf(data).map((part) => stringAt(part, 'text'))).join('')).toBe(
      'All good.',
    );
    expect(events.map(({ data }) => candidate(data)['finishReason'])).toEqual([undefined, 'STOP']);
    expect(events.map(({ data }) => data['modelVersion'])).toEqual(['gemini-2.5-pro', 'gemini-2.5-pro']);
  });

  test('calls, thoughts and structured answers are parts', async () => {
    sim.script('parts', [
      { kind: 'tools', thinking: 'Hm.', calls: [{ name: 'read_file', input: { file_path: 'a' } }] },
      { kind: 'structured', value: { status: 'pass' } },
    ]);
    const first = await objectOf(await post(sim, `${MODEL}:generateContent`, ask(), { label: 'parts' }));
    expect(partsOf(first)).toMatchObject([
      { text: 'Hm.', thought: true },
      { functionCall: { name: 'read_file', args: { file_path: 'a' } } },
    ]);
    const second = await objectOf(await post(sim, `${MODEL}:generateContent`, ask(), { label: 'parts' }));
    expect(partsOf(second)).toEqual([{ text: '{"status":"pass"}' }]);
  });

  test('the prompt token count includes the cached tokens', async () => {
    const body = ask({ contents: [question(textOfTokens(4000, 'cached'))] });
    const usage = async () => {
      const events = await eventsOf(await post(sim, STREAM, body, { label: 'usage' }));
      return objectAt(events.at(-1)?.data ?? {}, 'usageMetadata');
    };
    expect((await usage())['cachedContentTokenCount']).toBeUndefined();
    expect(await usage()).toMatchObject({ promptTokenCount: 4010, cachedContentTokenCount: 3968 });
  });

  test('tokens are counted', async () => {
    const counted = await post(sim, `${MODEL}:countTokens`, ask());
    expect(await counted.json()).toEqual({ totalTokens: Math.ceil(JSON.stringify(question('Review.')).length / 4) });
  });

  test('a conversation that ends with the model is rejected', async () => {
    const contents = [question('x'), { role: 'model', parts: [{ text: 'y' }] }];
    const response = await post(sim, STREAM, ask({ contents }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
  });

  test('extra rules can be enabled', async () => {
    const strict = await startModelSim({ moreRules: { gemini: [asManyResponsesAsCalls] } });
    const response = { functionResponse: { name: 'f', response: {} } };
    const contents = [
      question('x'),
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [response, response] },
    ];
    expect((await post(sim, STREAM, ask({ contents }))).status).toBe(200);
    expect((await post(strict, STREAM, ask({ contents }))).status).toBe(400);
    await strict.close();
  });
});
