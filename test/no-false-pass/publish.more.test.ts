import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { RunDocument } from '../../src/gates/json.ts';
import { onceover } from '../support/cli.ts';
import { type GithubServer, startGithub } from '../support/forges/github-server.ts';
import { type GitlabServer, startGitlab } from '../support/forges/gitlab-server.ts';
import { commitOf, openWorld, type World } from '../support/forges/world.ts';
import { type GateRepo, gateRepo } from '../support/gates.ts';
import { alone, objected, waysUnder } from '../support/ways.ts';

const way = waysUnder('Published results on a pull request');

const servers: (GithubServer | GitlabServer)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const world = () => openWorld({ files: { 'src/a.ts': 'export const a = 1;\n' } });

type Ending = { readonly code: number | null; readonly conclusions: readonly string[] };

/** Publishes the text of a result on both forges, and returns the exit code and the conclusions of all checks. */
async function publish(repo: GateRepo, text: string, more: Record<string, string> = {}): Promise<readonly Ending[]> {
  const file = join(repo.root, '.git/run.json');
  writeFileSync(file, text);
  const ends: Ending[] = [];
  const run = async (shown: World, env: Record<string, string>) => {
    const { code } = await onceover(repo.root, ['publish', '--from', file], { env: { ...env, ...more } });
    ends.push({ code, conclusions: shown.data.checks.map(({ conclusion }) => conclusion) });
  };
  const [hub, lab] = [world(), world()];
  const [github, gitlab] = [await startGithub(hub), await startGitlab(lab)];
  servers.push(github, gitlab);
  const event = join(repo.root, '.git/event.json');
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head: { sha: commitOf(1) } } }));
  await run(hub, {
    GITHUB_REPOSITORY: 'house/shop',
    GITHUB_API_URL: github.url,
    GITHUB_GRAPHQL_URL: `${github.url}/graphql`,
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: event,
    GITHUB_TOKEN: 'secret',
  });
  await run(lab, {
    GITLAB_CI: 'true',
    CI_API_V4_URL: gitlab.url,
    CI_PROJECT_ID: '42',
    CI_PROJECT_URL: 'https://gitlab.example.com/house/shop',
    CI_MERGE_REQUEST_IID: '7',
    CI_COMMIT_SHA: commitOf(1),
    GITLAB_TOKEN: 'secret',
  });
  return ends;
}

const PASSING = ['success', 'neutral'];

/** Expects that no check allows a merge. `refused`: nothing is published at all. */
function expectNoPass(ends: readonly Ending[], refused = false): void {
  for (const { code, conclusions } of ends) {
    if (refused) expect([code === 0, conclusions]).toEqual([false, []]);
    else expect(conclusions.length).toBeGreaterThan(0);
    expect(conclusions.filter((one) => PASSING.includes(one))).toEqual([]);
  }
}

const resultOf = async (repo: GateRepo) => (await repo.run(['--json'])).stdout;
const changed = (text: string, change: Partial<RunDocument>) =>
  JSON.stringify({ ...(JSON.parse(text) as RunDocument), ...change });

way('A run ends with an error, and someone publishes its result.', async () => {
  const repo = gateRepo({ agents: [], gates: '  - path: src\n    reviews: 7' });
  const text = await resultOf(repo);
  expect(JSON.parse(text)).toHaveProperty('error');
  expectNoPass(await publish(repo, text));
});

way('A reviewer cannot run, and someone publishes the result of the run.', async () => {
  const repo = alone();
  repo.answers('one', ...Array.from({ length: 9 }, () => ({ $exit: 1, $raw: '' })));
  expectNoPass(await publish(repo, await resultOf(repo)));
});

way('A run cannot start because another run is in progress, and someone publishes its JSON document.', async () => {
  const repo = await objected();
  const text = await resultOf(repo);
  expectNoPass(await publish(repo, changed(text, { status: 'lock_conflict', exit_code: 3, gates: [], findings: [] })));
});

way('Someone edits the exit code in the result file of a failed run.', async () => {
  const repo = await objected();
  expectNoPass(await publish(repo, changed(await resultOf(repo), { exit_code: 0 })), true);
});

way('Someone edits the exit code and the status in the result file of a failed run.', async () => {
  const repo = await objected();
  expectNoPass(await publish(repo, changed(await resultOf(repo), { exit_code: 0, status: 'passed' })), true);
});

way('Someone removes the gates from the result file of a failed run.', async () => {
  const repo = await objected();
  expectNoPass(await publish(repo, changed(await resultOf(repo), { exit_code: 0, status: 'passed', gates: [] })), true);
});

way('The result file has the same key twice, first with the real value and then with a better one.', async () => {
  const repo = await objected();
  const text = await resultOf(repo);
  expectNoPass(await publish(repo, `${text.trim().replace(/\}$/, '')}, "status": "passed", "exit_code": 0}`), true);
});

way('The result file is empty.', async () => {
  expectNoPass(await publish(alone(), ''), true);
});

way('A run in a fork passed, and the author of the fork controls the job.', async () => {
  const repo = alone();
  const text = await resultOf(repo);
  expect(JSON.parse(text)).toMatchObject({ exit_code: 0 });
  const ends = await publish(repo, text, { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '99' });
  expectNoPass(ends.slice(1));
  const file = join(repo.root, '.git/run.json');
  const event = join(repo.root, '.git/event.json');
  const head = { head_sha: commitOf(1), head_branch: 'work' };
  const fork = { full_name: 'stranger/shop', owner: { login: 'stranger' } };
  writeFileSync(event, JSON.stringify({ workflow_run: { ...head, head_repository: fork } }));
  const hub = world();
  const github = await startGithub(hub);
  servers.push(github);
  const env = {
    GITHUB_REPOSITORY: 'house/shop',
    GITHUB_API_URL: github.url,
    GITHUB_GRAPHQL_URL: `${github.url}/graphql`,
    GITHUB_EVENT_NAME: 'workflow_run',
    GITHUB_EVENT_PATH: event,
    GITHUB_TOKEN: 'secret',
  };
  const { code } = await onceover(repo.root, ['publish', '--from', file], { env });
  expectNoPass([{ code, conclusions: hub.data.checks.map(({ conclusion }) => conclusion) }]);
});
