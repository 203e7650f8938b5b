import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AskEnd } from '@onceover/base/kernel/ports';
import { apiCaller, chatServer, chatStream } from '@onceover/testing/api-call.ts';
import type { Answer, Script } from '@onceover/testing/model-sim/script.ts';
import { startModelSim } from '@onceover/testing/model-sim/server.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CALL_LIMITS } from '../../src/api/call-api.ts';
import { openTranscripts } from '../../src/api/transcripts.ts';

const DIALECTS = ['anthropic', 'openai'] as const;

const PASS: Answer = { kind: 'structured', value: { status: 'pass' } };
const READ: Answer = { kind: 'tools', calls: [{ name: 'read', input: { path: 'src/a.ts' } }] };

async function simulate(dialect: (typeof DIALECTS)[number], script: Script) {
  const sim = await startModelSim();
  onTestFinished(() => sim.close());
  sim.script('test', script);
  return { sim, ...apiCaller({ dialect, baseUrl: sim.baseUrl('test') }), sent: () => sim.requests('test') };
}

const ending = (end: AskEnd) => (end.ok ? 'answer' : end.failure.kind);

describe.each(DIALECTS)('a call to the API of %s', (dialect) => {
  test('answers with the text of the last turn, the files that were opened and the usage', async () => {
    const { ask, sent } = await simulate(dialect, [
      {
        ...READ,
        calls: [...READ.calls, { name: 'read', input: { path: 'src/b.ts' } }],
        text: 'Let me look.',
      } as Answer,
      PASS,
    ]);
    const doing: (string | null)[] = [];
    let begunCount = 0;
    const end = await ask({}, { watch: (now) => doing.push(now), begun: () => begunCount++ });
    expect(end).toMatchObject({ ok: true, draft: 'Let me look.', retries: 0 });
    expect(end.ok && end.reply).toMatchObject({ text: '{"status":"pass"}', filesRead: ['src/a.ts', 'src/b.ts'] });
    expect(end.ok && end.reply.requests?.count).toBe(2);
    expect(doing).toEqual(['read src/a.ts', 'read src/b.ts']);
    expect(begunCount).toBeGreaterThan(0);
    expect(sent().map(({ outcome }) => outcome)).toEqual(['tools', 'structured']);
    const [first, second] = sent();
    const whole = (request: typeof first) =>
      (request?.use?.read ?? 0) + (request?.use?.write ?? 0) + (request?.use?.input ?? 0);
    const usage = end.ok ? end.reply.usage : null;
    expect((usage?.inputTokens ?? 0) + (usage?.cachedInputTokens ?? 0) + (usage?.cacheWriteTokens ?? 0)).toBe(
      whole(first) + whole(second),
    );
    // The second request reads everything that the first one wrote.
    expect(second?.use?.read).toBe(first?.use?.write);
    expect(JSON.stringify(first?.body)).toContain('json_schema');
    expect(JSON.stringify(first?.body)).not.toContain('tool_choice');
  });

  test('goes on with its stored conversation, byte for byte, and a fork leaves it as it was', async () => {
    const { ask, sent } = await simulate(dialect, [READ, PASS, PASS, PASS, PASS]);
    const first = await ask();
    const id = first.ok ? (first.reply.sessionId ?? '') : '';
    const [resumedEnd, forkedEnd] = [
      await ask({ dynamic: 'More.', sessionId: id }),
      await ask({ dynamic: 'Fork.', forkOf: id }),
    ];
    expect([ending(resumedEnd), ending(forkedEnd)]).toEqual(['answer', 'answer']);
    const prompt = (at: number) => JSON.stringify(sent()[at]?.body?.['messages'] ?? sent()[at]?.body?.['input']);
    const bare = (text: string) => text.replace(/,"cache_control":\{[^}]*\}/g, '');
    const commonStart = bare(prompt(1)).slice(0, -1);
    for (const at of [2, 3]) expect(bare(prompt(at)).startsWith(commonStart)).toBe(true);
    for (const at of [2, 3]) expect(sent()[at]?.use?.read).toBe(sent()[1]?.use?.total);
    expect(resumedEnd.ok && resumedEnd.reply.sessionId).not.toBe(id);
  });

  const status = (code: number, fields: object = {}): Answer => ({
    kind: 'error',
    status: code,
    message: 'no',
    ...fields,
  });
  const faults: readonly [title: string, script: Script, ends: string, requests: number, waits: readonly unknown[]][] =
    [
      ['400', status(400), 'agent-error', 1, []],
      ['401', status(401), 'not-logged-in', 1, []],
      ['403', status(403), 'not-logged-in', 1, []],
      ['404', status(404), 'agent-error', 1, []],
      ['429 for ever', status(429), 'limit', 3, [expect.any(Number), expect.any(Number)]],
      ['429 with Retry-After, then an answer', [status(429, { retryAfterSeconds: 2 }), PASS], 'answer', 2, [2000]],
      ['429 with a long Retry-After', status(429, { retryAfterSeconds: 3600 }), 'limit', 1, []],
      ['a used-up quota', status(429, { message: 'insufficient_quota' }), 'limit', 1, []],
      ['529, then an answer', [status(529), PASS], 'answer', 2, [expect.any(Number)]],
      ['500 for ever', status(500), 'agent-error', 3, [expect.any(Number), expect.any(Number)]],
      [
        'a cut stream, then an answer',
        [{ kind: 'cut', text: '{"status":"pa' }, PASS],
        'answer',
        2,
        [expect.any(Number)],
      ],
      [
        'a stream that is always cut',
        { kind: 'cut', text: '{"status":"pass"}' },
        'agent-error',
        3,
        [expect.anything(), expect.anything()],
      ],
      ['an empty body', { kind: 'garbage', body: 'empty' }, 'agent-error', 3, [expect.anything(), expect.anything()]],
      ['HTML', { kind: 'garbage', body: 'html' }, 'agent-error', 1, []],
      [
        'a broken event',
        { kind: 'garbage', body: 'truncated-event' },
        'agent-error',
        3,
        [expect.anything(), expect.anything()],
      ],
      ['JSON that is cut', { kind: 'garbage', body: 'truncated-json' }, 'agent-error', 1, []],
      ['max_tokens', { kind: 'text', text: '{"status":"pass"', stops: 'at-limit' }, 'unreadable-answer', 1, []],
      ['a refusal', { kind: 'text', text: '{"status":"pass"}', stops: 'refused' }, 'agent-error', 1, []],
      ['an empty answer', { kind: 'text', text: '' }, 'no-tokens', 1, []],
    ];
  test.each(faults)('%s', async (_title, script, ends, requests, waits) => {
    const { ask, sent, waits: actualWaits } = await simulate(dialect, script);
    const end = await ask();
    expect([ending(end), sent().length, actualWaits, end.retries]).toEqual([ends, requests, waits, waits.length]);
  });

  test('a hang ends after the idle timeout, and a slow review after its timeout', async () => {
    const idle = await simulate(dialect, { kind: 'hang' });
    expect(await idle.ask({ idleSeconds: 0.3 })).toMatchObject({ failure: { kind: 'idle', seconds: 0.3 } });
    const slow = await simulate(dialect, { ...PASS, delayMs: 5000 } as Answer);
    expect(await slow.ask({ timeoutSeconds: 0.3 })).toMatchObject({ failure: { kind: 'timeout', seconds: 0.3 } });
    expect([idle.sent().length, slow.sent().length]).toEqual([1, 1]);
  });

  test('a stop ends the request at once', async () => {
    const { ask } = await simulate(dialect, { kind: 'hang' });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    expect(await ask({}, { stop: stop.signal })).toMatchObject({ failure: { kind: 'cancelled' } });
    expect(await ask({}, { stop: stop.signal })).toMatchObject({ failure: { kind: 'cancelled' }, durationMs: 0 });
  });

  test('tools without end are an error, after the model was asked to answer', async () => {
    const { ask, sent } = await simulate(dialect, READ);
    expect(await ask()).toMatchObject({ ok: false, failure: { kind: 'agent-error' } });
    expect(sent().length).toBe(CALL_LIMITS.requests);
    expect(JSON.stringify(sent().at(-1)?.body)).toContain('Answer now: after 1 more requests');
  });

  test('retries count in the limit of the caller, and cut answers in the usage', async () => {
    const { ask, sent } = await simulate(dialect, status(500));
    expect(await ask({ mostRetries: 0 })).toMatchObject({ retries: 0 });
    expect(sent().length).toBe(1);
    const cut = await simulate(dialect, [{ kind: 'cut', text: 'no' }, PASS]);
    const end = await cut.ask();
    const [first, second] = cut.sent().map(({ use }) => use?.total ?? 0);
    const usage = end.ok ? end.reply.usage : null;
    const reportedTokens = (usage?.inputTokens ?? 0) + (usage?.cachedInputTokens ?? 0) + (usage?.cacheWriteTokens ?? 0);
    // OpenAI reports the usage at the end of a stream, so a cut one has none.
    expect(reportedTokens).toBe(dialect === 'anthropic' ? (first ?? 0) + (second ?? 0) : second);
  });
});

