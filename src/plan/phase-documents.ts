import type { RepoPath } from '../domain/brand.ts';
import {
  DOCUMENT_PHASES,
  type DocumentPhase,
  type PhaseName,
  type PhaseRole,
  type Preparation,
} from '../domain/phase.ts';
import { ARTIFACT_OF, ARTIFACTS, type Artifact, artifactsOf, type Roles, roleName } from '../domain/role.ts';
import { reviewersOf } from './phase-roles.ts';

/** Who may be asked in a phase: its reviewers, whoever mends, and what goes before. */
export function rolesOf(phase: PhaseName, preparations: readonly Preparation[]): readonly PhaseRole[] {
  const reviewers = phase === 'implement' ? reviewersOf(phase, 'implement') : documentReviewers(phase);
  return [...new Set<PhaseRole>([...reviewers, 'implementer', ...preparations.map(({ role }) => role)])];
}

function documentReviewers(phase: DocumentPhase) {
  return [...reviewersOf(phase, 'domain'), ...reviewersOf(phase, 'phase')];
}

/** The documents that somebody in the phase must read, in their usual order; the one under review is among them. */
export function requiredDocuments(phase: PhaseName, roles: Roles, isMended: boolean): readonly Artifact[] {
  const names = rolesOf(phase, []).filter((role) => isMended || role !== 'implementer');
  const read = new Set(names.flatMap((role) => artifactsOf(roles[roleName(role, null)], phase)));
  if (phase !== 'implement') read.add(ARTIFACT_OF[phase]);
  return ARTIFACTS.filter((artifact) => read.has(artifact));
}

/** The phase that a document comes out of; none for the PRD. */
export function phaseOf(artifact: Artifact): DocumentPhase | null {
  return DOCUMENT_PHASES.find((phase) => ARTIFACT_OF[phase] === artifact) ?? null;
}

/** Where a document of the feature is, from the root. */
export function documentPath(feature: RepoPath, artifact: Artifact): RepoPath {
  return (feature === '' ? artifact : `${feature}/${artifact}`) as RepoPath;
}
