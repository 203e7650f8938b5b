import { commitOf } from '@onceover/testing/forges/world.ts';
import { expect, test } from 'vitest';
import { decideTarget, type TargetFacts } from '../src/decide-target.ts';

const target = (env: TargetFacts['env'], event: unknown, fields: Partial<TargetFacts> = {}) =>
  decideTarget({
    env: { GITHUB_REPOSITORY: 'house/shop', ...env },
    event,
    pull: null,
    commit: null,
    runCommit: null,
    ...fields,
  });

const FORK = { full_name: 'stranger/shop', owner: { login: 'stranger' } };
const OWN = { full_name: 'house/shop', owner: { login: 'house' } };

const pullRequest = (repo: object | null) => ({ pull_request: { number: 7, head: { sha: commitOf(2), repo } } });
const workflow = (head_repository: object | null) => ({
  workflow_run: { head_sha: commitOf(3), head_branch: 'work', head_repository },
});
const seventh = { kind: 'number', number: 7 };
const none = { kind: 'number', number: null };

test.each<[string, TargetFacts['env'], object, object]>([
  [
    'a pull request: its head, not the merge commit of the job',
    { GITHUB_EVENT_NAME: 'pull_request', GITHUB_SHA: commitOf(9) },
    pullRequest(OWN),
    { pull: seventh, commit: commitOf(2), workflow: 'change', queue: null },
  ],
  [
    'a job of the base branch for a pull request',
    { GITHUB_EVENT_NAME: 'pull_request_target' },
    pullRequest(FORK),
    { pull: seventh, commit: commitOf(2), workflow: 'base' },
  ],
  [
    'a merge queue',
    { GITHUB_EVENT_NAME: 'merge_group' },
    { merge_group: { head_sha: commitOf(4), base_ref: 'refs/heads/release/1' } },
    {
      ...{ pull: none, commit: commitOf(4) },
      queue: { base: 'release/1', head: commitOf(4), repository: 'house/shop' },
    },
  ],
  [
    'another workflow, for a fork',
    { GITHUB_EVENT_NAME: 'workflow_run' },
    workflow(FORK),
    { pull: { kind: 'branch', head: 'stranger:work' }, commit: commitOf(3), workflow: 'base' },
  ],
  [
    'another workflow, for a fork that was deleted',
    { GITHUB_EVENT_NAME: 'workflow_run' },
    workflow(null),
    { pull: none, commit: commitOf(3), workflow: 'base' },
  ],
  [
    'another workflow, for a branch of the repository',
    { GITHUB_EVENT_NAME: 'workflow_run' },
    workflow(OWN),
    { pull: { kind: 'branch', head: 'house:work' }, workflow: 'base' },
  ],
  [
    'a comment on a pull request',
    { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_SHA: commitOf(9) },
    { issue: { number: 7, pull_request: {} } },
    { pull: seventh, commit: commitOf(9), workflow: 'base' },
  ],
  [
    'a comment on an issue',
    { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_SHA: commitOf(9) },
    { issue: { number: 7 } },
    { pull: none, commit: commitOf(9), workflow: 'base' },
  ],
  [
    'a job that someone starts',
    { GITHUB_EVENT_NAME: 'workflow_dispatch', GITHUB_SHA: commitOf(9) },
    {},
    { pull: none, commit: commitOf(9), workflow: 'base', queue: null },
  ],
])('where to publish: %s', (_title, env, event, expected) => {
  expect(target(env, event)).toMatchObject({ ok: true, value: expected });
});

// The result file names a commit, but its author must not choose where it counts.
test.each([
  ['pull_request', null],
  ['pull_request', { pull_request: { number: 7, head: {} } }],
  ['issue_comment', {}],
  ['pull_request_target', { pull_request: {} }],
  ['merge_group', {}],
  ['workflow_run', {}],
  ['workflow_run', { workflow_run: { head_sha: commitOf(3), head_branch: 'work' } }],
])('an event of %s that cannot be read is an error, not a result without a pull request: %j', (name, event) => {
  expect(target({ GITHUB_EVENT_NAME: name }, event, { runCommit: commitOf(5), commit: commitOf(5) })).toMatchObject({
    ok: false,
    failure: { kind: 'no-forge', missing: 'GITHUB_EVENT_PATH' },
  });
});

test.each([
  ['no repository', { GITHUB_REPOSITORY: '../x' }, 'GITHUB_REPOSITORY'],
  ['an address that is not encrypted', { GITHUB_API_URL: 'http://evil.invalid' }, 'GITHUB_API_URL'],
  ['no commit', {}, '--commit'],
])('fails: %s', (_title, env, missing) => {
  expect(target(env, null)).toMatchObject({ ok: false, failure: { kind: 'no-forge', missing } });
});
