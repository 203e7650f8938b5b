import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { notCalled } from '@onceover/agents/adapters/call-agent';
import { NEW_CALL } from '@onceover/agents/remote/calls';
import { queueName } from '@onceover/agents/remote/decide-call';
import { saidBy } from '@onceover/agents/remote/remote-reviewers';
import type { Usage } from '@onceover/base/kernel/agent';
import type { AskEnd } from '@onceover/base/kernel/ports';
import { ok, type Result } from '@onceover/base/kernel/result';
import { openBell } from '@onceover/base/platform/bell';
import { makeParents } from '@onceover/base/platform/files';
import { namedScratchPath } from '@onceover/base/platform/scratch';
import { addQueues, openWorkerBoss } from '@onceover/store/boss';
import { connect, type Database } from '@onceover/store/connect';
import { migrate } from '@onceover/store/migrate';
import { StoreError, storeResult } from '@onceover/store/store-error';
import { DEFAULT_KEEP, type StoreKeep, type StoreSettings } from '@onceover/store/user-config';
import type { PgBoss } from 'pg-boss';
import { openCheckouts } from './checkouts.ts';
import { decideAfterLimit, limitEnd } from './decide-limits.ts';
import { callOwnAgent, findOwnAgents, type OwnAgent } from './own-agents.ts';
import { pruneCalls } from './prune.ts';
import { openTakenCalls, type TakenCall, type TakenCalls } from './take-calls.ts';
import type { WorkerOptions } from './types.ts';
import { openUnsentAnswers } from './unsent-answers.ts';

const BEAT_MS = 1000;

const IDLE_MS = 1000;

const TIDY_MS = 5000;

const PRUNE_MS = 60_000;

/**
 * Takes agent calls from the queue and runs them until `stop` aborts. If the team store is unreachable, the worker
 * waits.
 */
export async function runWorker(store: StoreSettings, options: WorkerOptions): Promise<Result<void>> {
  const ownAgents = await findOwnAgents(options);
  if (!ownAgents.ok) return ownAgents;
  const folder = options.folder === null ? namedScratchPath('/nowhere', 'worker') : ok(options.folder);
  if (!folder.ok) return folder;
  makeParents(folder.value, 0o700);
  const connections = Math.min(10, options.atOnce + 2);
  // A worker that was asked to stop waits for an unreachable store only if it still has to store an answer.
  const waiting = { waitSeconds: Math.max(60, store.waitSeconds), stop: options.stop };
  const connection = await connect(store.url, { ...waiting, connections });
  if (!connection.ok) return connection;
  const database = connection.value;
  try {
    const migration = await migrate(database);
    if (!migration.ok) return migration;
    const boss = await openWorkerBoss(store.url, database, options);
    if (!boss.ok) return boss;
    try {
      return await storeResult(
        work(database, boss.value, { ...options, keep: store.keep ?? DEFAULT_KEEP }, ownAgents.value, folder.value),
      );
    } finally {
      await boss.value.stop({ graceful: false });
    }
  } finally {
    await database.close();
  }
}

type Running = {
  readonly call: TakenCall;
  readonly abort: AbortController;
  news: { readonly doing: string | null; readonly usage: Usage | null } | null;
};