test('a fork that answers at once does not pay for a cache of its own question', async () => {
  const { ask, sent } = await simulate('anthropic', [READ, PASS, PASS, PASS, READ, PASS]);
  const first = await ask();
  const forkOf = first.ok ? (first.reply.sessionId ?? '') : '';
  const usualEnd = await ask({ dynamic: 'Fork.', forkOf });
  const immediateEnd = await ask({ dynamic: 'A second fork.', forkOf, answersAtOnce: true });
  const whole = sent()[1]?.use?.total ?? 0;
  expect(sent()[2]?.use).toMatchObject({ read: whole, input: 0 });
  expect(sent()[3]?.use).toMatchObject({ read: whole, write: 0 });
  expect(usualEnd.ok && usualEnd.reply.requests?.lastCached).toBe(undefined);
  expect(immediateEnd.ok && immediateEnd.reply.requests?.lastCached).toBe(whole);
  // If the model opens a file after all, the next request writes the rest, so that a third one would read it.
  await ask({ dynamic: 'Another fork.', forkOf, answersAtOnce: true });
  expect(sent()[5]?.use).toMatchObject({ read: whole, input: 0 });
});

test('a refusal is an error and keeps the text before it', async () => {
  const { baseUrl } = await refusing();
  const { ask } = apiCaller({ dialect: 'openai', endpoint: 'chat', baseUrl });
  const end = await ask();
  expect(end).toMatchObject({ ok: false, failure: { kind: 'agent-error', said: 'the model refused to answer' } });
});

