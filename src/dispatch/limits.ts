import type { Settings } from '../config/settings.ts';
import type { Usage } from '../kernel/agent.ts';

/** Counts the calls of a run and their cost, repeated questions included. */
export type Budget = ReturnType<typeof openBudget>;

export function openBudget(limits: Settings['budget']) {
  let dispatches = 0;
  let usd = 0;
  const unpriced = new Set<string>();
  /** Returns the limit that is reached, so that no further call is allowed; else `null`. */
  const over = (): 'usd' | 'dispatches' | null => {
    if (limits.dispatches !== null && dispatches >= limits.dispatches) return 'dispatches';
    return limits.usd !== null && usd >= limits.usd ? 'usd' : null;
  };
  return {
    over,
    /** Takes one call from the budget; returns the limit that is reached instead, if there is one. */
    spend() {
      const spent = over();
      if (spent === null) dispatches++;
      return spent;
    },
    used(agent: string, usage: Usage | null): void {
      const cost = usage?.costUsd ?? null;
      if (cost === null) unpriced.add(agent);
      else usd += cost;
    },
    /** Returns the agents that were called and reported no cost. */
    unpriced: (): readonly string[] => [...unpriced],
    dispatches: () => dispatches,
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
      // A waiting job takes over this one's place, so that no new job can take it first.
      if (next === undefined) running--;
      else next();
    }
  };
}

/** Returns a function that shares one run of `work` between all callers that arrive before the run starts. */
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

/** Lets callers with the same prompt prefix start after the first one, so that they read it from the provider's cache. */
export type PrefixGate = ReturnType<typeof openPrefixGate>;

export function openPrefixGate() {
  const warm = new Map<string, Promise<void>>();
  return {
    /**
     * Waits until the first caller with this prefix has heard from its agent. The first caller does not wait, but must call
     * the returned function to let the others start. `null` if the prefix is not shared.
     */
    async join(prefix: string | null): Promise<() => void> {
      let begun = () => {};
      if (prefix === null) return begun;
      const leader = warm.get(prefix);
      if (leader !== undefined) await leader;
      else warm.set(prefix, new Promise((resolve) => (begun = resolve)));
      return begun;
    },
  };
}
