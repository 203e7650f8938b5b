import { setTimeout as pause } from 'node:timers/promises';
import { saidBy } from '@onceover/agents/remote/remote-reviewers';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { openBell } from '@onceover/base/platform/bell';
import { makeParents } from '@onceover/base/platform/files';
import { namedScratchPath } from '@onceover/base/platform/scratch';
import { openWorkerBoss } from '@onceover/store/boss';
import { connect, type Database } from '@onceover/store/connect';
import { normaliseRemote } from '@onceover/store/decide-identity';
import { migrate } from '@onceover/store/migrate';
import { StoreError, storeResult } from '@onceover/store/store-error';
import type { StoreSettings } from '@onceover/store/user-config';
import type { PgBoss } from 'pg-boss';
import { listen } from './http.ts';
import { openPullCheckouts } from './pull-checkouts.ts';
import { addPullQueues, openPullRuns, type PullRuns, SERVER_HEARTBEAT_SECONDS } from './pull-runs.ts';
import { repositoryWithRemote } from './repositories.ts';
import { longestBody, openServerRoutes } from './routes.ts';
import { type PullRunner, type PullRunOutcome, runPull } from './run-pull.ts';
import { NO_TRACE, openTrace } from './traces.ts';
import type { ServerEvent, ServerSettings, TakenRun } from './types.ts';
import { openVisitors } from './visitors.ts';

export type ServerOptions = {
  readonly store: StoreSettings;
  readonly settings: ServerSettings;
  /** The program to start for a review run, followed by its first arguments. */
  readonly program: readonly [string, ...string[]];
  /** When this signal aborts, the server takes no more review runs, and ends as soon as its current runs have ended. */
  readonly stop: AbortSignal;
  /** When this signal aborts, the server puts the review runs that it works on back into the queue. */
  readonly stopNow: AbortSignal;
  tell(event: ServerEvent): void;
};

const BEAT_MS = 1000;

const IDLE_MS = 1000;

const TIDY_MS = 60_000;

/** How long running reviews may continue after the server was asked to stop. */
const GRACE_MS = 20_000;

const NO_TRACES = {
  'no-package':
    'Traces need the package @opentelemetry/api, which is not installed. Install it next to onceover with "npm install --global @opentelemetry/api".',
  'no-sdk':
    'Traces need an OpenTelemetry SDK, and none is loaded that uses the installed version of @opentelemetry/api. Load an SDK with NODE_OPTIONS, and install the version of @opentelemetry/api that the SDK uses.',
} as const;

/** Serves pages and webhooks, and reviews pull requests, until `stop` aborts. */
export async function runServer(options: ServerOptions): Promise<Result<void>> {
  const { store, settings } = options;
  const trace = settings.traces ? openTrace() : NO_TRACE;
  if (typeof trace === 'string') return err({ kind: 'wrong-usage', said: NO_TRACES[trace], command: 'serve' });
  const folder = settings.folder === null ? namedScratchPath('/nowhere', 'server') : ok(settings.folder);
  if (!folder.ok) return folder;
  makeParents(folder.value, 0o700);
  const connection = await connect(store.url, { waitSeconds: store.waitSeconds, connections: settings.runsAtOnce + 6 });
  if (!connection.ok) return connection;
  const database = connection.value;
  try {
    const migration = await migrate(database);
    if (!migration.ok) return migration;
    const boss = await openWorkerBoss(store.url, database, { heartbeatSeconds: SERVER_HEARTBEAT_SECONDS });
    if (!boss.ok) return boss;
    try {
      const runner = { ...options, folder: folder.value, checkouts: openPullCheckouts(folder.value), trace };
      const result = await storeResult(serve(database, boss.value, runner, options));
      return result.ok ? result.value : result;
    } finally {
      await boss.value.stop({ graceful: false });
    }
  } finally {
    await database.close();
  }
}

type Running = { readonly run: TakenRun; readonly abort: AbortController };

