import type { CommitId } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import { DEFAULT_BASES, type RepositoryPaths, type Selection } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { readJsonFile } from '@onceover/base/platform/private-files';
import { tipOf } from '../git/base.ts';
import { asResult, git } from '../git/git.ts';
import { commitFiles } from '../git/tree-files.ts';
import { targetBranch } from './pull-request.ts';
import { tipOfBranch } from './read-ahead.ts';
import { loadSettings, type ParsedFiles } from './read-file.ts';

/** The facts that the CI service gives about the pull request of a job; `null` for missing ones. */
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

const LARGEST_EVENT = 8 * 1024 * 1024;

/** Returns the pull request that this CI job reviews. Fails if its target branch is a guess, or HEAD is another change. */
export async function readPullRequest(
  repo: RepositoryPaths,
  selection: Selection,
  parsed: ParsedFiles,
): Promise<Result<ReviewedPullRequest>> {
  const { env } = process;
  const base = await knownTarget(repo, selection, parsed);
  if (!base.ok) return base;
  const tip = await tipAt(repo, base.value);
  if (!tip.ok) return tip;
  const job = pullRequestJob(env, readJsonFile(env['GITHUB_EVENT_PATH'] ?? '', LARGEST_EVENT));
  const head = await checkHead(repo, selection, job.head);
  return head.ok ? ok({ ...job, base: base.value, baseCommit: tip.value }) : head;
}

/**
 * Returns the target branch of the pull request. A branch that only has a usual name is not good enough: with the right
 * to push, the author of a pull request can create a branch `main` with weaker settings.
 */
async function knownTarget(repo: RepositoryPaths, selection: Selection, parsed: ParsedFiles): Promise<Result<string>> {
  const { env } = process;
  const named = targetBranch(env) ?? ('base' in selection ? selection.base : null) ?? (env['ONCEOVER_BASE'] || null);
  if (named !== null) return ok(named);
  const defaultTip = await tipOf(repo, DEFAULT_BRANCH);
  if (defaultTip.ok) {
    const settings = await loadSettings(commitFiles(repo.root, defaultTip.value), parsed);
    if (!settings.ok) return settings;
    if (settings.value.base !== null) return ok(settings.value.base);
  }
  return err({ kind: 'unknown-target', guess: repo.usualBase });
}

const [DEFAULT_BRANCH] = DEFAULT_BASES;

async function tipAt(repo: RepositoryPaths, name: string): Promise<Result<CommitId>> {
  return name.startsWith('origin/') ? tipOfBranch(repo, name) : tipOf(repo, name);
}

/**
 * Fails if HEAD does not contain the newest commit of the pull request: then the result would be about other code. With
 * `--commit`, the run reviews only the chosen commit and says so.
 */
async function checkHead(repo: RepositoryPaths, selection: Selection, head: string | null): Promise<Result<void>> {
  if (head === null || selection.kind === 'commit') return ok(undefined);
  // Exit code 128: this clone does not have the commit.
  const args = ['merge-base', '--is-ancestor', head, 'HEAD'];
  const answer = await asResult(git(repo.root, args, { expected: [0, 1, 128] }));
  if (!answer.ok) return answer;
  return answer.value.code === 0 ? ok(undefined) : err({ kind: 'other-head', head });
}
