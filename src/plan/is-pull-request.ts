type Environment = Readonly<Record<string, string | undefined>>;

/** Whether this is a CI job of a pull request: then the author of the change must not choose what it is judged by. */
export function isPullRequest(env: Environment): boolean {
  const isSet = (name: string) => !['', 'false', '0', undefined].includes(env[name]);
  // Reviews and comments of a pull request run on it too.
  if (/^pull_request/.test(env['GITHUB_EVENT_NAME'] ?? '') || isSet('GITHUB_BASE_REF')) return true;
  if (env['BUILD_REASON'] === 'PullRequest') return true;
  return [
    'CI_MERGE_REQUEST_IID',
    'BITBUCKET_PR_ID',
    'BUILDKITE_PULL_REQUEST',
    'CIRCLE_PULL_REQUEST',
    'TRAVIS_PULL_REQUEST',
    'CHANGE_ID',
    'DRONE_PULL_REQUEST',
  ].some(isSet);
}
