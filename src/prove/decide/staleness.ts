import type { Settings } from '../../config/settings.ts';
import { digestOf } from '../../kernel/ids.ts';
import type { GateProof } from '../types.ts';

/**
 * Returns a digest of the agents that review a gate. `own` lists the agents that the gate itself names; `null` if it
 * names none. `answererOf` returns a digest of the settings and scripts of an agent.
 */
export function agentsDigestOf(
  { agents, agent }: Pick<Settings, 'agents' | 'agent'>,
  own: readonly string[] | null,
  answererOf: (name: string) => string,
): string {
  const names = own ?? agents;
  return digestOf([names, (names ?? Object.keys(agent).sort()).map((name) => [name, answererOf(name)])]);
}

/**
 * Why a proof no longer applies to a gate: its prompt or its agents have changed. `null` means that the proof still
 * applies.
 */
export type Staleness = 'prompt' | 'agents';

/** The fields that decide whether a proof replaces an earlier one. */
type ComparedProof = Pick<GateProof, 'promptDigest' | 'agentsDigest' | 'agents' | 'scores'>;

/**
 * Whether to keep an earlier proof of a gate instead of a new one: both are about the same prompt, agents, models and
 * number of reviewers, and the earlier one has more cases.
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
