import { err, ok, type Result } from '@onceover/base/kernel/result';
import * as z from 'zod';
import type { ResultSource } from './standing/read-standing.ts';

/** How to find the pull request: by its number (null if there is none), or by its branch (`owner:name`). */
type PullName =
  | { readonly kind: 'number'; readonly number: number | null }
  | { readonly kind: 'branch'; readonly head: string };

export type GithubTarget = {
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  /** The repository on GitHub, as `owner/name`. */
  readonly repository: string;
  readonly pull: PullName;
  readonly commit: string;
};

/** The result that a CI job publishes, and the party that controls the job. */
export type PublishingJob = Pick<ResultSource, 'workflow' | 'queue'>;

export type TargetFacts = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The payload of the GitHub event that started the CI job; null if there is none. */
  readonly event: unknown;
  /** The pull request number that the user gave with `--pull`; null if none was given. */
  readonly pull: number | null;
  readonly commit: string | null;
  /**
   * The newest commit of the pull request that the result itself names. The result is not trusted, so this commit is used
   * only if nothing else names one.
   */
  readonly runCommit: string | null;
};

export const IS_COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const IS_REPOSITORY = /^(?!\.)[\w.-]+\/(?!\.{1,2}$)[\w.-]+$/;

/**
 * Decides from the CI environment where to publish on GitHub. The result is not trusted: only its commit is used, and
 * only if nothing else names a commit.
 */
export function decideTarget(facts: TargetFacts): Result<GithubTarget & PublishingJob> {
  const { env } = facts;
  const repository = env['GITHUB_REPOSITORY'] ?? '';
  if (!IS_REPOSITORY.test(repository)) return missing('GITHUB_REPOSITORY', 'owner/name');
  const apiUrl = addressOf(env['GITHUB_API_URL'] ?? 'https://api.github.com');
  const graphqlUrl = addressOf(env['GITHUB_GRAPHQL_URL'] ?? 'https://api.github.com/graphql');
  if (apiUrl === null || graphqlUrl === null) return missing('GITHUB_API_URL', 'an https address');
  const job = jobOf(env['GITHUB_EVENT_NAME'] ?? '', facts.event, repository);
  if (job === 'unreadable') return missing('GITHUB_EVENT_PATH', 'the event of the job');
  const commit = facts.commit ?? job?.commit ?? facts.runCommit ?? env['GITHUB_SHA'] ?? '';
  if (!IS_COMMIT.test(commit)) return missing('--commit', 'the full id of the commit');
  const pull: PullName =
    facts.pull === null ? (job?.pull ?? { kind: 'number', number: null }) : { kind: 'number', number: facts.pull };
  const { workflow, queue } = job ?? NO_EVENT;
  return ok({
    ...{ apiUrl, graphqlUrl, repository, pull, commit, workflow },
    queue: facts.pull === null ? queue : null,
  });
}

type Job = PublishingJob & { readonly pull: PullName; readonly commit: string | null };

/** A job without an event of a pull request, or a terminal. The change does not decide what it does. */
const NO_EVENT: Job = { pull: { kind: 'number', number: null }, commit: null, workflow: 'base', queue: null };

/** The events for which GitHub takes the workflow from the pull request. For all others it takes the default branch. */
const FROM_CHANGE: readonly string[] = ['pull_request', 'pull_request_review', 'pull_request_review_comment'];

/** The repository of a branch. It is null if the fork was deleted. */
const repositoryOfBranch = z.object({ full_name: z.string(), owner: z.object({ login: z.string() }) }).nullable();

const pullRequestEvent = z.object({
  pull_request: z.object({
    number: z.number().int().positive(),
    head: z.object({ sha: z.string() }),
  }),
});

const queueEvent = z.object({ merge_group: z.object({ head_sha: z.string(), base_ref: z.string() }) });

const workflowEvent = z.object({
  workflow_run: z.object({
    head_sha: z.string(),
    head_branch: z.string(),
    head_repository: repositoryOfBranch,
  }),
});

/** The event of a comment. Comments on issues have no field `pull_request`. */
const commentEvent = z.object({
  issue: z.object({ number: z.number().int().positive(), pull_request: z.object({}).optional() }),
});

/** Returns what the GitHub event of a CI job names; null if it names no pull request and no commit of one. */
function jobOf(name: string, event: unknown, repository: string): Job | 'unreadable' | null {
  if (name.startsWith('pull_request')) {
    const payload = pullRequestEvent.safeParse(event);
    if (!payload.success) return 'unreadable';
    const { number, head } = payload.data.pull_request;
    const workflow = FROM_CHANGE.includes(name) ? 'change' : 'base';
    return { pull: { kind: 'number', number }, commit: head.sha, workflow, queue: null };
  }
  if (name === 'merge_group') {
    const payload = queueEvent.safeParse(event);
    if (!payload.success) return 'unreadable';
    const { head_sha: head, base_ref } = payload.data.merge_group;
    return { ...NO_EVENT, commit: head, queue: { base: base_ref.replace(/^refs\/heads\//, ''), head, repository } };
  }
  if (name === 'workflow_run') {
    const payload = workflowEvent.safeParse(event);
    if (!payload.success) return 'unreadable';
    const { head_sha, head_branch, head_repository } = payload.data.workflow_run;
    // GitHub finds pull requests by the owner of their branch, and a deleted fork has none.
    const head = head_repository === null ? null : `${head_repository.owner.login}:${head_branch}`;
    return { ...NO_EVENT, pull: head === null ? NO_EVENT.pull : { kind: 'branch', head }, commit: head_sha };
  }
  if (name === 'issue_comment') {
    const payload = commentEvent.safeParse(event);
    if (!payload.success) return 'unreadable';
    const { number, pull_request } = payload.data.issue;
    return pull_request === undefined ? null : { ...NO_EVENT, pull: { kind: 'number', number } };
  }
  return null;
}

/** Returns the address without final slashes; null if it is neither https nor http to this machine. */
export function addressOf(text: string): string | null {
  const isHere = /^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(?:\/|$)/.test(text);
  return (isHere || /^https:\/\/[^/]/.test(text)) && URL.canParse(text) ? text.replace(/\/+$/, '') : null;
}

function missing(variable: string, expectation: string) {
  return err({ kind: 'no-forge', missing: variable, expected: expectation });
}
