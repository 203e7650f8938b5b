import { type PublishedRun, verdictOf } from '../forges/describe-summary.ts';
import type { PullFacts } from '../forges/pull-requests.ts';
import type { Failure } from '../kernel/failure.ts';
import type { Result } from '../kernel/result.ts';
import { describeFailure } from '../ui/describe-failure.ts';
import { count } from '../ui/wording.ts';
import type { PullRunEnd, TakenRun } from './types.ts';

/** The result of the process that reviewed a pull request. */
export type ReviewEnd = {
  readonly run: PublishedRun;
  /** The kind of the error; `null` if there is a verdict. */
  readonly error: string | null;
  /** The document of the run; `null` if there is none. */
  readonly document: string | null;
};

/** Variables that the process of a run gets from the server. Secrets of forges are not among them. */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_.+|TZ|TMPDIR|XDG_CACHE_HOME|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|PG.+)$/;

export type ChildFacts = {
  readonly store: string;
  /** The folder with the config file for runs. */
  readonly config: string;
  /** The file that says where the branch of the pull request is. */
  readonly event: string;
  readonly base: string;
};

/** Returns the environment of a run: that of a CI job for the pull request, without the secrets of the server. */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  { store, config, event, base }: ChildFacts,
): Readonly<Record<string, string>> {
  const kept = Object.entries(env).filter(
    (pair): pair is [string, string] => PASSED_ON.test(pair[0]) && pair[1] !== undefined,
  );
  return {
    ...Object.fromEntries(kept),
    CI: 'true',
    ONCEOVER_STORE: store,
    XDG_CONFIG_HOME: config,
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: event,
    GITHUB_BASE_REF: base,
    GIT_LFS_SKIP_SMUDGE: '1',
  };
}

/** Returns the description of the event from which a run sees whether the branch is in a fork. */
export function eventDocument(project: string, { isFork }: Pick<PullFacts, 'isFork'>): object {
  const repo = { full_name: project };
  return { pull_request: { head: { repo: isFork ? null : repo }, base: { repo } } };
}

/** The output of the process of a run. */
export type ChildEnd = {
  readonly stdout: string;
  readonly code: number | null;
  /** Why the process was ended; `null` if it ended by itself. */
  readonly ended: string | null;
  /** The parsed output: a document of a run, or of an error. */
  readonly parsed: Result<PublishedRun>;
  /** The kind of the error in the document; `null` if it has none. */
  readonly errorKind: string | null;
};

/**
 * Judges the process of a run. A verdict is a complete document about this commit that states the exit code of the
 * process.
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

/** Kinds of errors that may be over soon: the store or the forge is away, or no worker is connected. */
const PASSING: readonly string[] = ['store-failed', 'forge-failed', 'lock-held'];

/** How often a run is tried that ends with such an error. */
const MOST_TRIES = 5;

export function isWorthRepeating(error: string | null, { tries }: Pick<TakenRun, 'tries'>): boolean {
  return error !== null && PASSING.includes(error) && tries < MOST_TRIES;
}

/** Returns the end of a run for the store. `unpublished`: why the result is not on the forge; `null` if it is. */
export function endOfReview({ run, error, document }: ReviewEnd, unpublished: Failure | null): PullRunEnd {
  const said =
    run.kind === 'error' ? run.message : `${run.document.status}, ${count(run.document.findings.length, 'finding')}`;
  if (unpublished === null) return { verdict: verdictOf(run), error, said, document };
  const why = describeFailure(unpublished).what;
  return { verdict: 'error', error: unpublished.kind, said: `The result is not published: ${why}`, document };
}
