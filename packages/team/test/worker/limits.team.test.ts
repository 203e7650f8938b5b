import { newDatabase } from '@onceover/testing/postgres.ts';
import { until } from '@onceover/testing/until.ts';
import { ask, changedRepo, openClient, scriptedAgent, startWorker, subjectOf } from '@onceover/testing/workers.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let url = '';
let drop = async () => {};

beforeAll(async () => {
  ({ url, drop } = await newDatabase());
});

afterAll(() => drop());

/** Runs SQL on the store of these tests. */
async function sql(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

const PASS = { status: 'pass', violations: [] } as const;

describe('limits of an account', () => {
  test('hold for two workers together', async () => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    agent.answers(...Array.from({ length: 6 }, () => ({ ...PASS, $sleep: 400 })));
    const limits = { callsAtOnce: 2, callsPerMinute: null, tokensPerMinute: null };
    const options = { limits, account: 'shared-1' };
    const workers = [await startWorker(url, [agent], options), await startWorker(url, [agent], options)];
    const client = await openClient(url, repo, [agent]);
    let [running, peak] = [0, 0];
    const timer = setInterval(() => {
      const events = workers.flatMap((worker) => worker.events);
      running =
        events.filter(({ kind }) => kind === 'call-started').length -
        events.filter(({ kind }) => kind === 'call-ended').length;
      peak = Math.max(peak, running);
    }, 5);
    const prompts = Array.from({ length: 6 }, (_, n) => ({ dynamic: `change ${n}` }));
    const ends = await Promise.all(prompts.map((question) => ask(client, subjectOf(repo), { question })));
    clearInterval(timer);
    expect(ends.every(({ ok }) => ok)).toBe(true);
    expect(peak).toBe(2);
  });

  test('a third call in the same minute waits', async () => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    const limits = { callsAtOnce: null, callsPerMinute: 2, tokensPerMinute: null };
    await startWorker(url, [agent], { limits, account: 'shared-2' });
    const client = await openClient(url, repo, [agent]);
    const stop = new AbortController();
    const answers = ['a', 'b', 'c'].map((dynamic) =>
      ask(client, subjectOf(repo), { question: { dynamic }, stop: stop.signal }),
    );
    await Promise.all([until(() => agent.calls().length === 2), Promise.race(answers)]);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(agent.calls()).toHaveLength(2);
    stop.abort();
    const ends = await Promise.all(answers);
    expect(ends.filter(({ ok }) => ok)).toHaveLength(2);
  });

  test('after a call that used the tokens of a minute, the next call waits until the minute is over', async () => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    const usage = { input_tokens: 900, output_tokens: 100, cost_usd: 0.1 };
    agent.answers({ ...PASS, usage }, PASS);
    const limits = { callsAtOnce: null, callsPerMinute: null, tokensPerMinute: 1000 };
    await startWorker(url, [agent], { limits, account: 'shared-3' });
    const client = await openClient(url, repo, [agent]);
    expect(await ask(client, subjectOf(repo), { question: { dynamic: 'a' } })).toMatchObject({ ok: true });
    const later = ask(client, subjectOf(repo), { question: { dynamic: 'b' } });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(agent.calls()).toHaveLength(1);
    await sql(
      "UPDATE onceover.call_starts SET ended_at = ended_at - interval '1 minute' WHERE account = 'shared-3/scripted'",
    );
    expect(await later).toMatchObject({ ok: true });
    expect(agent.calls()).toHaveLength(2);
  });

  test('a cooldown of one agent does not stop another agent of the same account', async () => {
    const [first, second] = [scriptedAgent('first'), scriptedAgent('second')];
    const repo = changedRepo();
    await startWorker(url, [first], { account: 'shared-4' });
    await startWorker(url, [second], { account: 'shared-4' });
    await sql("UPDATE onceover.accounts SET cooldown_until = now() + interval '1 hour' WHERE name = 'shared-4/first'");
    const client = await openClient(url, repo, [first, second]);
    const stop = new AbortController();
    const waiting = ask(client, subjectOf(repo), { name: 'first', stop: stop.signal });
    expect(await ask(client, subjectOf(repo), { name: 'second' })).toMatchObject({ ok: true });
    expect(first.calls()).toHaveLength(0);
    stop.abort();
    expect(await waiting).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
  });

  test('after a refusal, no worker of the account calls until the announced time, and the call is paid once', async () => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    const limits = { callsAtOnce: 1, callsPerMinute: null, tokensPerMinute: null };
    const options = { limits, account: 'shared-5' };
    const workers = [await startWorker(url, [agent], options), await startWorker(url, [agent], options)];
    const client = await openClient(url, repo, [agent]);
    const refusal = { $raw: '', $stderr: 'HTTP 429: rate limit reached, try again in 4 seconds', $exit: 1 };
    agent.answers(refusal);
    const answers = ['a', 'b'].map((dynamic) => ask(client, subjectOf(repo), { question: { dynamic } }));
    await until(() => workers.some(({ events }) => events.some(({ kind }) => kind === 'limit')));
    const refusedAt = Date.now();
    await until(() => agent.calls().length > 1);
    expect(Date.now() - refusedAt).toBeGreaterThan(2500);
    expect(await Promise.all(answers)).toMatchObject([{ ok: true }, { ok: true }]);
    // The refused call, again after the limit, and the other one.
    expect(agent.calls()).toHaveLength(3);
  });

  test('a person comes before CI, and CI before background calls', async () => {
    const agent = scriptedAgent();
    const repo = changedRepo();
    agent.answers(...Array.from({ length: 4 }, () => ({ ...PASS, $sleep: 300 })));
    await startWorker(url, [agent], { atOnce: 1 });
    const clients = await Promise.all(
      (['background', 'ci', 'person'] as const).map((urgency) => openClient(url, repo, [agent], urgency)),
    );
    const first = ask(clients[0] as never, subjectOf(repo), { question: { dynamic: 'now' } });
    await until(() => agent.calls().length === 1);
    const names = ['background', 'ci', 'person'];
    const answers = names.map((dynamic, n) => ask(clients[n] as never, subjectOf(repo), { question: { dynamic } }));
    await Promise.all([first, ...answers]);
    expect(agent.calls().map((prompt) => prompt.split('\n').at(-1))).toEqual(['now', 'person', 'ci', 'background']);
  });
});
