import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunDocument } from '@onceover/gates/result/json';
import { onceover } from '@onceover/testing/cli.ts';
import { type GithubServer, startGithub } from '@onceover/testing/forges/github-server.ts';
import { type GitlabServer, startGitlab } from '@onceover/testing/forges/gitlab-server.ts';
import { BASE_COMMIT, commitOf, openWorld, type World } from '@onceover/testing/forges/world.ts';
import { type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { alone, BAD, objected, waysUnder } from '@onceover/testing/ways.ts';
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
const commentEvent: JobEvent = ['issue_comment', { issue: { number: 7, pull_request: {} } }];
const queue: JobEvent = ['merge_group', { merge_group: { head_sha: commitOf(1), base_ref: 'refs/heads/main' } }];

type Publishing = {
  readonly event?: JobEvent;
  readonly args?: readonly string[];
  /** Changes the pull request on the forge before the publication. */
  readonly change?: (hub: World) => void;
};

const isForkedBy = (event: JobEvent): boolean => JSON.stringify(event).includes('"stranger/shop"');

async function publishOnGithub(
  repo: GateRepo,
  text: string,
  { event: [name, payload] = pullRequest(OWN), args = [], change = () => {} }: Publishing = {},
  hub = world(),
): Promise<Ending> {
  const [file, event] = [join(repo.root, '.git/run.json'), join(repo.root, '.git/event.json')];
  writeFileSync(file, text);
  writeFileSync(event, JSON.stringify(payload));
  if (isForkedBy([name, payload])) hub.pull.isFork = true;
  change(hub);
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
  const { code } = await onceover(repo.root, ['publish', '--from', file, ...args], { env });
  return endOf(code, hub);
}

async function publishOnGitlab(
  repo: GateRepo,
  text: string,
  { change = () => {} }: Pick<Publishing, 'change'> = {},
): Promise<Ending> {
  const file = join(repo.root, '.git/run.json');
  writeFileSync(file, text.replaceAll('"house/shop"', '"42"'));
  const lab = world();
  change(lab);
  const gitlab = await startGitlab(lab);
  servers.push(gitlab);
  const env = {
    GITLAB_CI: 'true',
    CI_API_V4_URL: gitlab.url,
    CI_PROJECT_ID: '42',
    CI_PROJECT_URL: 'https://gitlab.example.com/house/shop',
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: lab.pull.isFork ? '99' : '42',
    CI_COMMIT_SHA: commitOf(1),
    GITLAB_TOKEN: 'secret',
  };
  const { code } = await onceover(repo.root, ['publish', '--from', file], { env });
  return endOf(code, lab);
}

/** Publishes the text of a result on both forges, and returns the exit code and the conclusions of all checks. */
async function publish(
  repo: GateRepo,
  text: string,
  { change }: Pick<Publishing, 'change'> = {},
): Promise<readonly Ending[]> {
  const publishing = change === undefined ? {} : { change };
  return [await publishOnGithub(repo, text, publishing), await publishOnGitlab(repo, text, publishing)];
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

type PullDocument = NonNullable<RunDocument['pull_request']>;

/** Returns the document of a run as the job of pull request 7 writes it. */
function asInJob(text: string, differs: Partial<PullDocument> = {}): string {
  const document = JSON.parse(text) as RunDocument;
  const names = { head_repository: 'house/shop', repository: 'house/shop' };
  const pull_request = { head: commitOf(1), ...names, base: 'main', base_commit: BASE_COMMIT, ...differs };
  return JSON.stringify('error' in document ? document : { ...document, pull_request });
}

const resultOf = async (repo: GateRepo, args: readonly string[] = []) =>
  asInJob((await repo.run(['--json', ...args])).stdout);
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

const CHECKS = '  - path: src\n    checks:\n      test: { run: "true" }\n';

const success = { code: 0, conclusions: ['success', 'success'], overall: 'success' };

test('a good pull request of each kind passes', async () => {
  const repo = alone();
  const text = await passed(repo);
  for (const end of await publish(repo, text)) expect(end).toEqual(success);
  // The target branch got new commits.
  const grown = (hub: World) => {
    hub.pull.branches['main'] = [BASE_COMMIT, commitOf(8)];
  };
  for (const end of await publish(repo, text, { change: grown })) expect(end).toEqual(success);
  expect(await publishOnGithub(repo, text, { event: queue })).toEqual(success);
  const confirmed = (hub: World) => confirm(hub, 'ann');
  const second = { event: workflowRun(OWN), change: confirmed };
  expect(await publishOnGithub(repo, text, second)).toEqual(success);
  const forked = asInJob(text, { head_repository: 'stranger/shop' });
  expect(await publishOnGithub(repo, forked, { event: workflowRun(FORK), change: confirmed })).toEqual(success);
  const bump = (hub: World) => {
    hub.data.files['.github/workflows/ci.yml'] = 'on: push\n';
    hub.pull.author = 'renovate[bot]';
    hub.pull.commits = [{ id: commitOf(1), author: 'renovate[bot]', others: [] }];
  };
  expectNoPass([await publishOnGithub(repo, text, { change: bump })]);
  const bumped = (hub: World) => {
    bump(hub);
    confirm(hub, 'ann');
  };
  expect(await publishOnGithub(repo, text, { change: bumped })).toEqual(success);
});

function confirm(hub: World, author: string, body = `/onceover confirm ${commitOf(1)} main`, isEdited = false): void {
  hub.data.comments.push({ id: hub.nextId(), author, body, isMinimized: false, isEdited });
}

way('A run in a fork passed, and the author of the fork controls the job.', async () => {
  const repo = alone();
  const text = asInJob(await passed(repo), { head_repository: 'stranger/shop' });
  const fork = (hub: World) => {
    hub.pull.isFork = true;
  };
  expectNoPass([
    await publishOnGithub(repo, text, { event: workflowRun(FORK) }),
    await publishOnGithub(repo, text, { event: pullRequest(FORK) }),
    await publishOnGitlab(repo, asInJob(text, { head_repository: '43' }), { change: fork }),
  ]);
});

way('A run in a fork passed, and the author of the fork deletes it before the result is published.', async () => {
  const repo = alone();
  const text = asInJob(await passed(repo), { head_repository: 'stranger/shop' });
  const ends = [await publishOnGithub(repo, text, { event: workflowRun(null) })];
  expect(ends.map(({ overall }) => overall)).toEqual([undefined]);
});

way('A run in a fork passed in a workflow of the base branch, whose checks run code of the fork.', async () => {
  const repo = alone({ gates: CHECKS });
  const text = asInJob(await passed(repo), { head_repository: 'stranger/shop' });
  expectNoPass([await publishOnGithub(repo, text, { event: pullRequest(FORK, 'pull_request_target') })]);
});

way('A run in a fork passed, and a job publishes its result for whatever event.', async () => {
  const repo = alone();
  const text = asInJob(await passed(repo), { head_repository: 'stranger/shop' });
  const change = (hub: World) => {
    hub.pull.isFork = true;
  };
  const events: readonly JobEvent[] = [commentEvent, ['workflow_dispatch', {}], ['schedule', {}], ['push', {}]];
  for (const event of events) {
    expectNoPass([await publishOnGithub(repo, text, { event, change, args: ['--pull', '7'] })]);
  }
});

way('The result file names a commit, and the event of the job cannot be read.', async () => {
  const repo = alone();
  const text = JSON.stringify({ ...JSON.parse(await passed(repo)), commit: commitOf(1) });
  expectNoPass([await publishOnGithub(repo, text, { event: ['workflow_run', {}] })], true);
});

way(
  'One fact about the pull request in the result file differs from what GitHub or GitLab says now.',
  async () => {
    const repo = alone();
    const text = await passed(repo);
    const differences: readonly Partial<PullDocument>[] = [
      { head: commitOf(2) },
      { head: null },
      { head_repository: 'stranger/shop' },
      { head_repository: null },
      { repository: 'house/other' },
      { repository: null },
      { base: 'release' },
      { base_commit: commitOf(9) },
    ];
    for (const differs of differences) expectNoPass(await publish(repo, asInJob(text, differs)));
    expectNoPass(await publish(repo, JSON.stringify({ ...JSON.parse(text), pull_request: null })));
  },
  120_000,
);

way(
  'The author of a branch forges the result file of a job, and a workflow of the base branch publishes it.',
  async () => {
    const repo = alone();
    const forged = JSON.stringify({
      ...(JSON.parse(await passed(repo)) as RunDocument),
      ...{ status: 'no_applicable_gates', gates: [], findings: [] },
    });
    expectNoPass([
      await publishOnGithub(repo, forged, { event: workflowRun(OWN) }),
      await publishOnGithub(repo, forged, { event: commentEvent, args: ['--commit', commitOf(1)] }),
      await publishOnGithub(repo, forged, { event: ['workflow_dispatch', {}], args: ['--pull', '7'] }),
    ]);
  },
);

way('The pull request changes how changes are judged, and its own job publishes the result.', async () => {
  const repo = alone();
  const text = await passed(repo);
  for (const path of ['.github/workflows/review.yml', '.gitlab-ci.yml', 'onceover.yml', 'src/.deepreview']) {
    const change = (hub: World) => {
      hub.data.files[path] = 'x\n';
    };
    expectNoPass(await publish(repo, text, { change }));
  }
});

way('The pull request passed with another target branch.', async () => {
  const repo = alone();
  const text = await passed(repo);
  const hub = world();
  hub.pull.base = 'lax';
  expect(await publishOnGithub(repo, asInJob(text, { base: 'lax' }), {}, hub)).toMatchObject({ code: 0 });
  // The author changes the target branch. The old result is published again, and no check speaks for the new target.
  hub.pull.base = 'main';
  await publishOnGithub(repo, asInJob(text, { base: 'lax' }), {}, hub);
  const passing = hub.data.checks.filter(({ conclusion }) => PASSING.includes(conclusion));
  expect(passing.map(({ name }) => name).filter((name) => !name.startsWith('onceover / lax'))).toEqual([]);
  expect(passing.length).toBeGreaterThan(0);
  expect(hub.data.checks.some(({ name }) => name === 'onceover / main')).toBe(true);
});

way(
  'Someone confirms the pull request who may not, or confirms something else.',
  async () => {
    const repo = alone();
    const text = asInJob(await passed(repo), { head_repository: 'stranger/shop' });
    const comments: readonly ((hub: World) => void)[] = [
      (hub) => confirm(hub, 'mallory'),
      (hub) => confirm(hub, 'reader'),
      (hub) => confirm(hub, 'helper[bot]'),
      (hub) => confirm(hub, 'ann', `/onceover confirm ${commitOf(2)} main`),
      (hub) => confirm(hub, 'ann', `/onceover confirm ${commitOf(1)} lax`),
      (hub) => confirm(hub, 'ann', undefined, true),
      (hub) => {
        hub.pull.commits.push({ id: commitOf(5), author: 'mallory', others: ['ann'] });
        confirm(hub, 'ann');
      },
      (hub) => {
        hub.pull.commits.push({ id: commitOf(5), author: null, others: [] });
        confirm(hub, 'ann');
      },
    ];
    for (const change of comments) {
      expectNoPass([await publishOnGithub(repo, text, { event: workflowRun(FORK), change })]);
    }
  },
  120_000,
);

way("A comment of someone else starts with onceover's hidden marker.", async () => {
  const repo = await objected();
  const text = await resultOf(repo);
  const [{ fingerprint = '' } = {}] = (JSON.parse(text) as RunDocument).findings;
  const hub = world();
  hub.data.files['src/a.ts'] = `export const a = 1;\n${BAD}\n`;
  const posted = JSON.stringify({ kind: 'summary', verdict: 'failed', digest: 'x', posted: [fingerprint] });
  confirm(hub, 'ann', `<!-- onceover ${posted} -->\n`);
  confirm(hub, 'helper[bot]', `<!-- onceover summary failed x ${fingerprint} -->\n`);
  expectNoPass([await publishOnGithub(repo, text, {}, hub)]);
  expect(hub.data.threads).toHaveLength(1);
});

const TWO_GATES = `  - path: src
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md }
      other: { prompt: .onceover/reviews/code-quality.md }
`;

way('A run of one gate passed, and another gate of the change was not part of the run.', async () => {
  const repo = alone({ gates: TWO_GATES });
  const text = await resultOf(repo, ['--gate', 'other']);
  expect(JSON.parse(text)).toMatchObject({ exit_code: 0, not_asked: ['review:src:code-quality'] });
  const ends = await publish(repo, text);
  expect(ends.map(({ overall }) => overall)).toEqual(['action_required', 'failure']);
});

way('A run of chosen files passed, and the change has other files.', async () => {
  const repo = alone();
  repo.write('src/b.ts', 'export const c = 3;\n');
  const text = await resultOf(repo, ['--files', 'src/a.ts']);
  expect(JSON.parse(text)).toMatchObject({ exit_code: 0 });
  expectNoPass(await publish(repo, text));
});

way('A run of the last commit passed, and the pull request has other commits.', async () => {
  const repo = alone();
  repo.commit('first');
  repo.write('src/b.ts', 'export const c = 3;\n');
  repo.commit('second');
  const text = await resultOf(repo, ['--commit', 'HEAD']);
  expect(JSON.parse(text)).toMatchObject({ exit_code: 0 });
  expectNoPass(await publish(repo, text));
});
