import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { post, textOfTokens } from '@onceover/testing/model-sim/client.ts';
import { movableClock } from '@onceover/testing/model-sim/clock.ts';
import { commonPrefixLength, compareRequests } from '@onceover/testing/model-sim/compare.ts';
import type { JsonObject } from '@onceover/testing/model-sim/json.ts';
import { conversationOf, type LoggedRequest, totalUse } from '@onceover/testing/model-sim/log.ts';
import { type Answer, answerFor, type RequestSummary, type Script } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, type ModelSimOptions, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, onTestFinished, test } from 'vitest';

const PATH = '/v1/messages';
const MARK = { cache_control: { type: 'ephemeral' } };
const turn = (role: string, text: string, more: JsonObject = {}): JsonObject => ({
  role,
  content: [{ type: 'text', text, ...more }],
});
const ask = (messages: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  model: 'claude-sonnet-5-5',
  system: 'You review.',
  messages,
  ...more,
});

async function running(options: ModelSimOptions = {}): Promise<ModelSim> {
  const sim = await startModelSim(options);
  onTestFinished(() => sim.close());
  return sim;
}

async function logged(sim: ModelSim, path: string, body: JsonObject): Promise<LoggedRequest> {
  await (await post(sim, path, body)).text();
  const last = sim.requests().at(-1);
  if (last === undefined) throw new Error('Nothing was logged.');
  return last;
}

describe('the log', () => {
  test('has label, time, body and bytes of each request, and no key', async () => {
    const sim = await running({ clock: movableClock(() => 1000) });
    sim.clock.advance(500);
    const body = ask([turn('user', 'Grüße')]);
    await post(sim, PATH, body, { label: 'a b', key: 'sk-very-secret' });
    const [request] = sim.requests('a b');
    expect(request).toMatchObject({ n: 1, label: 'a b', at: 1500, method: 'POST', path: PATH, body, outcome: 'text' });
    expect(request?.raw.toString('utf8')).toBe(JSON.stringify(body));
    expect(JSON.stringify(sim.requests())).not.toContain('sk-very-secret');
    expect(sim.requests('other')).toEqual([]);
  });

  test('does not keep a key in the address', async () => {
    const sim = await running();
    const body = { contents: [{ role: 'user', parts: [{ text: 'x' }] }] };
    await post(sim, '/v1beta/models/gemini-2.5-pro:generateContent?key=sk-very-secret', body);
    expect(JSON.stringify(sim.requests())).not.toContain('sk-very-secret');
    expect(sim.requests()[0]?.body?.['model']).toBe('gemini-2.5-pro');
  });

  test('is also written to a file, one line per request', async () => {
    const logFile = join(temporaryFolder(), 'requests.jsonl');
    const sim = await running({ logFile });
    await logged(sim, PATH, ask([turn('user', 'One')]));
    await logged(sim, PATH, ask([turn('user', 'Two')]));
    const lines = readFileSync(logFile, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { n: 1, label: 'test', raw: { bytes: sim.requests()[0]?.raw.length } },
      { n: 2, usage: { output_tokens: expect.any(Number) } },
    ]);
  });

  test('returns a conversation without side requests, probes and rejected requests, and its sum', async () => {
    const sim = await running();
    await logged(sim, PATH, ask([turn('user', 'Name it.')], { system: 'You are a title generator.' }));
    await logged(sim, PATH, ask([turn('assistant', 'Hello.')]));
    await fetch(`${sim.baseUrl('test')}/v1/models`);
    await logged(sim, PATH, ask([turn('user', textOfTokens(600, 'a'), MARK)]));
    await logged(sim, PATH, ask([turn('user', textOfTokens(600, 'a'), MARK)]));
    const conversation = conversationOf(sim.requests(), 'test');
    expect(conversation.map(({ n }) => n)).toEqual([4, 5]);
    expect(totalUse(conversation)).toEqual({ total: 1206, read: 603, write: 603, write1h: 0, input: 0 });
  });
});

describe('the cache of a simulator', () => {
  const body = ask([turn('user', textOfTokens(600, 'a'), MARK)]);
  const read = async (sim: ModelSim, key = 'dummy') => {
    await (await post(sim, PATH, body, { key })).text();
    return sim.requests().at(-1)?.use?.read;
  };

  test('follows the clock and the key, and can be cleared', async () => {
    const sim = await running({ clock: movableClock(() => 0) });
    expect(await read(sim)).toBe(0);
    expect(await read(sim)).toBe(603);
    expect(await read(sim, 'another')).toBe(0);
    sim.clock.advance(4 * 60_000);
    expect(await read(sim)).toBe(603);
    sim.clock.advance(5 * 60_000);
    expect(await read(sim)).toBe(0);
    sim.forgetCache();
    expect(await read(sim)).toBe(0);
  });
});

