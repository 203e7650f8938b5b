import { setTimeout } from 'node:timers/promises';
import type { Usage } from '@onceover/base/kernel/agent';
import type { Settings } from '@onceover/repo/config/settings';

/** Counts the calls in a run and their cost. Requests that an agent repeats by itself count as calls too. */
export type Budget = ReturnType<typeof openBudget>;

export function openBudget(limits: Settings['budget']) {
  let dispatches = 0;
  let usd = 0;
  let retries = 0;
  const agentsWithoutCost = new Set<string>();
  /** Returns the limit that has been reached, so that no further call is allowed; `null` if there is none. */
  const over = (): 'usd' | 'dispatches' | null => {
    if (limits.dispatches !== null && dispatches >= limits.dispatches) return 'dispatches';
    return limits.usd !== null && usd >= limits.usd ? 'usd' : null;
  };
  return {
    over,
    /** Counts one call and returns `null`. If a limit has been reached, returns that limit and counts nothing. */
    spend() {
      const exceededLimit = over();
      if (exceededLimit === null) dispatches++;
      return exceededLimit;
    },
    /** Adds the requests that an agent repeated by itself to the calls and retries. */
    retried(times: number): void {
      dispatches += times;
      retries += times;
    },
    used(agent: string, usage: Usage | null): void {
      const cost = usage?.costUsd ?? null;
      if (cost === null) agentsWithoutCost.add(agent);
      else usd += cost;
    },
    /** Returns the agents that were called but reported no cost. */
    unpriced: (): readonly string[] => [...agentsWithoutCost],
    dispatches: () => dispatches,
    retries: () => retries,
  };
}

/** Returns a function that runs jobs in the order in which they were added, at most `atOnce` at the same time. */
export function openQueue(atOnce: number): <T>(job: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (job) => {
    if (running < atOnce) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      // Give this job's place directly to the job that waits longest. Otherwise a job that is added now could take it.
      if (next === undefined) running--;
      else next();
    }
  };
}

/**
 * Returns a function that runs `work`, but never twice at the same time. All callers that wait for the same run of it
 * get its result.
 */
export function sharePending<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let nextRun: Promise<T> | null = null;
  const start = () => {
    nextRun = null;
    return work();
  };
  return () => {
    if (nextRun !== null) return nextRun;
    nextRun = running.then(start, start);
    running = nextRun;
    return nextRun;
  };
}

/**
 * Lets calls wait if their prompts start like that of an earlier call, so that they find this start in the provider's
 * cache.
 */
export type PrefixGate = ReturnType<typeof openPrefixGate>;

/**
 * How long a call waits for the earlier one. If that one hangs, it is better to pay twice for the start of the prompt.
 */
const LONGEST_WAIT_MS = 10_000;

export function openPrefixGate(longestWaitMs = LONGEST_WAIT_MS) {
  const warm = new Map<string, Promise<void>>();
  return {
    /**
     * Waits until a prompt can be sent. The first caller with a `prefix` (start of the prompt) does not wait, and calls
     * the returned function when its agent begins to answer. Other callers with the same prefix wait for that. A caller
     * with `null` never waits.
     */
    async join(prefix: string | null): Promise<() => void> {
      let openGate = () => {};
      if (prefix === null) return openGate;
      const leader = warm.get(prefix);
      if (leader === undefined) warm.set(prefix, new Promise((resolve) => (openGate = resolve)));
      else await Promise.race([leader, setTimeout(longestWaitMs, undefined, { ref: false })]);
      return openGate;
    },
  };
}
