import type { PhaseName } from '../domain/phase.ts';
import { quoteName } from '../domain/quote-name.ts';
import { type Artifact, artifactsOf, type Role } from '../domain/role.ts';

/** Where the documents of a feature are; `prd` is null where the feature has none. */
export type FeaturePaths = { readonly folder: string; readonly prd: string | null };

/** The PRD of a feature: its own, else the one that it was made from, else none. */
export function resolvePrd(found: { readonly own: string | null; readonly source: string | null }): string | null {
  const source = found.source?.trim() ?? '';
  return found.own ?? (source === '' ? null : source);
}

/** The section that tells a role what to read first; empty where it has nothing to read. */
export function requiredArtifacts(role: Role, phase: PhaseName, feature: FeaturePaths): string {
  const artifacts = artifactsOf(role, phase);
  if (artifacts.length === 0) return '';
  return [
    '## Required Artifacts',
    `You MUST read the following files before beginning your ${role.form === null ? 'work' : 'review'}.`,
    'After reading, confirm: "Files read: {name} ({N} lines), ..." in a single line.',
    ...artifacts.map((artifact) => `- ${TITLES[artifact]}: ${place(artifact, feature)}`),
  ].join('\n');
}

/** The files that a role must have read: a PRD that does not exist is not among them. */
export function mustRead(role: Role, phase: PhaseName, feature: FeaturePaths): readonly string[] {
  return artifactsOf(role, phase).flatMap((artifact) => pathOf(artifact, feature) ?? []);
}

export const TITLES: Readonly<Record<Artifact, string>> = {
  'prd.md': 'PRD',
  'spec.md': 'Spec',
  'design.md': 'Design',
  'plan.md': 'Plan',
  'tasks.md': 'Tasks',
};

function place(artifact: Artifact, feature: FeaturePaths): string {
  const path = pathOf(artifact, feature);
  return path === null ? 'No PRD — feature created without brainstorm' : quoteName(path);
}

function pathOf(artifact: Artifact, { folder, prd }: FeaturePaths): string | null {
  return artifact === 'prd.md' ? prd : `${folder}/${artifact}`;
}
