import type { Settings } from '../config/settings.ts';
import type { ReviewGate } from '../gates/types.ts';
import { agentsDigestOf, type Staleness, stalenessOf } from './decide/staleness.ts';
import { proofLine } from './describe/proof-line.ts';
import { openProofs } from './record/proofs.ts';

/** The last proof of a gate in one line, and why it is stale; `null` if it is not. */
export type KnownProof = { readonly gate: string; readonly text: string; readonly stale: Staleness | null };

/** Returns the last proof of each of these gates that has one. */
export function knownProofs(
  commonDir: string,
  settings: Pick<Settings, 'agents' | 'agent'>,
  gates: readonly Pick<ReviewGate, 'id' | 'agents' | 'rubric'>[],
): readonly KnownProof[] {
  const proofs = openProofs(commonDir);
  return gates.flatMap(({ id, agents, rubric }) => {
    const proof = proofs.read(id);
    if (proof === null) return [];
    const now = { promptDigest: rubric.digest, agentsDigest: agentsDigestOf(settings, agents) };
    const stale = stalenessOf(proof, now);
    return [{ gate: id, text: proofLine(proof, stale, new Date()), stale }];
  });
}
