import { setTimeout } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import type { Usage } from '../kernel/agent.ts';

/** Counts the calls of a run and their cost. Requests that an agent repeats by itself count as calls, too. */
export type Budget = ReturnType<typeof openBudget>;

export function openBudget(limits: Settings['budget']) {
  let dispatches = 0;
  let usd = 0;
  let retries = 0;
  const unpriced = new Set<string>();
  /** Returns the limit that is reached, after which no further call is allowed; `null` if none is reached. */
  const over = (): 'usd' | 'dispatches' | null => {
    if (limits.dispatches !== null && dispatches >= limits.dispatches) return 'dispatches';
    return limits.usd !== null && usd >= limits.usd ? 'usd' : null;
  };
  return {
    over,
    /** Counts one call and returns `null`. If a limit is reached, returns that limit and counts nothing. */
    spend() {
      const spent = over();
      if (spent === null) dispatches++;
      return spent;
    },
    /** Counts requests that an agent repeated by itself. */
    retried(times: number): void {
      dispatches += times;
      retries += times;
    },
    used(agent: string, usage: Usage | null): void {
      const cost = usage?.costUsd ?? null;
      if (cost === null) unpriced.add(agent);
      else usd += cost;
    },
    /** Returns the agents that were called and did not report a cost. */
    unpriced: (): readonly string[] => [...unpriced],
    dispatches: () => dispatches,
    retries: () => retries,
  };
}

/** Returns a function that runs jobs in order of arrival, at most `atOnce` at the same time. */
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
      // Hand the place of this job directly to the next waiting job, so that a newly added job cannot take it first.
      if (next === undefined) running--;
      else next();
    }
  };
}

/** Returns a function that runs `work`, one run at a time. All callers that wait for the next run share that run. */
export function sharePending<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let queued: Promise<T> | null = null;
  const start = () => {
    queued = null;
    return work();
  };
  return () => {
    if (queued !== null) return queued;
    queued = running.then(start, start);
    running = queued;
    return queued;
  };
}

/** Makes calls with the same prompt prefix wait for the first, so that they find the prefix in the provider's cache. */
export type PrefixGate = ReturnType<typeof openPrefixGate>;

/** How long calls wait for the first one. To pay for the prefix twice is better than to wait for a call that hangs. */
const LONGEST_WAIT_MS = 10_000;

export function openPrefixGate(longestWaitMs = LONGEST_WAIT_MS) {
  const warm = new Map<string, Promise<void>>();
  return {
    /**
     * The first caller with a prefix does not wait. It calls the returned function when its agent begins to answer, and
     * other callers with that prefix wait until then. A caller with `null` never waits.
     */
    async join(prefix: string | null): Promise<() => void> {
      let begun = () => {};
      if (prefix === null) return begun;
      const leader = warm.get(prefix);
      if (leader === undefined) warm.set(prefix, new Promise((resolve) => (begun = resolve)));
      else await Promise.race([leader, setTimeout(longestWaitMs, undefined, { ref: false })]);
      return begun;
    },
  };
}
