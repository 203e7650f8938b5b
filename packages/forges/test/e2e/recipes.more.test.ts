import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CLI } from '@onceover/testing/cli.ts';
import { PROJECT, readAction } from '@onceover/testing/composite-action.ts';
import { startGithub } from '@onceover/testing/forges/github-server.ts';
import { startGitlab } from '@onceover/testing/forges/gitlab-server.ts';
import { openWorld, type World } from '@onceover/testing/forges/world.ts';
import { failing, gateRepo, PASS } from '@onceover/testing/gates.ts';
import { EVENT, FORK, pullRequestRepo } from '@onceover/testing/pull-request.ts';
import { cleanEnvironment, temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

type Step = {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
};
type Workflow = { readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>> };
type Pipeline = Readonly<
  Record<'review' | 'publish', { readonly script: readonly string[]; readonly artifacts?: { paths: string[] } }>
>;

const page = readFileSync(join(PROJECT, 'docs/pull-requests.md'), 'utf8');
const blocks = [...page.matchAll(/```yaml\n(# \.[\w./-]+)\n([^`]*)```/g)].map(([, name, text = '']) => [
  name,
  parse(text),
]);
const [together, second, first, gitlab] = blocks.map(([, recipe]) => recipe) as [
  Workflow,
  Workflow,
  Workflow,
  Pipeline,
];
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);

const BEFORE = 'export const a = 1;\n';
const AFTER = `${BEFORE}export const b = 2;\n`;
const FOUND = failing('src/a.ts', 'export const b = 2;', { line: 2 });

const worldAt = (head: string) => openWorld({ head, base: { 'src/a.ts': BEFORE }, files: { 'src/a.ts': AFTER } });

/** Runs a script on a machine without a clone, on which npm installs nothing and onceover is the built program. */
function machine() {
  const folder = temporaryFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(bin, 'onceover'), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`, { mode: 0o755 });
  const clean = cleanEnvironment(folder);
  const bash = (script: string, cwd: string, env: NodeJS.ProcessEnv) =>
    new Promise<{ code: unknown; said: string }>((settle) => {
      const options = { cwd, env: { ...clean, PATH: `${bin}:${clean['PATH']}`, ...env } };
      execFile('bash', ['-eo', 'pipefail', '-c', script], options, (error, stdout, stderr) =>
        settle({ code: error?.code ?? 0, said: stdout + stderr }),
      );
    });
  return { folder: mkdtempSync(join(folder, 'job-')), bash };
}

/** GitHub shows only the newest of several checks with one name. */
const shown = ({ data }: World) => {
  const newest = new Map(data.checks.map(({ name, conclusion }) => [name, conclusion]));
  return {
    threads: data.threads.length,
    summary: data.comments[0]?.body.split('\n')[1],
    checks: [...new Set(newest.values())],
  };
};

test('the page has four recipes, and they use inputs and outputs that the action has', () => {
  expect(blocks.map(([name]) => name)).toEqual([
    '# .github/workflows/review.yml',
    '# .github/workflows/publish.yml',
    '# .github/workflows/review.yml',
    '# .gitlab-ci.yml',
  ]);
  const { inputs, outputs } = readAction();
  for (const { uses, with: actionInputs = {} } of [together, first].flatMap(stepsOf)) {
    if (uses?.startsWith('OWNER/'))
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(actionInputs)));
    const [, output = 'run'] = /steps\.review\.outputs\.(\w+)/.exec(actionInputs['path'] ?? '') ?? [];
    expect(Object.keys(outputs)).toContain(output);
  }
});

test.each([
  ['an open finding', FOUND, { threads: 1, summary: '### ❌ onceover: 1 problem to fix', checks: ['failure'] }],
  [
    'a pass does not count',
    PASS,
    { threads: 0, summary: '### ✅ onceover: passed, 1 gate', checks: ['action_required'] },
  ],
])(
  'the two workflows for forks: %s',
  async (_title, answer, expected) => {
    const repo = pullRequestRepo();
    repo.answers('one', answer);
    const job = await repo.job({ event: FORK });
    const result = job.outputs['run'] ?? '';
    const sha = repo.git('rev-parse', 'work').trim();
    const world = worldAt(sha);
    const server = await startGithub(world);
    onTestFinished(() => server.close());
    const { folder, bash } = machine();
    copyFileSync(result, join(folder, basename(result)));
    const event = join(folder, 'event.json');
    const from = { full_name: 'stranger/shop', owner: { login: 'stranger' } };
    writeFileSync(
      event,
      JSON.stringify({ workflow_run: { head_sha: sha, head_branch: 'work', head_repository: from } }),
    );
    const commands = stepsOf(second).flatMap(({ run }) => run ?? []);
    const end = await bash(commands.join('\n'), folder, {
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: EVENT.pull_request.head.repo.full_name,
      GITHUB_API_URL: server.url,
      GITHUB_GRAPHQL_URL: `${server.url}/graphql`,
      GITHUB_EVENT_NAME: 'workflow_run',
      GITHUB_EVENT_PATH: event,
      GITHUB_TOKEN: 'secret',
      ONCEOVER_PACKAGE: 'onceover.tgz',
    });
    expect([end.code, end.said]).toEqual([0, expect.stringContaining('Published on house/shop#7')]);
    expect(shown(world)).toEqual(expected);
    expect(server.wrong).toEqual([]);
  },
  60_000,
);

