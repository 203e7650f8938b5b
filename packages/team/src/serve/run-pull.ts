import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@onceover/base/kernel/json';
import { makeParents } from '@onceover/base/platform/files';
import { parseJson } from '@onceover/base/platform/private-files';
import { runProcessGroup } from '@onceover/base/platform/run-process';
import {
  type ForgePlace,
  type PullFacts,
  publishOnPull,
  publishPending,
  readPull,
} from '@onceover/forges/pull-requests';
import { parseRun } from '@onceover/forges/read-run';
import type { StoreSettings } from '@onceover/store/user-config';
import {
  childEnvironment,
  endOfReview,
  eventDocument,
  failedReview,
  isFork,
  isWorthRepeating,
  judgeReview,
  type ReviewEnd,
  reviewOfFailure,
} from './decide-run.ts';
import type { openPullCheckouts } from './pull-checkouts.ts';
import type { Trace } from './traces.ts';
import type { ForgeSettings, PullRunEnd, ReviewRequest, ServerSettings, TakenRun } from './types.ts';

export type PullRunner = {
  readonly settings: ServerSettings;
  readonly store: StoreSettings;
  readonly folder: string;
  readonly checkouts: ReturnType<typeof openPullCheckouts>;
  /** The program to start for a review run, followed by its first arguments. */
  readonly program: readonly [string, ...string[]];
  readonly trace: Trace;
};

/** How a review run that this server took from the queue ended. */
export type PullRunOutcome =
  | { readonly kind: 'ended'; readonly end: PullRunEnd }
  | { readonly kind: 'dropped'; readonly said: string }
  | { readonly kind: 'put-back'; readonly afterSeconds: number; readonly counts: boolean; readonly said: string };

/**
 * How often one attempt may read the pull request. It is read again if its head changes meanwhile. After the last read,
 * the review run goes back into the queue.
 */
const MOST_READS = 3;

const WAIT_SECONDS = 15;

const STOPPED: PullRunOutcome = { kind: 'put-back', afterSeconds: 0, counts: false, said: 'the server stops' };

function forgePlace({ name, api, graphql, token }: ForgeSettings, project: string): ForgePlace {
  return { name, api, graphql, token, project };
}

/**
 * Reviews a pull request and publishes the result. If the review cannot run, the pull request gets an error, never a
 * pass.
 */
export async function runPull(runner: PullRunner, run: TakenRun, stop: AbortSignal): Promise<PullRunOutcome> {
  const { pull } = run;
  const { settings, trace, checkouts } = runner;
  const forge = settings.forges.find(({ name }) => name === pull.forge);
  if (forge === undefined || !forge.repositories.includes(pull.project))
    return { kind: 'dropped', said: 'the repository is no longer in the settings of the server' };
  const place = forgePlace(forge, pull.project);
  for (let reads = 0; reads < MOST_READS; reads++) {
    const pullResult = await trace.span('read pull request', () => readPull(place, pull.number));
    if (stop.aborted) return STOPPED;
    if (!pullResult.ok) {
      const review = reviewOfFailure(pullResult.failure);
      if (isWorthRepeating(review.error, run)) return waiting(pullResult.failure.kind);
      return { kind: 'ended', end: endOfReview(review, null) };
    }
    const facts = pullResult.value;
    if (!facts.isOpen) {
      checkouts.remove(pull);
      return { kind: 'dropped', said: 'the pull request is not open' };
    }
    if (facts.isDraft && !settings.drafts) return { kind: 'dropped', said: 'the pull request is a draft' };
    const pendingResult = await trace.span('publish pending', () =>
      publishPending(place, { number: pull.number, commit: facts.head, page: facts.page }),
    );
    if (stop.aborted) return STOPPED;
    // Without the pending check, an older result could speak for the change during the review.
    if (!pendingResult.ok && isWorthRepeating(pendingResult.failure.kind, run))
      return waiting(pendingResult.failure.kind);
    const checkout = await trace.span('fetch', () => checkouts.open(forge, pull, facts));
    if (stop.aborted) return STOPPED;
    if (checkout.ok && checkout.value.kind === 'moved') continue;
    const review = await reviewOf(checkout, { runner, run, facts, stop });
    if (stop.aborted) return STOPPED;
    if (isWorthRepeating(review.error, run)) return waiting(review.error ?? '');
    return publish({ runner, run, facts, place }, review);
  }
  return waiting('the pull request keeps getting new commits');
}

