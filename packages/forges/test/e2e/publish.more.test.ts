import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { type GithubServer, startGithub } from '@onceover/testing/forges/github-server.ts';
import { startGitlab } from '@onceover/testing/forges/gitlab-server.ts';
import { openWorld } from '@onceover/testing/forges/world.ts';
import { failing, type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { afterEach, describe, expect, test } from 'vitest';

const servers: GithubServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    expect(server.wrong).toEqual([]);
    await server.close();
  }
});

const REPO = { full_name: 'house/shop', owner: { login: 'house' } };
const BEFORE = 'export const a = 1;\n';
const AFTER = `${BEFORE}export const b = 2;\n`;

async function pullRequest(repo: GateRepo) {
  repo.commit('change');
  const world = openWorld({
    head: repo.git('rev-parse', 'HEAD').trim(),
    base: { 'src/a.ts': BEFORE },
    files: { 'src/a.ts': AFTER },
  });
  const server = await startGithub(world);
  servers.push(server);
  const event = join(repo.root, '.git/event.json');
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head: { sha: world.data.head, repo: REPO } } }));
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'house/shop',
    GITHUB_API_URL: server.url,
    GITHUB_GRAPHQL_URL: `${server.url}/graphql`,
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: event,
    GITHUB_BASE_REF: '',
    GITHUB_TOKEN: 'secret',
  };
  return { world, server, env };
}

