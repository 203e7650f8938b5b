import type { Settings } from '../domain/settings.ts';
import type { Usage } from '../domain/usage.ts';

type SpentUp = 'usd' | 'dispatches';

/** Counts what a run spends, repeated questions included. */
export type Budget = {
  /** Takes one dispatch from the budget; tells what has run out instead. */
  spend(): SpentUp | null;
  /** What has run out, so that nothing can be asked any more. */
  over(): SpentUp | null;
  used(agent: string, usage: Usage | null): void;
  /** Agents that were asked and did not tell what it cost. */
  unpriced(): readonly string[];
  dispatches(): number;
};

export function openBudget(limits: Settings['budget']): Budget {
  let dispatches = 0;
  let usd = 0;
  const unpriced = new Set<string>();
  const over = () => {
    if (limits.dispatches !== null && dispatches >= limits.dispatches) return 'dispatches';
    return limits.usd !== null && usd >= limits.usd ? 'usd' : null;
  };
  return {
    over,
    spend() {
      const spent = over();
      if (spent === null) dispatches++;
      return spent;
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
