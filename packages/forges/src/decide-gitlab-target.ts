import { err, ok, type Result } from '@onceover/base/kernel/result';
import { addressOf, IS_COMMIT, type PublishingJob, type TargetFacts } from './decide-target.ts';

export type GitlabTarget = {
  readonly apiUrl: string;
  /** The number or the path of the GitLab project. */
  readonly project: string;
  /** The number of the merge request in its project; null if there is no merge request, as in a merge train. */
  readonly pull: number | null;
  readonly commit: string;
  /** The address of the commit's page on GitLab. Commit statuses link to this page. */
  readonly commitUrl: string;
};

/** Whether onceover runs inside a GitLab CI job. */
export function isGitlab(env: TargetFacts['env']): boolean {
  return env['GITLAB_CI'] === 'true';
}

/**
 * Decides from the CI environment where to publish on GitLab. The result is not trusted: only its commit is used, and
 * only if nothing else names a commit.
 */
export function decideGitlabTarget({
  env,
  pull,
  commit,
  runCommit,
}: TargetFacts): Result<GitlabTarget & PublishingJob> {
  const variable = (name: string) => env[name] ?? '';
  const apiUrl = addressOf(variable('CI_API_V4_URL'));
  if (apiUrl === null) return missing('CI_API_V4_URL', 'an https address');
  const project = variable('CI_MERGE_REQUEST_PROJECT_ID') || variable('CI_PROJECT_ID');
  if (!/^[1-9]\d*$/.test(project)) return missing('CI_PROJECT_ID', 'the number of the project');
  const projectUrl = addressOf(variable('CI_MERGE_REQUEST_PROJECT_URL') || variable('CI_PROJECT_URL'));
  if (projectUrl === null) return missing('CI_PROJECT_URL', 'an https address');
  // In merge trains and merged-result pipelines, CI_COMMIT_SHA is a temporary merge commit that the merge request does
  // not show.
  const isTrain = variable('CI_MERGE_REQUEST_EVENT_TYPE') === 'merge_train';
  const head = isTrain
    ? variable('CI_COMMIT_SHA')
    : variable('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA') || variable('CI_COMMIT_SHA');
  const targetCommit = commit ?? (head || runCommit || '');
  if (!IS_COMMIT.test(targetCommit)) return missing('--commit', 'the full id of the commit');
  const number = /^[1-9]\d*$/.test(variable('CI_MERGE_REQUEST_IID')) ? Number(variable('CI_MERGE_REQUEST_IID')) : null;
  const base = variable('CI_MERGE_REQUEST_TARGET_BRANCH_NAME');
  return ok({
    apiUrl,
    project,
    pull: pull ?? (isTrain ? null : number),
    commit: targetCommit,
    commitUrl: `${projectUrl}/-/commit/${targetCommit}`,
    // The pipeline of a merge request follows the .gitlab-ci.yml of the merge request.
    workflow: number === null ? 'base' : 'change',
    queue: isTrain && pull === null && base !== '' ? { base, head: targetCommit, repository: project } : null,
  });
}

function missing(variable: string, expectation: string) {
  return err({ kind: 'no-forge', missing: variable, expected: expectation });
}