describe('onceover publish', () => {
  test('publishes a result, then nothing, then the fix', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    const { world, env } = await pullRequest(repo);
    const { GITHUB_EVENT_NAME: _, ...plain } = env;
    repo.answers('one', failing('src/a.ts', 'export const b = 2;', { fix: '```\nexport const b = 3;\n```' }));
    const file = join(repo.root, '.git/run.json');
    const review = async () => writeFileSync(file, (await repo.run(['--json'])).stdout);
    await review();
    const dry = await onceover(repo.root, ['publish', '--from', file, '--dry-run', '--pull', '7'], { env: plain });
    expect([dry.code, world.writes]).toEqual([0, 0]);
    expect(dry.stdout).toContain('create-thread src/a.ts:2');
    const first = await onceover(repo.root, ['publish', '--from', file], { env });
    expect(first.stdout).toBe('Published on house/shop#7:\n  2 × check\n  1 × new thread\n  1 × comment\n');
    expect(world.data.threads[0]?.comments[0]?.body).toContain('```suggestion\nexport const b = 3;\n```');
    const second = await onceover(repo.root, ['publish', '--from', file, '--json'], { env });
    expect(JSON.parse(second.stdout)).toMatchObject({ writes: 0, actions: [] });

    repo.write('src/a.ts', `${BEFORE}export const b = 3;\n`);
    repo.commit('fix');
    world.person((data) => {
      data.head = repo.git('rev-parse', 'HEAD').trim();
      data.files['src/a.ts'] = `${BEFORE}export const b = 3;\n`;
    });
    writeFileSync(
      env.GITHUB_EVENT_PATH,
      JSON.stringify({ pull_request: { number: 7, head: { sha: world.data.head, repo: REPO } } }),
    );
    repo.answers('one', { status: 'pass', violations: [], previous: [{ id: 'F1', state: 'fixed', why: 'it is 3' }] });
    await review();
    const third = await onceover(repo.root, ['publish', '--from', file], { env });
    expect(third.stdout).toContain('1 × resolved thread');
    expect(world.data.threads).toMatchObject([{ resolvedBy: world.viewer }]);
    expect(world.data.threads[0]?.comments[1]?.body).toContain('fixed, as reviewer 1 (`one`) confirmed: it is 3');
    expect(world.data.comments.map(({ body }) => body.split('\n')[1]?.replace(/`.*/, ''))).toEqual([
      '### ✅ onceover: passed, 1 gate',
      '✅ onceover: passed, 1 gate on ',
    ]);
  }, 30_000);

  test('run --publish does both, and a check does not get the token', async () => {
    const repo = gateRepo({
      agents: ['one'],
      gates: '  - path: src\n    checks:\n      token: { run: \'test -z "$GITHUB_TOKEN"\' }\n',
    });
    const { world, env } = await pullRequest(repo);
    const end = await repo.run(['--publish'], { env: { ...env, GITHUB_EVENT_NAME: '', GITHUB_ACTIONS: '' } });
    expect(end.stderr).toContain('Published on house/shop, commit ');
    expect([end.code, world.data.checks.map(({ conclusion }) => conclusion)]).toEqual([0, ['success', 'success']]);
  }, 30_000);

  test('run --publish in the job of a pull request passes, and not after it checked out something else', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    const { world, env } = await pullRequest(repo);
    const remote = join(dirname(repo.root), 'origin.git');
    repo.git('clone', '-q', '--bare', '.', remote);
    repo.git('remote', 'add', 'origin', remote);
    repo.git('fetch', '-q', 'origin');
    world.pull.branches['main'] = [repo.git('rev-parse', 'origin/main').trim()];
    const job = { ...env, GITHUB_BASE_REF: 'main' };
    const shown = () => world.data.checks.map(({ name, conclusion }) => [name, conclusion]);
    const names = ['onceover / main', 'onceover / main (review:src:code-quality)'];
    const end = await repo.run(['--publish'], { env: job });
    expect([end.code, shown()]).toEqual([0, names.map((name) => [name, 'success'])]);

    world.data.checks = [];
    repo.git('checkout', '-q', '--detach', 'main');
    const base = await repo.run(['--publish'], { env: { ...job, GITHUB_EVENT_NAME: 'pull_request_target' } });
    expect([base.code, shown()]).toEqual([3, [['onceover / main', 'action_required']]]);

    world.data.checks = [];
    // A job that could not judge does not take a verdict about the same change back.
    repo.git('checkout', '-q', 'work');
    await repo.run(['--publish'], { env: job });
    repo.git('checkout', '-q', '--detach', 'main');
    await repo.run(['--publish'], { env: job });
    expect(shown()).toEqual(names.map((name) => [name, 'success']));
  }, 60_000);

  test('run --publish that cannot publish does not exit with 0', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    const { env } = await pullRequest(repo);
    const end = await repo.run(['--publish'], { env: { ...env, GITHUB_EVENT_NAME: '', GITHUB_TOKEN: 'wrong' } });
    expect(end.code).toBe(3);
    expect(end.stderr).toContain('The result is not published: GitHub refused the request (401)');
  }, 30_000);
});

test('publishes in GitLab CI, then nothing', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.commit('change');
  const head = repo.git('rev-parse', 'HEAD').trim();
  const world = openWorld({ head, base: { 'src/a.ts': BEFORE }, files: { 'src/a.ts': AFTER } });
  const server = await startGitlab(world);
  repo.answers('one', failing('src/a.ts', 'export const b = 2;'));
  const file = join(repo.root, '.git/run.json');
  writeFileSync(file, (await repo.run(['--json'])).stdout);
  const env = {
    GITLAB_CI: 'true',
    CI_API_V4_URL: server.url,
    CI_PROJECT_ID: '42',
    CI_PROJECT_URL: 'https://gitlab.example.com/house/shop',
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '42',
    CI_COMMIT_SHA: head,
  };
  const without = await onceover(repo.root, ['publish', '--from', file], { env });
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('GITLAB_TOKEN is missing')]);
  const withToken = { env: { ...env, GITLAB_TOKEN: 'secret' } };
  const first = await onceover(repo.root, ['publish', '--from', file], withToken);
  expect(first.stdout).toBe('Published on 42!7:\n  2 × check\n  1 × new thread\n  1 × comment\n');
  const second = await onceover(repo.root, ['publish', '--from', file, '--json'], withToken);
  expect(JSON.parse(second.stdout)).toMatchObject({ writes: 0, actions: [] });
  expect(server.wrong).toEqual([]);
  await server.close();
});
