import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunDocument } from '@onceover/gates/result/json';
import { onceover } from '@onceover/testing/cli.ts';
import { type GithubServer, startGithub } from '@onceover/testing/forges/github-server.ts';
import { type GitlabServer, startGitlab } from '@onceover/testing/forges/gitlab-server.ts';
import { commitOf, openWorld, type World } from '@onceover/testing/forges/world.ts';
import { type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { alone, objected, waysUnder } from '@onceover/testing/ways.ts';
import { afterEach, expect, test } from 'vitest';

const way = waysUnder('Published results on a pull request');

const servers: (GithubServer | GitlabServer)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const world = () => openWorld({ files: { 'src/a.ts': 'export const a = 1;\n' } });

type Ending = {
  readonly code: number | null;
  readonly conclusions: readonly string[];
  /** The conclusion of the check about the whole run. */
  readonly overall: string | undefined;
};

const endOf = (code: number | null, { data: { checks } }: World): Ending => ({
  code,
  conclusions: checks.map(({ conclusion }) => conclusion),
  overall: checks.find(({ name }) => name === 'onceover / main')?.conclusion,
});

const OWN = { full_name: 'house/shop', owner: { login: 'house' } };
const FORK = { full_name: 'stranger/shop', owner: { login: 'stranger' } };

/** The name and the payload of the event that starts a job on GitHub. */
type JobEvent = readonly [name: string, payload: object];

const pullRequest = (repo: object, name = 'pull_request'): JobEvent => [
  name,
  { pull_request: { number: 7, head: { sha: commitOf(1), repo } } },
];
const workflowRun = (head_repository: object | null): JobEvent => [
  'workflow_run',
  { workflow_run: { head_sha: commitOf(1), head_branch: 'work', head_repository } },
];

async function publishOnGithub(repo: GateRepo, text: string, [name, payload]: JobEvent): Promise<Ending> {
  const [file, event] = [join(repo.root, '.git/run.json'), join(repo.root, '.git/event.json')];
  writeFileSync(file, text);
  writeFileSync(event, JSON.stringify(payload));
  const hub = world();
  const github = await startGithub(hub);
  servers.push(github);
  const env = {
    GITHUB_REPOSITORY: 'house/shop',
    GITHUB_API_URL: github.url,
    GITHUB_GRAPHQL_URL: `${github.url}/graphql`,
    GITHUB_EVENT_NAME: name,
    GITHUB_EVENT_PATH: event,
    GITHUB_TOKEN: 'secret',
  };
  const { code } = await onceover(repo.root, ['publish', '--from', file], { env });
  return endOf(code, hub);
}

async function publishOnGitlab(repo: GateRepo, text: string, more: Record<string, string> = {}): Promise<Ending> {
  const file = join(repo.root, '.git/run.json');
  writeFileSync(file, text);
  const lab = world();
  const gitlab = await startGitlab(lab);
  servers.push(gitlab);
  const env = {
    GITLAB_CI: 'true',
    CI_API_V4_URL: gitlab.url,
    CI_PROJECT_ID: '42',
    CI_PROJECT_URL: 'https://gitlab.example.com/house/shop',
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '42',
    CI_COMMIT_SHA: commitOf(1),
    GITLAB_TOKEN: 'secret',
    ...more,
  };
  const { code } = await onceover(repo.root, ['publish', '--from', file], { env });
  return endOf(code, lab);
}

/** Publishes the text of a result on both forges, and returns the exit code and the conclusions of all checks. */
async function publish(repo: GateRepo, text: string): Promise<readonly Ending[]> {
  return [await publishOnGithub(repo, text, pullRequest(OWN)), await publishOnGitlab(repo, text)];
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

/** Runs a review that passes, and returns the result file. */
async function passed(repo: GateRepo): Promise<string> {
  const text = await resultOf(repo);
  expect(JSON.parse(text)).toMatchObject({ exit_code: 0 });
  return text;
}

test('a result that passes is published as a pass if its branch is in the repository', async () => {
  const repo = alone();
  const text = await passed(repo);
  const ends = [...(await publish(repo, text)), await publishOnGithub(repo, text, workflowRun(OWN))];
  expect(ends.map(({ code, conclusions }) => [code, ...new Set(conclusions)])).toEqual(ends.map(() => [0, 'success']));
});

way('A run in a fork passed, and the author of the fork controls the job.', async () => {
  const repo = alone();
  const text = await passed(repo);
  expectNoPass([
    await publishOnGithub(repo, text, workflowRun(FORK)),
    await publishOnGithub(repo, text, pullRequest(FORK)),
    await publishOnGitlab(repo, text, { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '99' }),
  ]);
});

way('A run in a fork passed, and the author of the fork deletes it before the result is published.', async () => {
  const repo = alone();
  const text = await passed(repo);
  expectNoPass([
    await publishOnGithub(repo, text, workflowRun(null)),
    await publishOnGitlab(repo, text, { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '' }),
  ]);
});

way('A run in a fork passed in a workflow of the base branch, whose checks run code of the fork.', async () => {
  const repo = alone();
  expectNoPass([await publishOnGithub(repo, await passed(repo), pullRequest(FORK, 'pull_request_target'))]);
});

way('The result file names a commit, and the event of the job cannot be read.', async () => {
  const repo = alone();
  const text = JSON.stringify({ ...JSON.parse(await passed(repo)), commit: commitOf(1) });
  expectNoPass([await publishOnGithub(repo, text, ['workflow_run', {}])], true);
});

const TWO_GATES = `  - path: src
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md }
      other: { prompt: .onceover/reviews/code-quality.md }
`;

way('A run of one gate passed, and another gate of the change was not part of the run.', async () => {
  const repo = alone({ gates: TWO_GATES });
  const text = (await repo.run(['--gate', 'other', '--json'])).stdout;
  expect(JSON.parse(text)).toMatchObject({ exit_code: 0, not_asked: ['review:src:code-quality'] });
  const ends = await publish(repo, text);
  expect(ends.map(({ overall }) => overall)).toEqual(['action_required', 'failure']);
});

way('A run of chosen files passed, and the change has other files.', async () => {
  const repo = alone();
  repo.write('src/b.ts', 'export const c = 3;\n');
  const text = (await repo.run(['--files', 'src/a.ts', '--json'])).stdout;
  expect(JSON.parse(text)).toMatchObject({ exit_code: 0 });
  expectNoPass(await publish(repo, text));
});

way('A run of the last commit passed, and the pull request has other commits.', async () => {
  const repo = alone();
  repo.commit('first');
  repo.write('src/b.ts', 'export const c = 3;\n');
  repo.commit('second');
  const text = (await repo.run(['--commit', 'HEAD', '--json'])).stdout;
  expect(JSON.parse(text)).toMatchObject({ exit_code: 0 });
  expectNoPass(await publish(repo, text));
});
