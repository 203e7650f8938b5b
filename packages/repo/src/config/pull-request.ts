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
