import type { Assigned } from '../domain/agent.ts';

/** Slot k gets `available[(k-1) mod n]`; null where nobody is available. */
export function assign(slot: number, available: readonly string[]): Assigned | null {
  const agent = available[(slot - 1) % Math.max(1, available.length)];
  if (agent === undefined) return null;
  const at = available.indexOf(agent);
  return { agent, others: [...available.slice(at + 1), ...available.slice(0, at)] };
}
