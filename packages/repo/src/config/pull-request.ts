import type { CommitId } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';

/**
 * Whether onceover runs in CI for a pull request or merge queue. There, the author of the change must not choose the
 * gates.
 */
export function isPullRequest(env: NodeJS.ProcessEnv): boolean {
  // This pattern also matches the events for reviews of a pull request and comments on it.
  if (/^(?:pull_request|merge_group$)/.test(env['GITHUB_EVENT_NAME'] ?? '') || isSet(env, 'GITHUB_BASE_REF'))
    return true;
  if (env['BUILD_REASON'] === 'PullRequest') return true;
  return [
    'CI_MERGE_REQUEST_IID',
    'BITBUCKET_PR_ID',
    'BUILDKITE_PULL_REQUEST',
    'CIRCLE_PULL_REQUEST',
    'TRAVIS_PULL_REQUEST',
    'CHANGE_ID',
    'DRONE_PULL_REQUEST',
  ].some((name) => isSet(env, name));
}

function isSet(env: NodeJS.ProcessEnv, name: string): boolean {
  return !['', 'false', '0', undefined].includes(env[name]);
}

/** Returns the target branch of a pull request as `origin/<name>`; `null` if the CI service does not report it. */
export function targetBranch(env: NodeJS.ProcessEnv): string | null {
  const name =
    env['GITHUB_BASE_REF'] ||
    queueFor(env) ||
    env['CI_MERGE_REQUEST_TARGET_BRANCH_NAME'] ||
    env['BITBUCKET_PR_DESTINATION_BRANCH'] ||
    env['BUILDKITE_PULL_REQUEST_BASE_BRANCH'] ||
    env['SYSTEM_PULLREQUEST_TARGETBRANCH']?.replace(/^refs\/heads\//, '') ||
    env['CHANGE_TARGET'] ||
    env['DRONE_TARGET_BRANCH'] ||
    // For the push of a branch, Travis sets this variable to the branch itself.
    (isSet(env, 'TRAVIS_PULL_REQUEST') ? env['TRAVIS_BRANCH'] : undefined);
  return name === undefined || name === '' ? null : `origin/${name}`;
}

/** Returns the target branch of a GitHub merge queue, read from the name of the queue's temporary branch. */
function queueFor(env: NodeJS.ProcessEnv): string | undefined {
  if (env['GITHUB_EVENT_NAME'] !== 'merge_group') return undefined;
  return /^refs\/heads\/gh-readonly-queue\/(.+)\/pr-\d+-[0-9a-f]+$/.exec(env['GITHUB_REF'] ?? '')?.[1];
}

/** What the CI service says about the pull request of a job; `null` for what it does not say. */
export type PullRequestJob = {
  /** The newest commit of the pull request, or the commit of the merge queue, when the job started. */
  readonly head: string | null;
  /** The repository of the pull request: its name on GitHub, its number on GitLab. */
  readonly repository: string | null;
  /** The repository of the branch, which differs for a fork. */
  readonly headRepository: string | null;
};

/** Returns what the CI service says about the pull request. `event` is the payload of the GitHub event. */
export function pullRequestJob(env: NodeJS.ProcessEnv, event: unknown): PullRequestJob {
  if (env['GITHUB_EVENT_NAME'] !== undefined && env['GITHUB_EVENT_NAME'] !== '') return githubJob(env, event);
  const repository = env['CI_MERGE_REQUEST_PROJECT_ID'] || env['CI_PROJECT_ID'] || null;
  const heads = [
    // In a pipeline for merged results, CI_COMMIT_SHA is a temporary merge commit.
    env['CI_MERGE_REQUEST_EVENT_TYPE'] === 'merge_train' ? '' : env['CI_MERGE_REQUEST_SOURCE_BRANCH_SHA'],
    env['CI_COMMIT_SHA'],
    env['SYSTEM_PULLREQUEST_SOURCECOMMITID'],
    env['BITBUCKET_COMMIT'],
    env['BUILDKITE_COMMIT'],
    env['CIRCLE_SHA1'],
    env['DRONE_COMMIT_SHA'],
    env['TRAVIS_PULL_REQUEST_SHA'],
  ];
  return {
    head: heads.map(commitIn).find((head) => head !== null) ?? null,
    repository,
    headRepository: env['CI_MERGE_REQUEST_SOURCE_PROJECT_ID'] || null,
  };
}

function githubJob(env: NodeJS.ProcessEnv, event: unknown): PullRequestJob {
  const repository = textIn(env['GITHUB_REPOSITORY']);
  if (env['GITHUB_EVENT_NAME'] === 'merge_group') {
    return { head: commitIn(fieldIn(event, 'merge_group', 'head_sha')), repository, headRepository: repository };
  }
  return {
    head: commitIn(fieldIn(event, 'pull_request', 'head', 'sha')),
    repository: textIn(fieldIn(event, 'pull_request', 'base', 'repo', 'full_name')) ?? repository,
    headRepository: textIn(fieldIn(event, 'pull_request', 'head', 'repo', 'full_name')),
  };
}

function fieldIn(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : null), value);
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function commitIn(value: unknown): string | null {
  return typeof value === 'string' && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value) ? value : null;
}

/** The pull request that a run reviews: what the CI service says, and the commit from which the settings were read. */
export type ReviewedPullRequest = PullRequestJob & {
  /** The target branch, as git names it in this clone. */
  readonly base: string;
  readonly baseCommit: CommitId;
};

/**
 * Removes the environment variables of a pull request and of git, so that runs in a temporary repository do not see
 * them.
 */
export function leavePullRequest(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if ((name.startsWith('GIT_') && name !== 'GIT_EXEC_PATH') || PULL_REQUEST.test(name)) delete env[name];
  }
}

const PULL_REQUEST =
  /^(?:GITHUB_(?:EVENT_NAME|BASE_REF)|BUILD_REASON|CI_MERGE_REQUEST_.*|BITBUCKET_PR_.*|BUILDKITE_PULL_REQUEST.*|CIRCLE_PULL_REQUEST|TRAVIS_PULL_REQUEST|CHANGE_(?:ID|TARGET)|DRONE_PULL_REQUEST|SYSTEM_PULLREQUEST_.*)$/;
