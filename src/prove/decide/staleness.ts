import type { Settings } from '../../config/settings.ts';
import { digestOf } from '../../kernel/ids.ts';
import type { GateProof } from '../types.ts';

/**
 * Returns a digest of the agents that review a gate: `own` if the gate names agents itself. `answererOf` returns the
 * digest of what decides who answers as an agent.
 */
export function agentsDigestOf(
  { agents, agent }: Pick<Settings, 'agents' | 'agent'>,
  own: readonly string[] | null,
  answererOf: (name: string) => string,
): string {
  const names = own ?? agents;
  return digestOf([names, (names ?? Object.keys(agent).sort()).map((name) => [name, answererOf(name)])]);
}

/** Why a proof no longer says anything about a gate; `null` if it still does. */
export type Staleness = 'prompt' | 'agents';

/** The fields that decide whether a proof replaces an earlier one. */
type ComparedProof = Pick<GateProof, 'promptDigest' | 'agentsDigest' | 'agents' | 'scores'>;

/**
 * Whether an earlier proof of a gate stays after a new one: it is about the same prompt, agents, models and number of
 * reviewers, and it has more cases.
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
