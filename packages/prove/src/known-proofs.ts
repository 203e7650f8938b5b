import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import type { ReviewGate } from '@onceover/gates/gate-types';
import type { Settings } from '@onceover/repo/config/settings';
import { agentsDigestOf, type Staleness, stalenessOf } from './decide/staleness.ts';
import { proofLine } from './describe/proof-line.ts';
import { answerersIn } from './read/programs.ts';
import { openProofs } from './record/proofs.ts';

/** The last scores of a gate in one line. `stale` says why they no longer apply; it is `null` if they still do. */
export type KnownProof = { readonly gate: string; readonly text: string; readonly stale: Staleness | null };

/** The settings and gates that decide which stored scores still apply. */
type PreviewedGates = {
  readonly request: { readonly settings: Pick<Settings, 'agents' | 'agent'> };
  readonly facts: { readonly reviews: readonly { readonly gate: Pick<ReviewGate, 'id' | 'agents' | 'rubric'> }[] };
};

/** Returns the last scores of each of these gates that `onceover prove` has measured. */
export function knownProofs(
  { root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>,
  { request: { settings }, facts }: PreviewedGates,
): readonly KnownProof[] {
  const proofs = openProofs(commonDir);
  const answererOf = answerersIn(root, settings.agent);
  return facts.reviews.flatMap(({ gate: { id, agents, rubric } }) => {
    const proof = proofs.read(id);
    if (proof === null) return [];
    const now = { promptDigest: rubric.digest, agentsDigest: agentsDigestOf(settings, agents, answererOf) };
    const stale = stalenessOf(proof, now);
    return [{ gate: id, text: proofLine(proof, stale, new Date()), stale }];
  });
}

/** Returns the last scores of one gate in one line; `null` if `onceover prove` has never measured it. */
export function knownScores(
  repository: Pick<RepositoryPaths, 'root' | 'commonDir'>,
  settings: Pick<Settings, 'agents' | 'agent'>,
  gate: Pick<ReviewGate, 'id' | 'agents' | 'rubric'>,
): string | null {
  return knownProofs(repository, { request: { settings }, facts: { reviews: [{ gate }] } })[0]?.text ?? null;
}
