import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gateRepo, PASS } from '@onceover/testing/gates.ts';
import { sqlAt } from '@onceover/testing/postgres.ts';
import { postgresPrograms, startPostgres } from '@onceover/testing/postgres-server.mjs';
import { until } from '@onceover/testing/until.ts';
import {
  ask,
  changedRepo,
  openClient,
  scriptedAgent,
  spawnWorker,
  startWorker,
  subjectOf,
} from '@onceover/testing/workers.ts';
import { describe, expect, onTestFinished, test } from 'vitest';

const OUTAGE_SECONDS = process.env['ONCEOVER_TEAM'] === 'all' ? 30 : 3;

/** Starting the worker and the client can take this long on a busy machine. */
const START_MS = 60_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a server that a test may stop. A server that was given from outside must keep running. */
async function ownServer() {
  const server = await startPostgres();
  onTestFinished(() => server.remove());
  return server;
}

/** A repository whose user has the store in a config file, and a worker process for its agent. */
async function remoteRepo(url: string, waitSeconds: number) {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  const home = dirname(repo.root);
  const config = join(home, '.config/onceover');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.yml'), `store:\n  url: ${url}\n  wait_seconds: ${waitSeconds}\nruns: remote\n`);
  await spawnWorker(url, { name: 'one', folder: repo.root }, join(home, 'worker')).ready;
  return repo;
}

describe.skipIf(postgresPrograms === null)(`PostgreSQL stops for ${OUTAGE_SECONDS} s`, () => {
  test('during a call: the client and the worker wait and go on', async () => {
    const server = await ownServer();
    const agent = scriptedAgent();
    const repo = changedRepo();
    agent.answers({ ...PASS, $sleep: 1500 });
    const { events } = await startWorker(server.url, [agent], { heartbeatSeconds: 60 });
    const client = await openClient(server.url, repo, [agent], 'person', OUTAGE_SECONDS + 30);
    const answer = ask(client, subjectOf(repo));
    await until(() => agent.calls().length === 1);
    await server.stop();
    await sleep(OUTAGE_SECONDS * 1000);
    await server.start();
    expect(await answer).toMatchObject({ ok: true });
    expect(await ask(client, subjectOf(repo), { question: { dynamic: 'later' } })).toMatchObject({ ok: true });
    expect(agent.calls()).toHaveLength(2);
    expect(events.filter(({ kind }) => kind === 'call-ended')).toHaveLength(2);
  }, 180_000);

  test('during a remote run: the run ends with its verdict, which was paid once', async () => {
    const server = await ownServer();
    const repo = await remoteRepo(server.url, OUTAGE_SECONDS + 40);
    repo.answers('one', { ...PASS, $sleep: 1000 });
    const running = repo.run([], { timeoutMs: 150_000 });
    await until(() => repo.calls().length === 1, START_MS);
    await server.stop();
    await sleep(OUTAGE_SECONDS * 1000);
    await server.start();
    expect(await running).toMatchObject({ code: 0 });
    expect(repo.calls()).toHaveLength(1);
    const receipts = `SELECT count(*)::int AS n FROM onceover.receipts WHERE document LIKE '%"agent":"one"%'`;
    expect(await sqlAt(server.url)(receipts)).toEqual([{ n: 1 }]);
  }, 180_000);

  test('and the client waits for 1 s only: exit code 3, a sentence, and no pass', async () => {
    const server = await ownServer();
    const repo = await remoteRepo(server.url, 1);
    repo.answers('one', { ...PASS, $sleep: 1000 });
    const running = repo.run([], { timeoutMs: 150_000 });
    await until(() => repo.calls().length === 1, START_MS);
    await server.stop();
    const run = await running;
    expect(run.code).toBe(3);
    expect(run.stdout + run.stderr).toContain('did not answer');
    expect(run.stdout + run.stderr).not.toMatch(/\bPassed\b/);
    await server.start();
    // The worker stores the answer that it has. The next run uses it, so the reviewer is not paid again.
    const query = sqlAt(server.url);
    await until(
      async () => (await query("SELECT 1 FROM onceover.calls WHERE state = 'answered'")).length === 1,
      60_000,
    );
    expect(await query('SELECT 1 FROM onceover.receipts')).toEqual([]);
    expect(await repo.run([], { timeoutMs: 150_000 })).toMatchObject({ code: 0 });
    expect(repo.calls()).toHaveLength(1);
  }, 180_000);

  test('a worker without calls still ends after SIGTERM', async () => {
    const server = await ownServer();
    const agent = scriptedAgent();
    const worker = spawnWorker(server.url, agent, agent.folder);
    await worker.ready;
    await server.stop();
    const exit = new Promise((resolve) => worker.child.once('exit', resolve));
    // Long enough for a query to fail and to be tried again.
    await sleep(1500);
    worker.child.kill('SIGTERM');
    expect(await Promise.race([exit, sleep(15_000)])).toBe(0);
  }, 60_000);
});