/** Reviews a checked-out pull request, or says why it could not be checked out. */
async function reviewOf(
  checkout: Awaited<ReturnType<PullRunner['checkouts']['open']>>,
  reviewing: Reviewing,
): Promise<ReviewEnd> {
  if (!checkout.ok) return reviewOfFailure(checkout.failure);
  if (checkout.value.kind === 'ready') return reviewIn(checkout.value.folder, reviewing);
  return failedReview('gone', `Nothing was reviewed: ${checkout.value.kind === 'gone' ? checkout.value.said : ''}.`);
}

function waiting(message: string): PullRunOutcome {
  return { kind: 'put-back', afterSeconds: WAIT_SECONDS, counts: true, said: message };
}

type Publishing = {
  readonly runner: PullRunner;
  readonly run: TakenRun;
  readonly facts: PullFacts;
  readonly place: ForgePlace;
};

async function publish({ runner, run, facts, place }: Publishing, review: ReviewEnd): Promise<PullRunOutcome> {
  const { address, checks } = runner.settings;
  const about = {
    number: run.pull.number,
    commit: facts.head,
    page: facts.page,
    reportUrl: address?.startsWith('https://') === true ? `${address}/runs/${run.id}` : null,
    runsChecksElsewhere: checks === 'elsewhere',
  };
  const publication = await runner.trace.span('publish', () => publishOnPull(place, about, review.run));
  if (publication.ok) return { kind: 'ended', end: endOfReview(review, null) };
  if (isWorthRepeating(publication.failure.kind, run)) return waiting(publication.failure.kind);
  return { kind: 'ended', end: endOfReview(review, publication.failure) };
}

type Reviewing = {
  readonly runner: PullRunner;
  readonly run: TakenRun;
  readonly facts: PullFacts;
  readonly stop: AbortSignal;
};

/** Reviews a checked-out pull request in a separate process, whose environment contains no forge token or secret. */
async function reviewIn(clone: string, { runner, run, facts, stop }: Reviewing): Promise<ReviewEnd> {
  const { settings, store, folder, program, trace } = runner;
  const config = writeRunConfig(folder, store);
  const event = join(config, `${run.id}.json`);
  writeFileSync(event, JSON.stringify(eventDocument(facts)), { mode: 0o600 });
  const request: ReviewRequest = { checks: settings.checks, isFork: isFork(facts), base: `origin/${facts.base}` };
  const [file, ...first] = program;
  try {
    const end = await trace.span('review', () =>
      runProcessGroup({
        program: file,
        args: [...first, 'serve-review'],
        cwd: clone,
        env: childEnvironment(process.env, { store: store.url, config, event, base: facts.base }),
        input: JSON.stringify(request),
        timeoutMs: settings.runMinutes * 60_000,
        idleMs: null,
        signal: stop,
      }),
    );
    if (end.kind === 'not-started') return failedReview('not-started', `The run could not be started (${end.code}).`);
    const stdout = end.stdout.text;
    const document = parseJson(stdout);
    const error = isRecord(document) && isRecord(document['error']) ? document['error']['kind'] : null;
    return judgeReview(
      {
        stdout,
        code: end.code,
        ended: end.ending === 'by-itself' ? null : `The run was ended after ${settings.runMinutes} minutes.`,
        parsed: parseRun(stdout, 'the run'),
        errorKind: typeof error === 'string' ? error : null,
      },
      facts.head,
    );
  } finally {
    rmSync(event, { force: true });
  }
}

/**
 * Writes the user's config file for review runs, and returns the folder that contains it. Runs on pull requests from
 * forks must not use results in the team store, so the value `always` of `trust` becomes `own-branches`.
 */
function writeRunConfig(folder: string, { trust, waitSeconds }: StoreSettings): string {
  const config = join(folder, 'config');
  makeParents(join(config, 'onceover'), 0o700);
  const runTrust = trust === 'never' ? 'never' : 'own-branches';
  writeFileSync(join(config, 'onceover/config.yml'), `store:\n  trust: ${runTrust}\n  wait_seconds: ${waitSeconds}\n`, {
    mode: 0o600,
  });
  return config;
}