describe('comparing requests', () => {
  const first = [turn('user', 'One', MARK)];
  const cases: readonly (readonly [string, JsonObject, JsonObject])[] = [
    [
      'a longer conversation',
      ask([turn('user', 'One'), turn('assistant', 'Two'), turn('user', 'Three', MARK)]),
      {
        toolsIdentical: true,
        systemIdentical: true,
        messagesPrefixIdentical: true,
        commonMessages: 1,
        extraMessages: 2,
      },
    ],
    [
      'the same text in another form',
      ask([{ role: 'user', content: 'One' }]),
      { messagesPrefixIdentical: true, extraMessages: 0 },
    ],
    ['another beginning', ask([turn('user', 'Uno')]), { messagesPrefixIdentical: false, commonMessages: 0 }],
    ['another system', ask(first, { system: 'You fix.' }), { systemIdentical: false, messagesPrefixIdentical: true }],
    ['other tools', ask(first, { tools: [{ name: 'x' }] }), { toolsIdentical: false, systemIdentical: true }],
  ];
  test.each(cases)('%s', async (_title, body, expected) => {
    const sim = await running();
    const earlier = await logged(sim, PATH, ask(first));
    expect(compareRequests(earlier, await logged(sim, PATH, body))).toMatchObject(expected);
  });

  test('of OpenAI and Gemini', async () => {
    const sim = await running();
    const item = (text: string) => ({ role: 'user', content: text });
    const openai = await logged(sim, '/v1/responses', { model: 'gpt-5.4', input: [item('a')] });
    const longer = await logged(sim, '/v1/responses', { model: 'gpt-5.4', input: [item('a'), item('b')] });
    expect(compareRequests(openai, longer)).toMatchObject({ messagesPrefixIdentical: true, extraMessages: 1 });
    const model = '/v1beta/models/gemini-2.5-pro:generateContent';
    const says = (text: string) => ({ role: 'user', parts: [{ text }] });
    const gemini = await logged(sim, model, { contents: [says('a'), says('b')] });
    const other = await logged(sim, model, { contents: [says('a'), says('c')] });
    expect(compareRequests(gemini, other)).toMatchObject({ messagesPrefixIdentical: false, commonMessages: 1 });
  });

  test.each([
    ['abc', 'abd', 2],
    ['abc', 'abc', 3],
    ['abc', 'abcd', 3],
    ['', 'a', 0],
  ])('%j and %j share %i bytes', (a, b, bytes) => {
    expect(commonPrefixLength(Buffer.from(a), Buffer.from(b))).toBe(bytes);
  });
});

describe('scripts', () => {
  const request: RequestSummary = {
    provider: 'anthropic',
    label: 'x',
    model: 'm',
    stream: true,
    turn: 1,
    tools: [],
    schema: null,
    lastUserText: 'Look.',
    toolResults: [],
    body: {},
  };
  const says = (text: string): Answer => ({ kind: 'text', text });
  const cases: readonly (readonly [string, Script, number, string])[] = [
    ['one answer for all', says('1'), 1, '1'],
    ['answers in order', [says('1'), says('2')], 1, '2'],
    ['the end of the answers', [says('1'), says('2')], 2, 'end'],
    ['a function', ({ lastUserText }) => says(lastUserText), 1, 'Look.'],
  ];
  test.each(cases)('%s', (_title, script, at, expected) => {
    expect(answerFor(script, { ...request, turn: at }, says('end'))).toEqual(says(expected));
  });

  test('a function gets the prompt and the tool outputs', async () => {
    const seen: RequestSummary[] = [];
    const sim = await running({
      scripts: {
        test: (asked) => {
          seen.push(asked);
          return { kind: 'text', text: 'x' };
        },
      },
    });
    const call = { type: 'tool_use', id: 't1', name: 'Read', input: {} };
    const result = { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'the file' }] };
    const messages = [
      turn('user', 'Look.'),
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ];
    await logged(sim, PATH, ask(messages, { tools: [{ name: 'Read' }], stream: true }));
    expect(seen).toMatchObject([
      { provider: 'anthropic', label: 'test', turn: 0, stream: true, tools: ['Read'], toolResults: ['the file'] },
    ]);
  });

  test('a new script starts from its beginning', async () => {
    const sim = await running({ scripts: { test: [{ kind: 'error', status: 500 }] } });
    expect((await post(sim, PATH, ask([turn('user', 'x')]))).status).toBe(500);
    expect((await post(sim, PATH, ask([turn('user', 'x')]))).status).toBe(200);
    sim.script('test', [{ kind: 'error', status: 529 }]);
    expect((await post(sim, PATH, ask([turn('user', 'x')]))).status).toBe(529);
  });
});
