import { digestOf } from '@onceover/base/kernel/ids';
import type { Settings } from '@onceover/repo/config/settings';
import type { GateProof } from '../types.ts';

/**
 * Returns a digest of the agents that review a gate. `gateAgents` lists the agents that the gate itself names; `null`
 * if it names none. `answererOf` returns a digest of the settings and scripts of an agent.
 */
export function agentsDigestOf(
  { agents, agent }: Pick<Settings, 'agents' | 'agent'>,
  gateAgents: readonly string[] | null,
  answererOf: (name: string) => string,
): string {
  const names = gateAgents ?? agents;
  return digestOf([names, (names ?? Object.keys(agent).sort()).map((name) => [name, answererOf(name)])]);
}

/**
 * Why the stored scores of a gate no longer apply: its prompt or its agents have changed since. `null` means that they
 * still apply.
 */
export type Staleness = 'prompt' | 'agents';

/** The fields that decide whether new scores of a gate replace its stored ones. */
type ComparedProof = Pick<GateProof, 'promptDigest' | 'agentsDigest' | 'agents' | 'scores'>;

/**
 * Whether to keep the stored scores of a gate instead of new ones: both are about the same prompt, agents, models and
 * number of reviewers, and the stored ones cover more test cases.
 */
export function saysMore(earlier: ComparedProof, later: ComparedProof): boolean {
  const isSame = stalenessOf(earlier, later) === null && digestOf(earlier.agents) === digestOf(later.agents);
  return isSame && casesOf(earlier) > casesOf(later);
}

function casesOf({ scores: { found, falseAlarms } }: ComparedProof): number {
  return found.of + falseAlarms.of;
}

export function stalenessOf(
  proof: Pick<GateProof, 'promptDigest' | 'agentsDigest'>,
  now: { readonly promptDigest: string; readonly agentsDigest: string },
): Staleness | null {
  if (proof.promptDigest !== now.promptDigest) return 'prompt';
  return proof.agentsDigest === now.agentsDigest ? null : 'agents';
}
