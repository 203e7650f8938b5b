import type { Settings } from '../domain/settings.ts';
import type { Usage } from '../domain/usage.ts';

/** Counts what a run spends, repeated questions included. */
export type Budget = {
  /** Takes one dispatch from the budget; tells what has run out instead. */
  spend(): 'usd' | 'dispatches' | null;
  used(usage: Usage | null): void;
  dispatches(): number;
};

export function openBudget(limits: Settings['budget']): Budget {
  let dispatches = 0;
  let usd = 0;
  return {
    spend() {
      if (limits.dispatches !== null && dispatches >= limits.dispatches) return 'dispatches';
      if (limits.usd !== null && usd >= limits.usd) return 'usd';
      dispatches++;
      return null;
    },
    used(usage) {
      usd += usage?.costUsd ?? 0;
    },
    dispatches: () => dispatches,
  };
}
