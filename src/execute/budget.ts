import type { Settings } from '../domain/settings.ts';
import type { Usage } from '../domain/usage.ts';

/** Counts what a run spends, repeated questions included. */
export type Budget = {
  /** Takes one dispatch from the budget; tells what has run out instead. */
  spend(): 'usd' | 'dispatches' | null;
  used(agent: string, usage: Usage | null): void;
  /** Agents that were asked and did not tell what it cost. */
  unpriced(): readonly string[];
  dispatches(): number;
};

export function openBudget(limits: Settings['budget']): Budget {
  let dispatches = 0;
  let usd = 0;
  const unpriced = new Set<string>();
  return {
    spend() {
      if (limits.dispatches !== null && dispatches >= limits.dispatches) return 'dispatches';
      if (limits.usd !== null && usd >= limits.usd) return 'usd';
      dispatches++;
      return null;
    },
    used(agent, usage) {
      const cost = usage?.costUsd ?? null;
      if (cost === null) unpriced.add(agent);
      else usd += cost;
    },
    unpriced: () => [...unpriced],
    dispatches: () => dispatches,
  };
}
