import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, PASS } from '@onceover/testing/gates.ts';
import { startPostgres } from '@onceover/testing/postgres-server.mjs';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { SECRET, startServer, TOKENS } from '@onceover/testing/server.ts';
import { until } from '@onceover/testing/until.ts';
import { startWorker } from '@onceover/testing/workers.ts';
import { expect, onTestFinished, test } from 'vitest';

test('after SIGTERM the server takes no run, finishes the running one, and exits', async () => {
  const server = await startServer({ workers: 1 });
  server.agent.answers({ ...PASS, $sleep: 1500 }, PASS);
  const { body } = await server.webhook();
  await until(() => server.agent.calls().length > 0);
  expect(await server.signal('SIGTERM')).toBe(0);
  expect(server.events.map(({ kind }) => kind).slice(-3)).toEqual(['stopping', 'run-ended', 'stopped']);
  expect(server.events.findLast(({ kind }) => kind === 'run-ended')).toMatchObject({
    run: body.run,
    outcome: 'passed',
  });
}, 60_000);

test('a second SIGTERM puts the running run back, and nothing is published', async () => {
  const server = await startServer({ workers: 1 });
  server.agent.answers({ ...PASS, $sleep: 20_000 });
  await server.webhook();
  await until(() => server.agent.calls().length > 0);
  const firstExit = server.signal('SIGTERM');
  await until(() => server.events.some(({ kind }) => kind === 'stopping'));
  expect(await Promise.all([firstExit, server.signal('SIGTERM')])).toEqual([0, 0]);
  expect(server.events.findLast(({ kind }) => kind === 'run-ended')).toMatchObject({ outcome: 'put-back' });
  // Only the pending check of the start is there.
  expect(server.world.data.checks.map(({ status }) => status)).toEqual(['in_progress']);
}, 60_000);

test('pages, metrics, a waiver and another run over what the store knows', async () => {
  const server = await startServer({ workers: 1 });
  const { agent } = server;
  agent.answers(failing('src/a.js', 'export const b = 2;', { line: 2, issue: '<b>two</b>' }), PASS);
  const { body } = await server.webhook();
  expect(await server.ended(body.run)).toMatchObject({ outcome: 'failed' });

  const metrics = await (await server.get('/metrics', TOKENS.reader)).text();
  expect(metrics).toContain('onceover_jobs{queue="runs",state="waiting"} 0\n');
  expect(metrics).toContain('onceover_oldest_job_age_seconds{queue="calls"} 0\n');
  expect(metrics).toContain('onceover_calls_last_hour{agent="scripted",outcome="answered"} 2\n');
  expect(metrics).toContain('onceover_runs_last_hour{verdict="failed"} 1\n');
  expect(metrics).toContain('onceover_workers 1\n');
  expect(metrics).toContain('onceover_webhooks_total{forge="github",status="202"} 1\n');

  const { repositories } = (await (await server.get('/api/repositories')).json()) as { repositories: { id: number }[] };
  expect(repositories).toMatchObject([{ open_findings: 1, last_verdict: 'failed' }]);
  const id = repositories[0]?.id;
  const page = await (await server.get(`/repositories/${id}`)).text();
  expect(page).toContain('&#60;b&#62;two&#60;/b&#62;');
  expect(page).not.toContain('<b>two');
  const history = await (await server.get(`/repositories/${id}/history`)).text();
  expect(history).toContain('are only in a clone');
  expect(await (await server.get(`/runs/${body.run}`)).text()).toContain('review:src:quality');
  expect((await server.get('/repositories/99')).status).toBe(404);

  expect((await server.post(`/repositories/${id}/findings/F1/waive`, {})).status).toBe(400);
  const waiver = await server.post(`/repositories/${id}/findings/F1/waive`, { why: 'two is meant' });
  expect(await waiver.json()).toEqual({ waived: ['F1'] });
  const again = (await (await server.post(`/runs/${body.run}/again`, {})).json()) as { run: string };
  expect(await server.ended(again.run)).toMatchObject({ outcome: 'passed' });
  expect(server.wrong).toEqual([]);
}, 90_000);

test('a worker that comes later does the run', async () => {
  const server = await startServer({ workers: 0 });
  const { body } = await server.webhook();
  await until(() => server.events.some((event) => event.kind === 'run-ended' && event.run === body.run), 60_000);
  await startWorker(server.store, [server.agent]);
  expect(await server.ended(body.run)).toMatchObject({ outcome: 'passed' });
}, 90_000);

