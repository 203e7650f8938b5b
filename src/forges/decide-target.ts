import * as z from 'zod';
import { err, ok, type Result } from '../kernel/result.ts';

/** The pull request: its number (null if there is none), or the branch (`owner:name`) by which to find it. */
type PullName =
  | { readonly kind: 'number'; readonly number: number | null }
  | { readonly kind: 'branch'; readonly head: string };

export type GithubTarget = {
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly pull: PullName;
  readonly commit: string;
  /** Whether the author of the change controls the job that made the result. */
  readonly isUntrusted: boolean;
};

export type TargetFacts = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The event that started the job on GitHub; null if there is none. */
  readonly event: unknown;
  /** The number that the user gave; null if none. */
  readonly pull: number | null;
  readonly commit: string | null;
  /** The commit that the result itself names. The result is not trusted, so it counts last. */
  readonly runCommit: string | null;
};

export const IS_COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const IS_REPOSITORY = /^(?!\.)[\w.-]+\/(?!\.{1,2}$)[\w.-]+$/;

/** Decides where to publish. Nothing of it comes from the result, except the commit if nothing else names one. */
export function decideTarget(facts: TargetFacts): Result<GithubTarget> {
  const { env } = facts;
  const repository = env['GITHUB_REPOSITORY'] ?? '';
  if (!IS_REPOSITORY.test(repository)) return missing('GITHUB_REPOSITORY', 'owner/name');
  const apiUrl = addressOf(env['GITHUB_API_URL'] ?? 'https://api.github.com');
  const graphqlUrl = addressOf(env['GITHUB_GRAPHQL_URL'] ?? 'https://api.github.com/graphql');
  if (apiUrl === null || graphqlUrl === null) return missing('GITHUB_API_URL', 'an https address');
  const job = jobOf(env['GITHUB_EVENT_NAME'] ?? '', facts.event, repository);
  const commit = facts.commit ?? job?.commit ?? facts.runCommit ?? env['GITHUB_SHA'] ?? '';
  if (!IS_COMMIT.test(commit)) return missing('--commit', 'the full id of the commit');
  const pull: PullName =
    facts.pull === null ? (job?.pull ?? { kind: 'number', number: null }) : { kind: 'number', number: facts.pull };
  return ok({ apiUrl, graphqlUrl, repository, pull, commit, isUntrusted: job?.isUntrusted ?? false });
}

type Job = Pick<GithubTarget, 'pull' | 'commit' | 'isUntrusted'>;

const pullRequestEvent = z.object({
  pull_request: z.object({ number: z.number().int().positive(), head: z.object({ sha: z.string() }) }),
});

const queueEvent = z.object({ merge_group: z.object({ head_sha: z.string() }) });

const workflowEvent = z.object({
  workflow_run: z.object({
    head_sha: z.string(),
    head_branch: z.string(),
    head_repository: z.object({ full_name: z.string(), owner: z.object({ login: z.string() }) }),
  }),
});

/** Returns the pull request and the commit that the event of a job names; null if it names none. */
function jobOf(name: string, event: unknown, repository: string): Job | null {
  if (name.startsWith('pull_request')) {
    const read = pullRequestEvent.safeParse(event);
    if (!read.success) return null;
    const { number, head } = read.data.pull_request;
    return { pull: { kind: 'number', number }, commit: head.sha, isUntrusted: false };
  }
  if (name === 'merge_group') {
    const read = queueEvent.safeParse(event);
    const none = { kind: 'number', number: null } as const;
    return read.success ? { pull: none, commit: read.data.merge_group.head_sha, isUntrusted: false } : null;
  }
  if (name === 'workflow_run') {
    const read = workflowEvent.safeParse(event);
    if (!read.success) return null;
    const { head_sha, head_branch, head_repository } = read.data.workflow_run;
    // The author of a fork can change the workflow that made the result.
    const isUntrusted = head_repository.full_name !== repository;
    const head = `${head_repository.owner.login}:${head_branch}`;
    return { pull: { kind: 'branch', head }, commit: head_sha, isUntrusted };
  }
  return null;
}

/** Returns an address without a final slash; null if it is neither https nor on this machine. */
export function addressOf(text: string): string | null {
  const isHere = /^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(?:\/|$)/.test(text);
  return (isHere || /^https:\/\/[^/]/.test(text)) && URL.canParse(text) ? text.replace(/\/+$/, '') : null;
}

function missing(what: string, expected: string) {
  return err({ kind: 'no-forge', missing: what, expected });
}
