import type { DocumentPhase, PhaseName, PhaseSetup, PhaseStage, ReviewerRole } from '../domain/phase.ts';

/** Reviews of one loop that count; after the last there is no fix. */
export const ITERATION_CAP = 5;

const DOMAIN_REVIEWERS: Readonly<Record<DocumentPhase, ReviewerRole>> = {
  specify: 'spec-reviewer',
  design: 'design-reviewer',
  'create-plan': 'plan-reviewer',
  'create-tasks': 'task-reviewer',
};

const CODE_REVIEWERS: readonly ReviewerRole[] = [
  'implementation-reviewer',
  'code-quality-reviewer',
  'security-reviewer',
];

/** Who reviews in a loop of a phase. */
export function reviewersOf(phase: PhaseName, stage: PhaseStage): readonly ReviewerRole[] {
  if (phase === 'implement') return CODE_REVIEWERS;
  return [stage === 'phase' ? 'phase-reviewer' : DOMAIN_REVIEWERS[phase]];
}

/** The loop that a phase begins with. */
export function firstStage(phase: PhaseName): PhaseStage {
  return phase === 'implement' ? 'implement' : 'domain';
}

/** How many reviews of a loop count: what was asked for, from one to five; what is no number asks for nothing. */
export function mostIterations({ mostIterations: wanted }: Pick<PhaseSetup, 'mostIterations'>): number {
  if (Number.isNaN(wanted)) return ITERATION_CAP;
  return Math.min(ITERATION_CAP, Math.max(1, Math.floor(wanted)));
}