test('PostgreSQL stops and comes back: the server says so, refuses webhooks, and goes on', async () => {
  const database = await startPostgres();
  onTestFinished(() => database.remove());
  const userConfig = 'store:\n  wait_seconds: 1\n';
  const server = await startServer({ workers: 1, store: database.url, userConfig });
  expect((await server.get('/readyz')).status).toBe(200);
  await database.stop();
  expect((await server.get('/readyz')).status).toBe(503);
  expect((await server.get('/healthz')).status).toBe(200);
  expect(await server.webhook({ delivery: 'one' })).toMatchObject({ status: 503 });
  await database.start();
  await until(async () => (await server.get('/readyz')).status === 200);
  // A person sends the failed webhook again. The server has not stored it before, so it is no repetition.
  const { body } = await server.webhook({ delivery: 'one' });
  expect(await server.ended(body.run)).toMatchObject({ outcome: 'passed' });
}, 90_000);

/** Writes a package that stands for @opentelemetry/api, and logs the ends of spans. Returns its folder and the log. */
function traceApi() {
  const folder = temporaryFolder();
  const log = join(folder, 'log');
  const packageFolder = join(folder, '@opentelemetry/api');
  mkdirSync(packageFolder, { recursive: true });
  const code = `const tell = (text) => require('node:fs').appendFileSync(${JSON.stringify(log)}, text + '\\n');
tell('loaded');
const traceId = process.env.SDK === 'none' ? '0'.repeat(32) : 'a'.repeat(32);
exports.trace = { getTracer: (tracer) => {
  const startSpan = (name) => ({
    spanContext: () => ({ traceId }), end: () => tell(tracer + ': ' + name), recordException: tell });
  return { startSpan, startActiveSpan: (name, work) => work(startSpan(name)) };
} };`;
  writeFileSync(join(packageFolder, 'index.js'), code);
  return {
    env: { NODE_PATH: folder },
    lines: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : []),
  };
}

test('only with "traces: true", the server loads OpenTelemetry and reports how long each part of a run took', async () => {
  const { env, lines } = traceApi();
  const without = await startServer({ workers: 0, env });
  expect(await without.signal('SIGTERM')).toBe(0);
  expect(lines()).toEqual([]);
  const server = await startServer({ workers: 1, env, settings: 'traces: true\n' });
  const { body } = await server.webhook();
  expect(await server.ended(body.run)).toMatchObject({ outcome: 'passed' });
  const parts = ['start', 'read pull request', 'publish pending', 'fetch', 'review', 'publish', 'run'];
  expect(lines()).toEqual(['loaded', ...parts.map((part) => `onceover: onceover ${part}`)]);
}, 90_000);

test('without a store or with one that is away, the server exits with 3 and a sentence; without the package for traces, with 2', async () => {
  const folder = temporaryFolder();
  const config = join(folder, 'server.yml');
  writeFileSync(config, 'github: { repositories: [house/shop] }\n');
  const env = { ONCEOVER_GITHUB_SECRET: SECRET, ONCEOVER_GITHUB_TOKEN: 'token' };
  const withoutStore = await onceover(folder, ['serve', '--config', config], { env: { ...env, ONCEOVER_STORE: '' } });
  expect([withoutStore.code, withoutStore.stdout]).toEqual([3, '']);
  expect(withoutStore.stderr).toContain('No store for teams is configured.');
  mkdirSync(join(folder, 'onceover'));
  writeFileSync(join(folder, 'onceover/config.yml'), 'store:\n  wait_seconds: 1\n');
  const away = { ...env, XDG_CONFIG_HOME: folder, ONCEOVER_STORE: 'postgres://onceover@127.0.0.1:9/none' };
  const unreachable = await onceover(folder, ['serve', '--config', config], { env: away });
  expect([unreachable.code, unreachable.stdout]).toEqual([3, '']);
  expect(unreachable.stderr).toContain('did not answer');
  writeFileSync(config, 'traces: true\ngithub: { repositories: [house/shop] }\n');
  const withoutTraces = await onceover(folder, ['serve', '--config', config], { env: away });
  expect([withoutTraces.code, withoutTraces.stdout]).toEqual([2, '']);
  expect(withoutTraces.stderr).toContain('npm install --global @opentelemetry/api');
  const unheard = await onceover(folder, ['serve', '--config', config], {
    env: { ...away, ...traceApi().env, SDK: 'none' },
  });
  expect([unheard.code, unheard.stdout]).toEqual([2, '']);
  expect(unheard.stderr).toContain('Traces need an OpenTelemetry SDK');
}, 60_000);
