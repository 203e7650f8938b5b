import { existsSync, readFileSync } from 'node:fs';
import { newDatabase } from '@onceover/testing/postgres.ts';
import { until } from '@onceover/testing/until.ts';
import { ask, changedRepo, openClient, scriptedAgent, startWorker, subjectOf } from '@onceover/testing/workers.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// The commands of the tests differ, so they have queues of their own and can share a database.
let url = '';
let drop = async () => {};

beforeAll(async () => {
  ({ url, drop } = await newDatabase());
});

afterAll(() => drop());

const PASS = { status: 'pass', violations: [] } as const;

describe('a call on a worker', () => {
  test('returns what the agent said, and the agent sees the change', async () => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    agent.answers({
      ...PASS,
      $run: `cat src/a.js docs/guide.md > ${agent.folder}/seen; git diff --stat HEAD~1 HEAD >> ${agent.folder}/seen; pwd > ${agent.folder}/where`,
      usage: { input_tokens: 5, output_tokens: 7, cost_usd: 0.5 },
    });
    const { events } = await startWorker(url, [agent]);
    const client = await openClient(url, repo, [agent]);
    expect(client.names).toEqual(['scripted']);
    const end = await ask(client, subjectOf(repo));
    expect(end).toMatchObject({ ok: true, reply: { sessionId: null, usage: { outputTokens: 7, costUsd: 0.5 } } });
    expect(end.ok && JSON.parse(end.reply.text)).toMatchObject(PASS);
    expect(readFileSync(`${agent.folder}/seen`, 'utf8')).toMatch(/a = 2;\n# Guide\n.*src\/a\.js/s);
    const where = readFileSync(`${agent.folder}/where`, 'utf8').trim();
    expect(existsSync(where)).toBe(false);
    expect(agent.calls()).toEqual(['You review a change.\n\nThe change.']);
    expect(events.map(({ kind }) => kind)).toEqual(['started', 'call-started', 'call-ended']);
  });

  test('50 clients that ask the same at once pay once and get the same answer', async () => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    const usage = { input_tokens: 5, output_tokens: 7, cost_usd: 0.5 };
    agent.answers({ ...PASS, message: 'from one call', $sleep: 1500, usage });
    await startWorker(url, [agent]);
    const clients = await Promise.all(Array.from({ length: 50 }, () => openClient(url, repo, [agent])));
    const ends = await Promise.all(clients.map((client) => ask(client, subjectOf(repo))));
    expect(agent.calls()).toHaveLength(1);
    expect(new Set(ends.map((end) => (end.ok ? end.reply.text : ''))).size).toBe(1);
    const costs = ends.map((end) => (end.ok ? (end.reply.usage?.costUsd ?? 0) : 0));
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBe(0.5);
    expect(ends[0]).toMatchObject({ ok: true });
  });

  test.each([
    ['another reviewer of the review', { asker: 'review:src:quality@2:0' }, {}],
    ['a second opinion of the same reviewer', { asker: 'review:src:quality@1:1' }, {}],
    ['--fresh', { mayShare: false }, {}],
    ['an answer that no one can read', { accepts: () => false }, {}],
    ['another prompt', {}, { dynamic: 'Another change.' }],
    ['another model', {}, { model: 'large' }],
  ] as const)('%s is a call of its own', async (_, subject, question) => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    await startWorker(url, [agent]);
    const client = await openClient(url, repo, [agent]);
    await ask(client, subjectOf(repo));
    await ask(client, subjectOf(repo));
    expect(agent.calls()).toHaveLength(1);
    expect(await ask(client, subjectOf(repo, subject), { question })).toMatchObject({ ok: true });
    expect(agent.calls()).toHaveLength(2);
  });

  test('a failure is not used again', async () => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    agent.answers({ $raw: '', $stderr: 'it broke', $exit: 3 });
    await startWorker(url, [agent]);
    const client = await openClient(url, repo, [agent]);
    expect(await ask(client, subjectOf(repo))).toMatchObject({ ok: false, failure: { kind: 'agent-error' } });
    expect(await ask(client, subjectOf(repo))).toMatchObject({ ok: true });
  });

  test('a worker never runs a command that only the repository names', async () => {
    const agent = scriptedAgent();
    const otherAgent = scriptedAgent();
    await startWorker(url, [agent]);
    const client = await openClient(url, changedRepo(), [otherAgent]);
    expect(client.names).toEqual([]);
    expect(client.found).toEqual([]);
  });

  test('a person who waits comes before CI', async () => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    agent.answers({ ...PASS, $sleep: 1500 });
    await startWorker(url, [agent], { atOnce: 1 });
    const person = await openClient(url, repo, [agent]);
    const ci = await openClient(url, repo, [agent], 'ci');
    const first = ask(ci, subjectOf(repo), { question: { dynamic: 'first' } });
    await until(() => agent.calls().length === 1);
    const second = ask(ci, subjectOf(repo), { question: { dynamic: 'of CI' } });
    const joinedCall = ask(ci, subjectOf(repo), { question: { dynamic: 'of both' } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await Promise.all([ask(person, subjectOf(repo), { question: { dynamic: 'of both' } }), first, second, joinedCall]);
    expect(agent.calls().map((prompt) => prompt.split('\n').at(-1))).toEqual(['first', 'of both', 'of CI']);
  });

  test('Ctrl-C cancels a call that no one else waits for, and only such a call', async () => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    agent.answers({ ...PASS, $sleep: 20_000 }, { ...PASS, $sleep: 3000 });
    const { events } = await startWorker(url, [agent]);
    const [a, b] = [await openClient(url, repo, [agent]), await openClient(url, repo, [agent])];
    const stop = new AbortController();
    const alone = ask(a, subjectOf(repo), { stop: stop.signal, question: { dynamic: 'alone' } });
    await until(() => agent.calls().length === 1);
    const sharedCall = ask(a, subjectOf(repo), { stop: stop.signal, question: { dynamic: 'shared' } });
    const otherCall = ask(b, subjectOf(repo), { question: { dynamic: 'shared' } });
    await until(() => agent.calls().length === 2);
    await new Promise((resolve) => setTimeout(resolve, 500));
    stop.abort();
    expect(await Promise.all([alone, sharedCall])).toMatchObject([
      { ok: false, failure: { kind: 'cancelled' } },
      { ok: false, failure: { kind: 'cancelled' } },
    ]);
    expect(await otherCall).toMatchObject({ ok: true });
    await until(() => events.filter(({ kind }) => kind === 'call-ended').length === 2);
    expect(events.flatMap((event) => (event.kind === 'call-ended' ? [event.outcome] : [])).sort()).toEqual([
      'answered',
      'dropped',
    ]);
    expect(agent.calls()).toHaveLength(2);
  });

  test('a worker that stops at once puts its calls back for another worker', async () => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    agent.answers({ ...PASS, $sleep: 20_000 });
    const first = await startWorker(url, [agent]);
    const client = await openClient(url, repo, [agent]);
    const answer = ask(client, subjectOf(repo));
    await until(() => agent.calls().length === 1);
    await first.end();
    expect(first.events).toContainEqual(expect.objectContaining({ kind: 'call-ended', outcome: 'put-back' }));
    agent.answers(PASS);
    await startWorker(url, [agent]);
    expect(await answer).toMatchObject({ ok: true });
    expect(agent.calls()).toHaveLength(2);
  });
});
