import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT, readOutputs } from '@onceover/testing/composite-action.ts';
import { EVENT, FORK } from '@onceover/testing/pull-request.ts';
import { cleanEnvironment, repoWith } from '@onceover/testing/repo.ts';
import { commandsIn } from '@onceover/testing/workflow-commands.ts';
import { expect, test } from 'vitest';

type Begun = { readonly code: number | null; readonly log: string; readonly outputs: Readonly<Record<string, string>> };

function begin(about: NodeJS.ProcessEnv, event: object = EVENT, { root, git } = repoWith({ 'a.ts': '' })): Begun {
  const [output, told] = [join(dirname(root), 'output'), join(dirname(root), 'event.json')];
  writeFileSync(output, '');
  writeFileSync(told, JSON.stringify(event));
  const env = {
    ...cleanEnvironment(dirname(root)),
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: told,
    GITHUB_REPOSITORY: 'house/shop',
    GITHUB_SHA: git('rev-parse', 'HEAD').trim(),
    GITHUB_OUTPUT: output,
    GITHUB_RUN_ID: '12',
    GITHUB_RUN_ATTEMPT: '3',
    RUNNER_OS: 'Linux',
    ONCEOVER_RECEIPTS: 'true',
    ONCEOVER_SARIF: 'false',
    ONCEOVER_ARTIFACT: 'false',
    ONCEOVER_FAIL_ON_ERROR: 'true',
    ONCEOVER_PUBLISH: 'false',
    ...about,
  };
  const end = spawnSync(process.execPath, [join(PROJECT, 'action/begin.mjs')], { cwd: root, env, encoding: 'utf8' });
  return { code: end.status, log: end.stdout + end.stderr, outputs: readOutputs(readFileSync(output, 'utf8')) };
}

const OTHER = 'a'.repeat(40);

test.each<[title: string, about: NodeJS.ProcessEnv, event: object, isKept: boolean]>([
  ['a pull request from a branch', {}, EVENT, true],
  ['a pull request from a branch, whose head is checked out', { GITHUB_SHA: OTHER }, EVENT, true],
  ['a pull request from a fork', {}, FORK, false],
  ['a pull request from a deleted fork', {}, { pull_request: { head: { repo: null } } }, false],
  ['a pull request without any data', { GITHUB_REPOSITORY: '' }, {}, false],
  ['a pull request, with the rights of its base', { GITHUB_EVENT_NAME: 'pull_request_target' }, EVENT, false],
  ['a comment', { GITHUB_EVENT_NAME: 'issue_comment' }, {}, false],
  ['another workflow', { GITHUB_EVENT_NAME: 'workflow_run' }, {}, false],
  ['a push', { GITHUB_EVENT_NAME: 'push' }, {}, true],
  ['a push, with another commit checked out', { GITHUB_EVENT_NAME: 'push', GITHUB_SHA: OTHER }, {}, false],
  ['a merge queue', { GITHUB_EVENT_NAME: 'merge_group' }, {}, true],
  ['a manual start', { GITHUB_EVENT_NAME: 'workflow_dispatch' }, {}, true],
  [
    'a manual start, with another commit checked out',
    { GITHUB_EVENT_NAME: 'workflow_dispatch', GITHUB_SHA: '' },
    {},
    false,
  ],
  ['an unknown event', { GITHUB_EVENT_NAME: '' }, {}, false],
  ['a pull request whose job keeps nothing', { ONCEOVER_RECEIPTS: 'false' }, EVENT, false],
])('whether passes of this job are kept: %s', (_, about, event, isKept) => {
  const { code, log, outputs } = begin(about, event);
  expect([code, outputs['keep']]).toEqual([0, `${isKept}`]);
  expect(log).toContain(isKept ? 'are kept for later runs.' : 'are not kept for later runs: ');
});

test('the cache key has the workflow, the job, the options and the run; earlier runs are found', () => {
  const { prefix = '', key } = begin({ GITHUB_WORKFLOW: 'a', GITHUB_JOB: 'b' }).outputs;
  expect(prefix).toMatch(/^onceover-1-Linux-[0-9a-f]{16}-$/);
  expect(key).toBe(`${prefix}12-3`);
  expect(begin({ GITHUB_WORKFLOW: 'a', GITHUB_JOB: 'b', ONCEOVER_ARGS: '--gate\nx' }).outputs['prefix']).not.toBe(
    prefix,
  );
});

test('files of an earlier job or step are removed: receipts, records, marks', () => {
  const repo = repoWith({ 'a.ts': '' });
  const left = ['.git/onceover/receipts/x.json', '.deepwork/logs/x.json', '.deepwork/tmp/review_instructions/x.passed'];
  for (const path of left) repo.write(path, '{}');
  expect(begin({}, EVENT, repo).code).toBe(0);
  expect(left.filter((path) => existsSync(join(repo.root, path)))).toEqual([]);
});

test.each([
  ['receipts', 'ONCEOVER_RECEIPTS', 'yes'],
  ['sarif', 'ONCEOVER_SARIF', ''],
  ['publish', 'ONCEOVER_PUBLISH', 'yes'],
  ['artifact', 'ONCEOVER_ARTIFACT', 'maybe'],
  ['fail-on-error', 'ONCEOVER_FAIL_ON_ERROR', 'False\n::warning::x'],
])('the input %s is "true" or "false"', (name, variable, value) => {
  const { code, log } = begin({ [variable]: value });
  expect([code, commandsIn(log)]).toMatchObject([
    2,
    [{ name: 'error', data: `The input "${name}" is "true" or "false", not "${value}".` }],
  ]);
});