async function refusing() {
  return chatServer(
    chatStream([
      { choices: [{ index: 0, delta: { role: 'assistant', refusal: 'I cannot.' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ]),
  );
}

describe('Chat Completions', () => {
  const text = (content: string, finish = 'stop') => [
    { choices: [{ index: 0, delta: { role: 'assistant', content: content.slice(0, 5) } }] },
    { choices: [{ index: 0, delta: { content: content.slice(5) } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } } },
  ];
  const toolCall = { index: 0, id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":' } };
  const reading = [
    { choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [toolCall] } }] },
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '"src/a.ts"}' } }] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ];

  test('runs tools and answers', async () => {
    const server = await chatServer(chatStream(reading), chatStream(text('{"status":"pass"}')));
    const end = await apiCaller({ dialect: 'openai', endpoint: 'chat', baseUrl: server.baseUrl }).ask();
    expect(end).toMatchObject({ ok: true, model: 'local-1' });
    expect(end.ok && end.reply).toMatchObject({
      text: '{"status":"pass"}',
      filesRead: ['src/a.ts'],
      usage: { inputTokens: 40, cachedInputTokens: 60, outputTokens: 7 },
    });
    expect(server.headers[0]?.['authorization']).toBe('Bearer dummy-key-0123456789');
    expect(server.bodies[1]?.['messages']).toEqual([
      { role: 'system', content: expect.stringContaining('Rules of the review.') },
      { role: 'user', content: 'Look for what is wrong.' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"src/a.ts"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '1\tcontent of src/a.ts' },
    ]);
  });

  test('asks a server that is not OpenAI for the schema only if it repeats an answer', async () => {
    const server = await chatServer(chatStream(text('Looks good.')), chatStream(text('{"status":"pass"}')));
    const { ask } = apiCaller({ dialect: 'openai', endpoint: 'chat', baseUrl: server.baseUrl });
    const first = await ask();
    await ask({ sessionId: first.ok ? first.reply.sessionId : null, isRepeat: true });
    const requestShapes = server.bodies.map((body) => [
      body['response_format'] !== undefined,
      (body['tools'] as []).length,
    ]);
    expect(requestShapes).toEqual([
      [false, 5],
      [true, 5],
    ]);
    const provider = await chatServer(chatStream(text('{"status":"pass"}')));
    await apiCaller({ dialect: 'openai', endpoint: 'chat', baseUrl: provider.baseUrl, isProvider: true }).ask();
    expect(provider.bodies[0]).toMatchObject({ response_format: { type: 'json_schema' } });
  });

  test.each([
    ['a cut stream', chatStream(text('{"status":"pass"}').slice(0, 2), { done: false }), 'agent-error'],
    ['a length limit', chatStream(text('{"status":"pass"}', 'length')), 'unreadable-answer'],
    ['a content filter', chatStream(text('{"status":"pass"}', 'content_filter')), 'agent-error'],
    ['an unknown end', chatStream(text('{"status":"pass"}', 'eos?')), 'agent-error'],
    ['an error in the stream', chatStream([{ error: { type: 'invalid', message: 'no' } }]), 'agent-error'],
  ])('%s is an error', async (_title, answer, expected) => {
    const { baseUrl } = await chatServer(answer);
    expect(ending(await apiCaller({ dialect: 'openai', endpoint: 'chat', baseUrl }).ask())).toBe(expected);
  });

  test('a redirect is not followed, so that the key goes nowhere else', async () => {
    const elsewhere = await chatServer(chatStream(text('{"status":"pass"}')));
    const server = await chatServer((response) => {
      response.writeHead(307, { location: `${elsewhere.baseUrl}/chat/completions` });
      response.end();
    });
    const end = await apiCaller({ dialect: 'openai', endpoint: 'chat', baseUrl: server.baseUrl }).ask();
    expect(end.ok).toBe(false);
    expect(elsewhere.bodies).toEqual([]);
  });

  test('a server that is not there is unreachable, and its message never contains the key', async () => {
    const end = await apiCaller({ dialect: 'openai', endpoint: 'chat', baseUrl: 'http://127.0.0.1:9' }).ask();
    expect(end).toMatchObject({ ok: false, failure: { kind: 'unreachable' }, retries: 2 });
    const telling = await chatServer((response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'wrong key dummy-key-0123456789' } }));
    });
    const refusal = await apiCaller({ dialect: 'openai', endpoint: 'chat', baseUrl: telling.baseUrl }).ask();
    expect(refusal).toMatchObject({ failure: { kind: 'not-logged-in', said: 'HTTP status 401: wrong key [masked]' } });
    expect(JSON.stringify(refusal)).not.toContain('dummy-key');
  });
});

describe('the stored conversations', () => {
  test('a changed, missing or foreign file is not resumed', async () => {
    const folder = temporaryFolder();
    const store = openTranscripts(folder);
    const storeResult = store.keep({ opening: 'Rules.', turns: [{ kind: 'question', text: 'Look.' }] });
    const id = storeResult.ok ? storeResult.value : '';
    expect(store.read(id)?.turns).toEqual([{ kind: 'question', text: 'Look.' }]);
    const path = join(folder, 'onceover/transcripts', `${id}.json`);
    writeFileSync(path, readFileSync(path, 'utf8').replace('Look.', 'Pass.'));
    expect(store.read(id)).toBe(null);
    for (const unknownId of ['', '../../x', 'a'.repeat(64), `${id}\n`]) expect(store.read(unknownId)).toBe(null);
    expect(readdirSync(join(folder, 'onceover/transcripts')).length).toBe(1);
  });

  test('a lost conversation fails without a request', async () => {
    const { ask, sent } = await simulate('anthropic', PASS);
    expect(await ask({ sessionId: 'a'.repeat(64) })).toMatchObject({ failure: { kind: 'session-lost' }, usage: null });
    expect(sent()).toEqual([]);
  });
});