async function serve(
  database: Database,
  boss: PgBoss,
  runner: PullRunner,
  options: ServerOptions,
): Promise<Result<void>> {
  const { settings, stop, stopNow, tell } = options;
  await addPullQueues(boss);
  const runs = openPullRuns(database, boss);
  const running = new Map<string, Running>();
  const bell = openBell();
  const answer = openServerRoutes({
    ...{ settings, database, runs, visitors: openVisitors(settings), tell, wake: bell.ring },
    isStopping: () => stop.aborted,
  });
  const listening = await listen(settings.host, settings.port, { longest: longestBody, answer });
  if (!listening.ok) return listening;
  const { port, close } = listening.value;
  stop.addEventListener('abort', bell.ring);
  const stopRunning = () => {
    for (const { abort } of running.values()) abort.abort();
  };
  stopNow.addEventListener('abort', stopRunning);
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  tell({ kind: 'started', address: `http://${host}:${port}`, runs_at_once: settings.runsAtOnce });
  const shutdown = new AbortController();
  const beats = everyWhile(BEAT_MS, shutdown.signal, tell, async () => {
    const lostIds = await runs.beat([...running.values()].map(({ run }) => run));
    for (const id of lostIds) running.get(id)?.abort.abort();
  });
  const tidying = everyWhile(TIDY_MS, shutdown.signal, tell, async () => {
    await runs.tidy(settings.keepRunsDays);
    runner.checkouts.tidy();
  });

  const start = (run: TakenRun) => {
    const activeRun: Running = { run, abort: new AbortController() };
    running.set(run.id, activeRun);
    if (stopNow.aborted) activeRun.abort.abort();
    void performRun(activeRun, { database, runs, runner, tell, stopNow }).finally(() => {
      running.delete(run.id);
      bell.ring();
    });
  };

  while (!stop.aborted) {
    const isFull = running.size >= settings.runsAtOnce;
    const nextRun = isFull ? 'none' : await takeRun(runs, tell);
    if (typeof nextRun === 'object') {
      const isBusy = [...running.values()].some(({ run: { pull } }) => samePull(pull, nextRun.pull));
      // All runs of a pull request use the same clone, so they must run one after another.
      if (isBusy) await quietly(tell, () => runs.putBack(nextRun, { afterSeconds: 2, counts: false }));
      else start(nextRun);
    } else if (nextRun === 'none') await bell.wait(IDLE_MS);
  }
  tell({ kind: 'stopping', running: running.size });
  const closing = close();
  const grace = setTimeout(stopRunning, GRACE_MS);
  while (running.size > 0) await bell.wait(IDLE_MS);
  clearTimeout(grace);
  shutdown.abort();
  await Promise.all([beats, tidying, closing]);
  tell({ kind: 'stopped' });
  return ok(undefined);
}

function samePull(a: TakenRun['pull'], b: TakenRun['pull']): boolean {
  return a.forge === b.forge && a.project === b.project && a.number === b.number;
}

type Performing = Pick<ServerOptions, 'tell' | 'stopNow'> & {
  readonly database: Database;
  readonly runs: PullRuns;
  readonly runner: PullRunner;
};

async function performRun({ run, abort }: Running, { database, runs, runner, tell }: Performing): Promise<void> {
  const { forge, project, number } = run.pull;
  const about = { run: run.id, pull: `${forge}:${project}#${number}` };
  const startedAt = Date.now();
  tell({ kind: 'run-started', ...about, head: run.head, tries: run.tries });
  let outcome: PullRunOutcome;
  try {
    outcome = await runner.trace.span('run', () => runPull(runner, run, abort.signal));
  } catch (error) {
    // An unexpected exception must not stop the server. The review run ends as an error, and never as a pass.
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell({ kind: 'bug', said: message });
    outcome = { kind: 'ended', end: { verdict: 'error', error: 'bug', said: 'onceover has a bug', document: null } };
  }
  const finalOutcome = outcome;
  await quietly(tell, async () => {
    if (finalOutcome.kind === 'put-back') return runs.putBack(run, finalOutcome);
    if (finalOutcome.kind === 'dropped') return runs.dropTaken(run, finalOutcome.said);
    const forgeSettings = runner.settings.forges.find(({ name }) => name === forge);
    const remote = normaliseRemote(`${forgeSettings?.clone ?? ''}/${project}.git`);
    await runs.end(run, finalOutcome.end, await repositoryWithRemote(database, remote));
  });
  tell({
    ...{ kind: 'run-ended', ...about, duration_ms: Date.now() - startedAt },
    outcome: finalOutcome.kind === 'ended' ? finalOutcome.end.verdict : finalOutcome.kind,
    said: finalOutcome.kind === 'ended' ? finalOutcome.end.said : finalOutcome.said,
  });
}

async function takeRun(runs: PullRuns, tell: ServerOptions['tell']): Promise<TakenRun | 'none' | 'ended'> {
  return (await quietly(tell, () => runs.take())) ?? 'none';
}

/**
 * Runs work on the team store. If the store is unreachable, reports this and returns `null`; the queue gives the review
 * run to a server again later.
 */
async function quietly<T>(tell: ServerOptions['tell'], work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    tell({ kind: 'store-lost', said: saidBy(error) });
    return null;
  }
}

/** Repeats work at an interval until `stop` aborts. If the team store is unreachable, the loop continues. */
async function everyWhile(
  everyMs: number,
  signal: AbortSignal,
  tell: ServerOptions['tell'],
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await quietly(tell, work);
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
