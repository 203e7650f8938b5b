import type { Failure } from '@onceover/base/kernel/failure';
import type { Result } from '@onceover/base/kernel/result';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { count } from '@onceover/base/ui/wording';
import { type PublishedRun, verdictOf } from '@onceover/forges/describe-summary';
import type { PullFacts } from '@onceover/forges/pull-requests';
import type { PullRunEnd, TakenRun } from './types.ts';

/** How the child process that reviewed a pull request ended. */
export type ReviewEnd = {
  readonly run: PublishedRun;
  /** The kind of the error; `null` if the review reached a verdict. */
  readonly error: string | null;
  /** The JSON document of the review run; `null` if the run left none. */
  readonly document: string | null;
};

/** The environment variables that a run's process inherits from the server. No secret of a forge is among them. */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_.+|TZ|TMPDIR|XDG_CACHE_HOME|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|PG.+)$/;

export type ChildFacts = {
  readonly store: string;
  /** The folder with the user's config file that runs read. */
  readonly config: string;
  /**
   * The path of a file that describes the pull request in the form of a GitHub event, so that the review run can see
   * whether its branch is in a fork.
   */
  readonly event: string;
  readonly base: string;
};

/** Returns the environment of a run's process: like a CI job for the pull request, without the server's secrets. */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  { store, config, event, base }: ChildFacts,
): Readonly<Record<string, string>> {
  const passedVariables = Object.entries(env).filter(
    (pair): pair is [string, string] => PASSED_ON.test(pair[0]) && pair[1] !== undefined,
  );
  return {
    ...Object.fromEntries(passedVariables),
    CI: 'true',
    ONCEOVER_STORE: store,
    XDG_CONFIG_HOME: config,
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: event,
    GITHUB_BASE_REF: base,
    GIT_LFS_SKIP_SMUDGE: '1',
  };
}

/** Whether the branch is in another repository, or the forge does not say in which repository it is. */
export function isFork({ repository, headRepository }: Pick<PullFacts, 'repository' | 'headRepository'>): boolean {
  return headRepository?.toLowerCase() !== repository.toLowerCase();
}

/**
 * Returns the content of a GitHub event file, from which a review run knows the newest commit of the pull request, and
 * whether the branch is in a fork.
 */
export function eventDocument({ head, repository, headRepository }: PullFacts): object {
  const repo = { full_name: repository };
  const headRepo = headRepository === null ? null : { full_name: headRepository };
  return { pull_request: { head: { sha: head, repo: headRepo }, base: { repo } } };
}

/** The output of a run's process and how the process ended. */
export type ChildEnd = {
  readonly stdout: string;
  readonly code: number | null;
  /** Why the server ended the process; `null` if the process ended by itself. */
  readonly ended: string | null;
  /** The parsed output: the document of a review run, or of an error. */
  readonly parsed: Result<PublishedRun>;
  /** The kind of the error in the document; `null` if the document reports no error. */
  readonly errorKind: string | null;
};

/**
 * Judges the output of a run's process. Only a complete document counts as a verdict: it must be about the commit
 * `head` and state the same exit code as the process.
 */
export function judgeReview({ stdout, code, ended, parsed, errorKind }: ChildEnd, head: string): ReviewEnd {
  if (ended !== null) return failedReview('interrupted', ended);
  if (!parsed.ok) return failedReview('no-document', `The run left no result (exit code ${code ?? 'none'}).`);
  const run = parsed.value;
  if (run.kind === 'error') return { run, error: errorKind ?? 'unknown', document: null };
  const { document } = run;
  if (document.exit_code !== code)
    return failedReview(
      'no-document',
      `The run ended with exit code ${code ?? 'none'}, and its result says ${document.exit_code}.`,
    );
  if (document.commit !== head) return failedReview('other-commit', 'The result is about another commit.');
  return { run, error: verdictOf(run) === 'error' ? 'not-judged' : null, document: stdout };
}

const AGAIN = 'Push again, or ask someone who may start runs on the server of onceover to start it again.';

export function failedReview(kind: string, message: string): ReviewEnd {
  return { run: { kind: 'error', message, next: AGAIN }, error: kind, document: null };
}

export function reviewOfFailure(failure: Failure): ReviewEnd {
  return failedReview(failure.kind, describeFailure(failure).what);
}

/**
 * The kinds of errors that may soon be over: the team store or the forge is unreachable, or another run holds the lock.
 */
const PASSING: readonly string[] = ['store-failed', 'forge-failed', 'lock-held'];

/** How often the server tries a review run that keeps ending with a temporary error, such as an unreachable forge. */
const MOST_TRIES = 5;

export function isWorthRepeating(error: string | null, { tries }: Pick<TakenRun, 'tries'>): boolean {
  return error !== null && PASSING.includes(error) && tries < MOST_TRIES;
}

/**
 * Returns how a review run ended, in the form that the team store records. `publishFailure` says why the result was not
 * published; `null` if the result was published.
 */
export function endOfReview({ run, error, document }: ReviewEnd, publishFailure: Failure | null): PullRunEnd {
  const message =
    run.kind === 'error' ? run.message : `${run.document.status}, ${count(run.document.findings.length, 'finding')}`;
  if (publishFailure === null) return { verdict: verdictOf(run), error, said: message, document };
  const why = describeFailure(publishFailure).what;
  return { verdict: 'error', error: publishFailure.kind, said: `The result is not published: ${why}`, document };
}