test.each<[string, NodeJS.ProcessEnv, (sha: string) => object, object]>([
  [
    'a pull request',
    {},
    (sha) => ({
      pull_request: { ...EVENT.pull_request, head: { ...EVENT.pull_request.head, sha }, base: { ref: 'main' } },
    }),
    { threads: 1, summary: '### ❌ onceover: 1 problem to fix', checks: ['failure'] },
  ],
  [
    'a merge queue gets checks, and nothing else',
    {
      GITHUB_EVENT_NAME: 'merge_group',
      GITHUB_REF: 'refs/heads/gh-readonly-queue/main/pr-7-0a1b2c',
      GITHUB_BASE_REF: '',
      GITHUB_HEAD_REF: '',
    },
    (sha) => ({ merge_group: { head_sha: sha, base_ref: 'refs/heads/main' } }),
    { threads: 0, summary: undefined, checks: ['failure'] },
  ],
])(
  'the workflow with one job: %s',
  async (_title, about, event, expected) => {
    const repo = pullRequestRepo();
    repo.answers('one', FOUND);
    const sha = repo.git('rev-parse', 'work').trim();
    const world = worldAt(sha);
    const server = await startGithub(world);
    onTestFinished(() => server.close());
    const inputs = stepsOf(together).find(({ uses }) => uses?.startsWith('OWNER/'))?.with ?? {};
    const fill = (value: unknown) => String(value).replace(/\$\{\{ github\.token \}\}/, 'secret');
    const job = await repo.job({
      inputs: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, fill(value)])),
      event: event(sha),
      env: { GITHUB_API_URL: server.url, GITHUB_GRAPHQL_URL: `${server.url}/graphql`, ...about },
    });
    expect([job.isSuccess, job.log]).toEqual([false, expect.stringContaining('Published on house/shop')]);
    expect(shown(world)).toEqual(expected);
    expect(new Set(world.data.checks.map((check) => check.sha))).toEqual(new Set([sha]));
    const isPullRequest = about['GITHUB_EVENT_NAME'] === undefined;
    expect(world.data.checks[0]?.conclusion === 'pending').toBe(isPullRequest);
    expect(server.wrong).toEqual([]);
  },
  60_000,
);

test('the two GitLab jobs: the first has no token, the second no clone', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.commit('change');
  repo.answers('one', FOUND);
  const head = repo.git('rev-parse', 'HEAD').trim();
  const world = worldAt(head);
  const server = await startGitlab(world);
  onTestFinished(() => server.close());
  const { folder, bash } = machine();
  const clone = join(dirname(repo.root), 'clone');
  const cloneResult = await bash(
    `git clone -q "${repo.root}" "${clone}" && cd "${clone}" && git checkout -q ${head}`,
    folder,
    {},
  );
  expect(cloneResult).toMatchObject({ code: 0 });
  const env = {
    GITLAB_CI: 'true',
    CI_API_V4_URL: server.url,
    CI_PROJECT_ID: '42',
    CI_PROJECT_URL: 'https://gitlab.example.com/house/shop',
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '42',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    CI_COMMIT_SHA: head,
    ONCEOVER_PACKAGE: 'onceover.tgz',
  };
  expect(await bash(gitlab.review.script.join('\n'), clone, env)).toMatchObject({ code: 1 });
  const [artifact = ''] = gitlab.review.artifacts?.paths ?? [];
  copyFileSync(join(clone, artifact), join(folder, artifact));
  const script = gitlab.publish.script.join('\n');
  expect(await bash(script, folder, { ...env, GITLAB_TOKEN: 'secret' })).toMatchObject({ code: 0 });
  expect(shown(world)).toEqual({ threads: 1, summary: '### ❌ onceover: 1 problem to fix', checks: ['failure'] });
  expect(server.wrong).toEqual([]);
}, 60_000);
