import { performance } from 'node:perf_hooks';
import { eventsOf, post, readEvents } from '@onceover/testing/model-sim/client.ts';
import type { JsonObject } from '@onceover/testing/model-sim/json.ts';
import type { Script } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

const CLAUDE: JsonObject = {
  model: 'claude-sonnet-5-5',
  stream: true,
  messages: [{ role: 'user', content: 'Review.' }],
};
const CODEX: JsonObject = { model: 'gpt-5.4', stream: true, input: 'Review.' };
const GEMINI: JsonObject = { contents: [{ role: 'user', parts: [{ text: 'Review.' }] }] };
const GEMINI_PATH = '/v1beta/models/gemini-2.5-pro:streamGenerateContent';

function scripted(script: Script, signal?: AbortSignal): Promise<Response> {
  sim.script('trouble', script);
  return post(sim, '/v1/messages', CLAUDE, { label: 'trouble', ...(signal === undefined ? {} : { signal }) });
}

describe('errors', () => {
  test.each([
    [400, 'invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
    [401, 'authentication_error', 'invalid_request_error', 'UNAUTHENTICATED'],
    [403, 'permission_error', 'invalid_request_error', 'PERMISSION_DENIED'],
    [404, 'not_found_error', 'invalid_request_error', 'NOT_FOUND'],
    [413, 'request_too_large', 'invalid_request_error', 'INVALID_ARGUMENT'],
    [429, 'rate_limit_error', 'rate_limit_exceeded', 'RESOURCE_EXHAUSTED'],
    [500, 'api_error', 'server_error', 'INTERNAL'],
    [529, 'overloaded_error', 'server_error', 'INTERNAL'],
  ])('error %i in each provider’s form', async (status, anthropic, openai, gemini) => {
    sim.script('errors', { kind: 'error', status, message: 'No.' });
    const label = { label: 'errors' };
    const responses = [
      await post(sim, '/v1/messages', CLAUDE, label),
      await post(sim, '/v1/responses', CODEX, label),
      await post(sim, GEMINI_PATH, GEMINI, label),
    ];
    expect(responses.map((response) => response.status)).toEqual([status, status, status]);
    expect(await Promise.all(responses.map((response) => response.json()))).toMatchObject([
      { type: 'error', error: { type: anthropic, message: 'No.' } },
      { error: { type: openai, message: 'No.', param: null } },
      { error: { code: status, status: gemini, message: 'No.' } },
    ]);
  });

  test('a limit says when it ends, in each provider’s form', async () => {
    const resetsAt = Date.UTC(2026, 0, 2, 3, 4, 5);
    sim.script('limit', { kind: 'error', status: 429, retryAfterSeconds: 60, resetsAt, headers: { 'x-more': 'yes' } });
    const claude = await post(sim, '/v1/messages', CLAUDE, { label: 'limit' });
    expect(Object.fromEntries(claude.headers)).toMatchObject({
      'retry-after': '60',
      'anthropic-ratelimit-requests-reset': '2026-01-02T03:04:05.000Z',
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(resetsAt / 1000),
      'x-more': 'yes',
    });
    const codex = await post(sim, '/v1/responses', CODEX, { label: 'limit' });
    expect(codex.headers.get('x-ratelimit-reset-requests')).toBe('60s');
    expect(await codex.json()).toMatchObject({ error: { resets_at: resetsAt / 1000 } });
    const gemini = await post(sim, GEMINI_PATH, GEMINI, { label: 'limit' });
    expect(await gemini.json()).toMatchObject({ error: { details: [{ retryDelay: '60s' }] } });
  });

  test('an error uses a turn, writes nothing into the cache and has no usage', async () => {
    const response = await scripted([{ kind: 'error', status: 529 }]);
    expect(response.status).toBe(529);
    expect(sim.requests('trouble').at(-1)).toMatchObject({ outcome: 'error', use: null, usage: null });
    const again = await post(sim, '/v1/messages', CLAUDE, { label: 'trouble' });
    expect(again.status).toBe(200);
  });

  test('a body that is not a JSON object is rejected', async () => {
    const response = await post(sim, '/v1/messages', '[1', { label: 'broken' });
    expect(response.status).toBe(400);
    expect(sim.requests('broken')[0]).toMatchObject({ body: null, outcome: 'rejected' });
  });
});

describe('broken answers', () => {
  test.each([
    ['html', 'text/html', /^<!doctype html>/],
    ['truncated-json', 'application/json', /^\{"id"[^}]*$/],
    ['truncated-event', 'text/event-stream', /^event: message_start\ndata: \{[^}]*$/],
    ['empty', 'application/json', /^$/],
  ] as const)('%s', async (body, type, text) => {
    const response = await scripted({ kind: 'garbage', body });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(await response.text()).toMatch(text);
  });

  test('a cut stream begins and breaks off', async () => {
    const response = await scripted({ kind: 'cut', text: 'This will never end.' });
    let text = '';
    const read = async () => {
      for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
    };
    await expect(read()).rejects.toThrow();
    const events = readEvents(text).map(({ event }) => event);
    expect(events[0]).toBe('message_start');
    expect(events).not.toContain('message_stop');
  });

  test('a cut answer without a stream breaks off too', async () => {
    sim.script('trouble', { kind: 'cut', text: 'This will never end.' });
    const response = post(sim, '/v1/messages', { ...CLAUDE, stream: false }, { label: 'trouble' });
    await expect(response.then((one) => one.text())).rejects.toThrow();
  });

  test('a hanging request gets nothing until its caller gives up', async () => {
    await expect(scripted({ kind: 'hang' }, AbortSignal.timeout(200))).rejects.toThrow(/abort|timeout/i);
  });

  test('closing ends hanging and slow requests', async () => {
    const other = await startModelSim({
      scripts: { hangs: { kind: 'hang' }, slow: { kind: 'text', text: 'x', delayMs: 60_000 } },
    });
    const waiting = ['hangs', 'slow'].map((label) => post(other, '/v1/messages', CLAUDE, { label }));
    const ended = Promise.allSettled(waiting);
    while (other.requests().length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const start = performance.now();
    await other.close();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

describe('answers at the length limit', () => {
  test('say so in each provider’s form', async () => {
    sim.script('limited', { kind: 'text', text: '{"status":"pa', stops: 'at-limit' });
    const label = { label: 'limited' };
    const claude = await eventsOf(await post(sim, '/v1/messages', CLAUDE, label));
    expect(claude.at(-2)?.data).toMatchObject({ delta: { stop_reason: 'max_tokens' } });
    const codex = await eventsOf(await post(sim, '/v1/responses', CODEX, label));
    expect(codex.at(-1)).toMatchObject({
      event: 'response.incomplete',
      data: { response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } },
    });
    const gemini = await eventsOf(await post(sim, GEMINI_PATH, GEMINI, label));
    expect(gemini.at(-1)?.data).toMatchObject({ candidates: [{ finishReason: 'MAX_TOKENS' }] });
  });
});

describe('slow answers', () => {
  test('events arrive one by one', async () => {
    const start = performance.now();
    const response = await scripted({ kind: 'text', text: 'All good.', delayMs: 40, betweenEventsMs: 20 });
    const events = await eventsOf(response);
    expect(events).toHaveLength(7);
    expect(performance.now() - start).toBeGreaterThanOrEqual(40 + 6 * 20 - 10);
  });

  test('an entry can be read as soon as the answer that writes it begins', async () => {
    const system = [{ type: 'text', text: 'long '.repeat(1000), cache_control: { type: 'ephemeral' } }];
    const ask = (label: string) => post(sim, '/v1/messages', { ...CLAUDE, system }, { label });
    sim.script('writer', { kind: 'text', text: 'x', delayMs: 1000, betweenEventsMs: 50 });
    const writer = ask('writer');
    while (sim.requests('writer').length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await (await ask('too early')).text();
    const begun = await writer;
    await (await ask('in time')).text();
    await begun.text();
    const use = (label: string) => sim.requests(label)[0]?.use;
    expect([use('writer')?.write, use('too early')?.write, use('in time')?.read]).toEqual([1250, 1250, 1250]);
  });
});
