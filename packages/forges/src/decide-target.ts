import { err, ok, type Result } from '@onceover/base/kernel/result';
import * as z from 'zod';

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
  /** Whether the author of the change controls the CI job that made the result. */
  readonly isUntrusted: boolean;
};

export type TargetFacts = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The payload of the GitHub event that started the CI job; null if there is none. */
  readonly event: unknown;
  /** The pull request number that the user gave with `--pull`; null if none was given. */
  readonly pull: number | null;
  readonly commit: string | null;
  /**
   * The commit that the result itself names. The result is not trusted, so this commit is used only if nothing else
   * names one.
   */
  readonly runCommit: string | null;
};

export const IS_COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const IS_REPOSITORY = /^(?!\.)[\w.-]+\/(?!\.{1,2}$)[\w.-]+$/;

/**
 * Decides from the CI environment where to publish on GitHub. The result is not trusted: only its commit is used, and
 * only if nothing else names a commit.
 */
export function decideTarget(facts: TargetFacts): Result<GithubTarget> {
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
  return ok({ apiUrl, graphqlUrl, repository, pull, commit, isUntrusted: job?.isUntrusted ?? false });
}

type Job = Pick<GithubTarget, 'pull' | 'commit' | 'isUntrusted'>;

/** The repository of a branch. It is null if the fork was deleted. */
const repositoryOfBranch = z.object({ full_name: z.string(), owner: z.object({ login: z.string() }) }).nullable();

const pullRequestEvent = z.object({
  pull_request: z.object({
    number: z.number().int().positive(),
    head: z.object({ sha: z.string(), repo: repositoryOfBranch }),
  }),
});

const queueEvent = z.object({ merge_group: z.object({ head_sha: z.string() }) });

const workflowEvent = z.object({
  workflow_run: z.object({
    head_sha: z.string(),
    head_branch: z.string(),
    head_repository: repositoryOfBranch,
  }),
});

/**
 * Returns the pull request and the commit of a CI job's GitHub event; null if the event names none. The result of a fork
 * is untrusted, because its author can change the workflow that produced the result and the code that its checks run.
 */
function jobOf(name: string, event: unknown, repository: string): Job | 'unreadable' | null {
  const noPull = { kind: 'number', number: null } as const;
  if (name.startsWith('pull_request')) {
    const payload = pullRequestEvent.safeParse(event);
    if (!payload.success) return 'unreadable';
    const { number, head } = payload.data.pull_request;
    const isUntrusted = head.repo?.full_name !== repository;
    return { pull: { kind: 'number', number }, commit: head.sha, isUntrusted };
  }
  if (name === 'merge_group') {
    const payload = queueEvent.safeParse(event);
    return payload.success
      ? { pull: noPull, commit: payload.data.merge_group.head_sha, isUntrusted: false }
      : 'unreadable';
  }
  if (name === 'workflow_run') {
    const payload = workflowEvent.safeParse(event);
    if (!payload.success) return 'unreadable';
    const { head_sha, head_branch, head_repository } = payload.data.workflow_run;
    const isUntrusted = head_repository?.full_name !== repository;
    // GitHub finds pull requests by the owner of their branch, and a deleted fork has none.
    const head = head_repository === null ? null : `${head_repository.owner.login}:${head_branch}`;
    return { pull: head === null ? noPull : { kind: 'branch', head }, commit: head_sha, isUntrusted };
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
