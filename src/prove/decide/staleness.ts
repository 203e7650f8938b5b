import type { Settings } from '../../config/settings.ts';
import { digestOf } from '../../kernel/ids.ts';
import type { GateProof } from '../types.ts';

/** Returns a digest of the agents and models that review a gate: `own` if the gate names agents itself. */
export function agentsDigestOf(
  { agents, agent }: Pick<Settings, 'agents' | 'agent'>,
  own: readonly string[] | null,
): string {
  const names = own ?? agents;
  const models = (names ?? Object.keys(agent).sort()).map((name) => [name, agent[name]?.model ?? null]);
  return digestOf([names, models]);
}

/** Why a proof no longer says anything about a gate; `null` if it still does. */
export type Staleness = 'prompt' | 'agents';

export function stalenessOf(
  proof: Pick<GateProof, 'promptDigest' | 'agentsDigest'>,
  now: { readonly promptDigest: string; readonly agentsDigest: string },
): Staleness | null {
  if (proof.promptDigest !== now.promptDigest) return 'prompt';
  return proof.agentsDigest === now.agentsDigest ? null : 'agents';
}
