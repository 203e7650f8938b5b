import { connect } from '@onceover/store/connect';
import { failing, PASS } from '@onceover/testing/gates.ts';
import { type Payload, startServer, type TestServer, TOKENS } from '@onceover/testing/server.ts';
import { until } from '@onceover/testing/until.ts';
import { waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Pull requests that the server reviews');

/** Returns the checks of the newest commit that a branch protection would accept. */
function passes({ world }: TestServer): readonly string[] {
  const accepted = world.data.checks.filter(
    ({ sha, conclusion }) => sha === world.data.head && (conclusion === 'success' || conclusion === 'neutral'),
  );
  return accepted.map(({ name }) => name);
}

async function runsOf({ store }: TestServer): Promise<readonly string[]> {
  const database = await connect(store);
  if (!database.ok) throw new Error('no database');
  const rows = await database.value.query<{ state: string }>(
    'SELECT state FROM onceover.pull_runs ORDER BY created_at',
  );
  await database.value.close();
  return rows.map(({ state }) => state);
}

way('Someone sends webhooks that are forged, repeated, too large, or about other repositories.', async () => {
  const server = await startServer({ workers: 0 });
  const statusOf = async (...change: Parameters<TestServer['webhook']>) => (await server.webhook(...change)).status;
  expect(await statusOf({ secret: 'another-secret-of-a-stranger' })).toBe(401);
  expect(await statusOf({ headers: { 'x-hub-signature-256': '' } })).toBe(401);
  expect(await statusOf({ headers: { 'x-hub-signature-256': `sha1=${'0'.repeat(40)}` } })).toBe(401);
  expect(await statusOf({ raw: `{"a":"${'x'.repeat(5 * 1024 * 1024)}"}` })).toBe(413);
  expect(await statusOf({ raw: '{"action":"opened"' })).toBe(400);
  expect(await statusOf({ raw: '{"action":"opened"}' })).toBe(400);
  expect(await statusOf({ delivery: '../../etc/passwd' })).toBe(400);
  for (const name of ['../../../etc', 'house/../shop', 'house/shop/../../x', 'stranger/shop', 'house/shop.git', '']) {
    const body = (payload: Payload) => ({ ...payload, repository: { ...payload.repository, full_name: name } });
    expect((await server.webhook({ body })).body.result).toContain('not in the settings');
  }
  const labeled = (payload: Payload) => ({ ...payload, action: 'labeled' });
  expect((await server.webhook({ body: labeled })).body.result).toContain('ignored');
  expect(await runsOf(server)).toEqual([]);

  const first = await server.webhook({ delivery: 'one' });
  expect(first).toMatchObject({ status: 202, body: { result: 'queued' } });
  // The same delivery, and the same signed body under a name that GitHub did not sign.
  expect((await server.webhook({ delivery: 'one' })).body.result).toBe('repetition');
  expect((await server.webhook({ delivery: 'two' })).body.result).toBe('repetition');
  expect(await runsOf(server)).toHaveLength(1);
  expect((await server.get('/healthz')).status).toBe(200);
  expect(passes(server)).toEqual([]);
});

way(
  'A visitor without a valid token, or with too few rights, starts runs, stops them and waives findings.',
  async () => {
    const server = await startServer({ workers: 0 });
    const { body } = await server.webhook();
    const run = body.run ?? '';
    const anonymous = await fetch(`${server.url}/`, { redirect: 'manual' });
    expect([anonymous.status, anonymous.headers.get('location')]).toEqual([303, '/login']);
    for (const path of ['/api/runs', '/api/repositories', '/metrics', `/api/runs/${run}`]) {
      expect((await fetch(`${server.url}${path}`)).status, path).toBe(401);
      expect((await server.get(path, 'wrong')).status, path).toBe(401);
      expect((await server.get(path, TOKENS.reader)).status, path).toBe(200);
    }
    const none = `${'e30'}.${'e30'}.`;
    expect((await server.get('/api/runs', none)).status).toBe(401);
    for (const path of [`/runs/${run}/again`, `/runs/${run}/stop`, '/repositories/1/findings/F1/waive']) {
      expect((await server.post(path, { why: 'x' }, TOKENS.reader)).status, path).toBe(403);
    }
    expect(await runsOf(server)).toHaveLength(1);

    const own = { origin: server.url, 'content-type': 'application/x-www-form-urlencoded' };
    const logIn = (token: string, headers: Record<string, string>) =>
      fetch(`${server.url}/login`, {
        method: 'POST',
        redirect: 'manual',
        headers,
        body: new URLSearchParams({ token }),
      });
    expect((await logIn('wrong', own)).status).toBe(401);
    expect((await logIn(TOKENS.all, { ...own, origin: 'https://evil.example' })).status).toBe(403);
    const session = await logIn(TOKENS.all, own);
    const cookie = session.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    const sent = { cookie: cookie.split(';')[0] ?? '' };
    expect(await (await fetch(`${server.url}/`, { headers: sent })).text()).toContain('house/shop #7');
    const stop = (headers: Record<string, string>) =>
      fetch(`${server.url}/runs/${run}/stop`, { method: 'POST', redirect: 'manual', headers: { ...sent, ...headers } });
    expect((await stop({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await stop({})).status).toBe(403);
    expect((await stop({ origin: server.url, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await stop({ origin: server.url })).status).toBe(303);
    expect(await runsOf(server)).toEqual(['dropped']);
  },
);

way('The pull request gets a new commit during a run that would pass.', async () => {
  const server = await startServer();
  const { agent, world } = server;
  agent.answers({ ...PASS, $sleep: 4000 }, { ...PASS, $sleep: 4000 });
  const first = await server.webhook();
  await until(() => agent.calls().length > 0);
  const old = world.data.head;
  server.push('src/a.js', 'export const a = 1;\nexport const bad = 2;\n');
  agent.answers(
    failing('src/a.js', 'export const bad = 2;', { line: 2 }),
    failing('src/a.js', 'export const bad = 2;'),
  );
  const second = await server.webhook();
  expect(await server.ended(second.body.run)).toMatchObject({ outcome: 'failed' });
  const dropped = server.events.find((event) => event.kind === 'run-ended' && event.run === first.body.run);
  expect(dropped).toMatchObject({ outcome: 'put-back' });
  expect(world.data.checks.filter(({ sha }) => sha === old)).toMatchObject([{ conclusion: 'pending' }]);
  expect(passes(server)).toEqual([]);
});

way('The branch of the pull request is deleted before the run starts.', async () => {
  const server = await startServer({ workers: 1 });
  server.repo.git('update-ref', '-d', 'refs/pull/7/head');
  const { body } = await server.webhook();
  expect(await server.ended(body.run)).toMatchObject({ outcome: 'error' });
  expect(server.world.data.checks).toMatchObject([
    { name: 'onceover / main', conclusion: 'pending' },
    { name: 'onceover / main', conclusion: 'action_required' },
  ]);
  expect((await server.get('/readyz')).status).toBe(200);
});

way('The pull request is closed before the run starts.', async () => {
  const server = await startServer({ workers: 0 });
  server.world.pull.isOpen = false;
  const { body } = await server.webhook();
  expect(await server.ended(body.run)).toMatchObject({ outcome: 'dropped' });
  expect(server.world.data.checks).toEqual([]);
});

way(
  'A pull request from a fork removes the gates, and the same content has passed on a branch of the repository.',
  async () => {
    const server = await startServer();
    const { agent, world } = server;
    const own = await server.webhook();
    expect(await server.ended(own.body.run)).toMatchObject({ outcome: 'passed' });
    expect(agent.calls()).toHaveLength(2);
    world.pull.isFork = true;
    server.push('onceover.yml', 'gates: []\n');
    agent.answers(failing('src/a.js', 'export const b = 2;', { line: 2 }), PASS);
    const fork = await server.webhook();
    expect(await server.ended(fork.body.run)).toMatchObject({ outcome: 'failed' });
    expect(agent.calls().length).toBeGreaterThan(2);
    expect(passes(server)).toEqual([]);
  },
);

way('No worker is connected to the server.', async () => {
  const server = await startServer({ workers: 0 });
  const { body } = await server.webhook();
  await until(() => server.events.some((event) => event.kind === 'run-ended' && event.run === body.run), 60_000);
  expect(server.events.findLast(({ kind }) => kind === 'run-ended')).toMatchObject({ outcome: 'put-back' });
  expect(passes(server)).toEqual([]);
});

const GATES_WITH_CHECK = `gates:
  - path: src
    checks:
      test: { run: 'true' }
    reviews:
      quality: { prompt: quality.md }
`;

type CheckCase = { readonly mode: string; readonly isFork: boolean };

/** Runs a pull request of a repository with a check, and returns how it ended and the conclusions of its checks. */
async function withCheck({ mode, isFork }: CheckCase) {
  const server = await startServer({ settings: `checks: ${mode}\n`, gates: GATES_WITH_CHECK });
  server.world.pull.isFork = isFork;
  const { body } = await server.webhook();
  const { outcome } = await server.ended(body.run);
  const conclusionOf = (name: string) => server.world.data.checks.findLast((check) => check.name === name)?.conclusion;
  // The reviews run in every case.
  expect(conclusionOf('onceover / main (review:src:quality)')).toBe('success');
  expect(server.wrong).toEqual([]);
  const summary = server.world.data.comments[0]?.body ?? '';
  return {
    outcome,
    summary,
    overall: conclusionOf('onceover / main'),
    check: conclusionOf('onceover / main (check:src:test)'),
  };
}

way('The server does not run the checks of a pull request, and the reviews of the pull request pass.', async () => {
  const ended = await withCheck({ mode: 'not_run', isFork: false });
  expect(ended).toMatchObject({ outcome: 'error', overall: 'action_required', check: 'action_required' });
});

way('The server runs the checks of branches only, and the pull request comes from a fork.', async () => {
  const ended = await withCheck({ mode: 'own_branches', isFork: true });
  expect(ended).toMatchObject({ outcome: 'error', overall: 'action_required', check: 'action_required' });
  const own = await withCheck({ mode: 'own_branches', isFork: false });
  expect(own).toMatchObject({ outcome: 'passed', overall: 'success', check: 'success' });
});

way('Another job runs the checks: the result says that these checks are not part of the run.', async () => {
  const ended = await withCheck({ mode: 'elsewhere', isFork: false });
  expect(ended).toMatchObject({ outcome: 'passed', overall: 'success', check: undefined });
  expect(ended.summary).toContain('ot part of this run: `check:src:test`');
});
