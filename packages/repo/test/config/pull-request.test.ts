import { describe, expect, test } from 'vitest';
import { isPullRequest, targetBranch } from '../../src/config/pull-request.ts';
import { pullRequestJob } from '../../src/config/pull-request-job.ts';

describe('a pull request in CI', () => {
  test.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['no CI', {}, false],
    ['GitHub', { GITHUB_EVENT_NAME: 'pull_request' }, true],
    ['GitHub, with the rights of the base', { GITHUB_EVENT_NAME: 'pull_request_target' }, true],
    ['GitHub, a merge queue', { GITHUB_EVENT_NAME: 'merge_group' }, true],
    ['GitHub, a push', { GITHUB_EVENT_NAME: 'push' }, false],
    ['GitHub, another event', { GITHUB_EVENT_NAME: 'not_pull_request' }, false],
    ['Azure', { BUILD_REASON: 'PullRequest' }, true],
    ['Azure, a push', { BUILD_REASON: 'IndividualCI' }, false],
    ['GitLab', { CI_MERGE_REQUEST_IID: '12' }, true],
    ['Bitbucket', { BITBUCKET_PR_ID: '3' }, true],
    ['Buildkite', { BUILDKITE_PULL_REQUEST: '123' }, true],
    ['Buildkite, a push', { BUILDKITE_PULL_REQUEST: 'false' }, false],
    ['CircleCI', { CIRCLE_PULL_REQUEST: 'https://github.com/a/b/pull/1' }, true],
    ['Travis', { TRAVIS_PULL_REQUEST: '7' }, true],
    ['Travis, a push', { TRAVIS_PULL_REQUEST: 'false' }, false],
    ['Jenkins', { CHANGE_ID: '4' }, true],
    ['Drone', { DRONE_PULL_REQUEST: '5' }, true],
    ['a variable that is empty', { DRONE_PULL_REQUEST: '' }, false],
    ['a variable that is 0', { BITBUCKET_PR_ID: '0' }, false],
  ])('%s', (_title, env, isPull) => {
    expect(isPullRequest(env)).toBe(isPull);
  });
});

describe('the target branch of a pull request', () => {
  test.each<[string, Readonly<Record<string, string>>, string | null]>([
    ['not reported', {}, null],
    ['reported as empty', { GITHUB_BASE_REF: '' }, null],
    ['GitHub', { GITHUB_BASE_REF: 'main' }, 'origin/main'],
    [
      'GitHub, a merge queue',
      { GITHUB_EVENT_NAME: 'merge_group', GITHUB_REF: 'refs/heads/gh-readonly-queue/release/1/pr-7-0a1b2c' },
      'origin/release/1',
    ],
    ['GitHub, a merge queue that does not say', { GITHUB_EVENT_NAME: 'merge_group', GITHUB_REF: 'refs/heads/x' }, null],
    [
      'GitHub, a push of a branch by such a name',
      { GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/gh-readonly-queue/main/pr-7-0a1b2c' },
      null,
    ],
    ['GitLab', { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'release/1' }, 'origin/release/1'],
    ['Bitbucket', { BITBUCKET_PR_DESTINATION_BRANCH: 'main' }, 'origin/main'],
    ['Buildkite', { BUILDKITE_PULL_REQUEST_BASE_BRANCH: 'main' }, 'origin/main'],
    ['Azure', { SYSTEM_PULLREQUEST_TARGETBRANCH: 'refs/heads/main' }, 'origin/main'],
    ['Jenkins', { CHANGE_TARGET: 'main' }, 'origin/main'],
    ['Drone', { DRONE_TARGET_BRANCH: 'main' }, 'origin/main'],
    ['Travis', { TRAVIS_PULL_REQUEST: '7', TRAVIS_BRANCH: 'main' }, 'origin/main'],
    ['Travis, the push of a branch', { TRAVIS_PULL_REQUEST: 'false', TRAVIS_BRANCH: 'work' }, null],
    ['one that is empty beside one that is not', { GITHUB_BASE_REF: '', CHANGE_TARGET: 'main' }, 'origin/main'],
  ])('%s', (_title, env, branch) => {
    expect(targetBranch(env)).toBe(branch);
  });
});

describe('what the job of a pull request knows', () => {
  const head = 'a'.repeat(40);
  const merge = 'b'.repeat(40);
  const repo = (full_name: string) => ({ full_name });
  const event = (headRepo: object | null) => ({
    pull_request: { head: { sha: head, repo: headRepo }, base: { repo: repo('house/shop') } },
  });
  const github = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_REPOSITORY: 'house/shop', GITHUB_SHA: merge };
  const gitlab = { CI_MERGE_REQUEST_PROJECT_ID: '42', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '42', CI_COMMIT_SHA: head };

  test.each<[string, Readonly<Record<string, string>>, unknown, [string | null, string | null, string | null]]>([
    ['nothing', {}, null, [null, null, null]],
    ['GitHub', github, event(repo('house/shop')), [head, 'house/shop', 'house/shop']],
    ['a fork on GitHub', github, event(repo('stranger/shop')), [head, 'house/shop', 'stranger/shop']],
    ['a deleted fork on GitHub', github, event(null), [head, 'house/shop', null]],
    ['an event without a pull request', github, {}, [null, 'house/shop', null]],
    [
      'an event with something else than a commit',
      github,
      { pull_request: { head: { sha: 'main' } } },
      [null, 'house/shop', null],
    ],
    [
      'a merge queue on GitHub',
      { ...github, GITHUB_EVENT_NAME: 'merge_group' },
      { merge_group: { head_sha: head } },
      [head, 'house/shop', 'house/shop'],
    ],
    ['GitLab', gitlab, null, [head, '42', '42']],
    [
      'merged results on GitLab',
      { ...gitlab, CI_COMMIT_SHA: merge, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head },
      null,
      [head, '42', '42'],
    ],
    [
      'a merge train on GitLab',
      {
        ...gitlab,
        CI_MERGE_REQUEST_EVENT_TYPE: 'merge_train',
        CI_COMMIT_SHA: merge,
        CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head,
      },
      null,
      [merge, '42', '42'],
    ],
    ['a fork on GitLab', { ...gitlab, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '99' }, null, [head, '42', '99']],
    ['Azure', { SYSTEM_PULLREQUEST_SOURCECOMMITID: head }, null, [head, null, null]],
    ['Buildkite without a commit', { BUILDKITE_COMMIT: 'HEAD' }, null, [null, null, null]],
    ['Travis', { TRAVIS_PULL_REQUEST_SHA: head }, null, [head, null, null]],
  ])('%s', (_title, env, payload, [commit, repository, headRepository]) => {
    expect(pullRequestJob(env, payload)).toEqual({ head: commit, repository, headRepository });
  });
});
