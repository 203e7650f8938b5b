import { expect, test } from 'vitest';
import { decideTrust, type StoreTrust } from '../src/decide-trust.ts';

const GITHUB = { GITHUB_EVENT_NAME: 'pull_request' };

const event = (head: unknown, base: unknown) => ({
  pull_request: { head: { repo: { full_name: head } }, base: { repo: { full_name: base } } },
});

test.each<[string, StoreTrust, NodeJS.ProcessEnv, unknown, boolean]>([
  ['on a laptop', 'own-branches', {}, undefined, true],
  ['on a push in CI', 'own-branches', { GITHUB_EVENT_NAME: 'push' }, undefined, true],
  ['own branch on GitHub', 'own-branches', GITHUB, event('a/b', 'a/b'), true],
  ['fork on GitHub', 'own-branches', GITHUB, event('x/b', 'a/b'), false],
  ['deleted fork on GitHub', 'own-branches', GITHUB, event(null, 'a/b'), false],
  ['GitHub without the file of the event', 'own-branches', GITHUB, undefined, false],
  ['an event without names', 'own-branches', GITHUB, event(undefined, undefined), false],
  [
    'pull_request_target of a fork',
    'own-branches',
    { GITHUB_EVENT_NAME: 'pull_request_target' },
    event('x/b', 'a/b'),
    false,
  ],
  ['merge queue', 'own-branches', { GITHUB_EVENT_NAME: 'merge_group' }, undefined, true],
  [
    'own branch on GitLab',
    'own-branches',
    { CI_MERGE_REQUEST_IID: '1', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '7', CI_MERGE_REQUEST_PROJECT_ID: '7' },
    undefined,
    true,
  ],
  [
    'fork on GitLab',
    'own-branches',
    { CI_MERGE_REQUEST_IID: '1', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '8', CI_MERGE_REQUEST_PROJECT_ID: '7' },
    undefined,
    false,
  ],
  ['GitLab without ids', 'own-branches', { CI_MERGE_REQUEST_IID: '1' }, undefined, false],
  [
    'own branch on Azure',
    'own-branches',
    { BUILD_REASON: 'PullRequest', SYSTEM_PULLREQUEST_ISFORK: 'False' },
    undefined,
    true,
  ],
  [
    'fork on Azure',
    'own-branches',
    { BUILD_REASON: 'PullRequest', SYSTEM_PULLREQUEST_ISFORK: 'True' },
    undefined,
    false,
  ],
  [
    'own branch on Buildkite',
    'own-branches',
    {
      BUILDKITE_PULL_REQUEST: '3',
      BUILDKITE_PULL_REQUEST_REPO: 'git://github.com/a/b.git',
      BUILDKITE_REPO: 'git@github.com:a/b.git',
    },
    undefined,
    true,
  ],
  [
    'fork on Buildkite',
    'own-branches',
    {
      BUILDKITE_PULL_REQUEST: '3',
      BUILDKITE_PULL_REQUEST_REPO: 'git://github.com/x/b.git',
      BUILDKITE_REPO: 'git@github.com:a/b.git',
    },
    undefined,
    false,
  ],
  ['a CI service that does not say', 'own-branches', { BITBUCKET_PR_ID: '1' }, undefined, false],
  ['never, on a laptop', 'never', {}, undefined, false],
  ['always, from a fork', 'always', GITHUB, event('x/b', 'a/b'), true],
])('%s', (_title, trust, env, eventPayload, isTrusted) => {
  expect(decideTrust(trust, env, eventPayload)).toBe(isTrusted);
});
