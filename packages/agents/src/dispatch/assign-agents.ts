import type { Assigned } from '@onceover/base/kernel/agent';

/** Returns the agent of reviewer number `slot`, and the agents that may replace it; `null` if none is available. */
export function assignAgents(slot: number, available: readonly string[]): Assigned | null {
  const agent = available[(slot - 1) % Math.max(1, available.length)];
  if (agent === undefined) return null;
  const at = available.indexOf(agent);
  return { agent, others: [...available.slice(at + 1), ...available.slice(0, at)] };
}