async function work(
  database: Database,
  boss: PgBoss,
  options: WorkerOptions & { readonly keep: StoreKeep },
  agents: readonly OwnAgent[],
  folder: string,
): Promise<void> {
  const { stop, stopNow, tell, atOnce } = options;
  const id = randomUUID();
  const calls = openTakenCalls(database, boss, id, options.heartbeatSeconds);
  const offers = agents.map(({ offer }) => offer);
  const names = [...new Set(offers.map(queueName))];
  await addQueues(boss, names, options);
  const limits = new Map(offers.map(({ account }) => [account, options.limits] as const));
  await calls.register(options.name, offers, limits);
  const unsent = openUnsentAnswers(folder);
  for (const { call, end } of unsent.all()) {
    await calls.end(call, end);
    unsent.sent(call);
  }
  const checkouts = openCheckouts(database, folder);
  const running = new Map<string, Running>();
  const bell = openBell();
  const listening = await boss.getDb().listen?.(NEW_CALL, bell.ring, bell.ring);
  stop.addEventListener('abort', bell.ring);
  stopNow.addEventListener('abort', () => {
    for (const { abort } of running.values()) abort.abort();
  });
  tell({ kind: 'started', name: options.name, agents: offers.map(({ agent }) => agent), atOnce });
  const beats = repeat(BEAT_MS, options, async () => {
    const news = new Map(
      [...running].flatMap(([call, runningCall]) =>
        runningCall.news === null ? [] : [[call, runningCall.news] as const],
      ),
    );
    for (const runningCall of running.values()) runningCall.news = null;
    const endedCalls = await calls.beat(
      [...running.values()].map(({ call }) => call),
      news,
    );
    for (const call of endedCalls) running.get(call)?.abort.abort();
    // Register again: after a long time without contact, another worker may have deleted this worker's row.
    await calls.register(options.name, offers, limits);
  });
  const tidying = repeat(TIDY_MS, options, () => calls.tidy());
  const pruning = repeat(PRUNE_MS, options, () => pruneCalls(database, options.keep));

  /**
   * Takes an agent call for one of the agents, starting with a different agent each time so that none is starved. If
   * there is no call, returns how long to wait.
   */
  let turn = 0;
  async function takeOne(): Promise<number | null> {
    let waitMs = IDLE_MS;
    turn++;
    for (const n of agents.keys()) {
      const agent = agents[(turn + n) % agents.length] as OwnAgent;
      const takeResult = await calls.take(agent.offer);
      if (takeResult.kind === 'wait') waitMs = Math.min(waitMs, Math.max(50, takeResult.until.getTime() - Date.now()));
      if (takeResult.kind === 'ended') return null;
      if (takeResult.kind !== 'taken') continue;
      void runOne(takeResult.call, agent);
      return null;
    }
    return waitMs;
  }

  /** Like `takeOne`, but a worker that was asked to stop does not wait for an unreachable store. */
  async function takeUnlessStopped(): Promise<number | null> {
    try {
      return await takeOne();
    } catch (error) {
      if (stop.aborted && error instanceof StoreError) return null;
      throw error;
    }
  }

  async function runOne(call: TakenCall, agent: OwnAgent): Promise<void> {
    const runningCall: Running = { call, abort: new AbortController(), news: null };
    running.set(call.id, runningCall);
    if (stopNow.aborted) runningCall.abort.abort();
    const startedAt = Date.now();
    tell({ kind: 'call-started', call: call.id, agent: agent.offer.agent });
    const end = await answer(call, agent, runningCall);
    const outcome = await patiently(options, () =>
      settle(calls, unsent, { call, agent, end, isStopping: stopNow.aborted, one: runningCall }, options),
    );
    running.delete(call.id);
    bell.ring();
    const failure = end.ok ? null : end.failure;
    const durationMs = Date.now() - startedAt;
    tell({ kind: 'call-ended', call: call.id, agent: agent.offer.agent, outcome, failure, durationMs });
  }

  async function answer(call: TakenCall, agent: OwnAgent, runningCall: Running): Promise<AskEnd> {
    const { request } = call;
    if (request === null)
      return notCalled({ kind: 'agent-error', said: 'the worker has another version and cannot read the call' });
    try {
      const checkout = await checkouts.open(call.repository, request);
      if ('why' in checkout) return notCalled({ kind: 'agent-error', said: checkout.why });
      try {
        await calls.calling(call);
        return await callOwnAgent(agent, request, checkout.folder, {
          stop: runningCall.abort.signal,
          watch(doing, usage) {
            runningCall.news = { doing, usage };
          },
        });
      } finally {
        checkout.remove();
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return notCalled({ kind: 'unreachable', said: saidBy(error) });
    }
  }

  while (!stop.aborted) {
    const waitMs = running.size >= atOnce ? IDLE_MS : await patiently(options, takeUnlessStopped);
    if (waitMs !== null) await bell.wait(waitMs);
  }
  tell({ kind: 'stopping', running: running.size });
  while (running.size > 0) await bell.wait(IDLE_MS);
  await Promise.all([beats.end(), tidying.end(), pruning.end()]);
  await listening?.close();
  checkouts.close();
  // If the store is unreachable, the worker soon counts as stopped anyway.
  await storeResult(calls.leave());
  tell({ kind: 'stopped' });
}

type Settled = {
  readonly call: TakenCall;
  readonly agent: OwnAgent;
  readonly end: AskEnd;
  readonly one: Running;
  readonly isStopping: boolean;
};

/** Stores the result of an agent call, or puts the call back into the queue. */
async function settle(
  calls: TakenCalls,
  unsent: ReturnType<typeof openUnsentAnswers>,
  { call, agent, end, one, isStopping }: Settled,
  { tell }: Pick<WorkerOptions, 'tell'>,
): Promise<'answered' | 'failed' | 'put-back' | 'dropped'> {
  const { offer } = agent;
  if (!end.ok && end.failure.kind === 'cancelled' && one.abort.signal.aborted) {
    if (isStopping) await calls.putBack(call, end);
    else await calls.drop(call, end);
    return isStopping ? 'put-back' : 'dropped';
  }
  if (!end.ok && end.failure.kind === 'limit') {
    const now = new Date();
    const until = limitEnd(end.failure.resetAt, now);
    await calls.cool(offer.account, until, end.failure.said);
    tell({ kind: 'limit', account: offer.account, until });
    const otherAccounts = await calls.otherAccounts(offer);
    if (decideAfterLimit({ resetAt: until, otherAccounts }, now) === 'put-back') {
      await calls.putBack(call, end);
      return 'put-back';
    }
  }
  // The answer has already been paid for, so keep it on disk until the team store has it.
  if (end.ok) unsent.keep({ call, end });
  await calls.end(call, end);
  if (end.ok) unsent.sent(call);
  return end.ok ? 'answered' : 'failed';
}

/**
 * Repeats work on the team store until it succeeds. The store may be unreachable for longer than a database connection
 * waits.
 */
async function patiently<T>(
  { tell, stop, stopNow }: Pick<WorkerOptions, 'tell' | 'stop' | 'stopNow'>,
  work: () => Promise<T>,
): Promise<T> {
  for (let isLost = false; ; ) {
    try {
      const result = await work();
      if (isLost && !stop.aborted) tell({ kind: 'store-back' });
      return result;
    } catch (error) {
      if (!(error instanceof StoreError) || stopNow.aborted) throw error;
      if (!isLost) tell({ kind: 'store-lost', said: saidBy(error) });
      isLost = true;
      await pause(IDLE_MS);
    }
  }
}

/** Repeats work at an interval until the loop is stopped. If the team store is unreachable, the loop continues. */
function repeat(everyMs: number, options: Pick<WorkerOptions, 'tell'>, work: () => Promise<void>) {
  const endController = new AbortController();
  const loop = (async () => {
    while (!endController.signal.aborted) {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        options.tell({ kind: 'store-lost', said: saidBy(error) });
      }
      await pause(everyMs, undefined, { signal: endController.signal }).catch(() => undefined);
    }
  })();
  return {
    end() {
      endController.abort();
      return loop;
    },
  };
}
