type Environment = Readonly<Record<string, string | undefined>>;

/** The branch that a pull request goes to, as CI tells it; null where it does not. */
export function targetBranch(env: Environment): string | null {
  const name =
    env['GITHUB_BASE_REF'] ||
    env['CI_MERGE_REQUEST_TARGET_BRANCH_NAME'] ||
    env['BITBUCKET_PR_DESTINATION_BRANCH'] ||
    env['BUILDKITE_PULL_REQUEST_BASE_BRANCH'] ||
    env['SYSTEM_PULLREQUEST_TARGETBRANCH']?.replace(/^refs\/heads\//, '') ||
    env['CHANGE_TARGET'];
  return name === undefined || name === '' ? null : `origin/${name}`;
}
