import type { Assigned } from '@onceover/base/kernel/agent';
import {
  type DocumentPhase,
  ITERATION_CAP,
  type PhaseName,
  type PhaseRole,
  type PhaseStage,
  type Preparation,
  type ReviewerRole,
} from '@onceover/base/kernel/review-loops';
import type { LoopSession, PhaseState } from '../state.ts';
import type { PhaseSetup } from '../types.ts';

const DOMAIN_REVIEWERS: Readonly<Record<DocumentPhase, ReviewerRole>> = {
  specify: 'spec-reviewer',
  design: 'design-reviewer',
  'create-plan': 'plan-reviewer',
  'create-tasks': 'task-reviewer',
};

/** Returns the review loops that a phase goes through, in their order. */
export function stagesOf(phase: PhaseName): readonly [PhaseStage, ...PhaseStage[]] {
  return phase === 'implement' ? ['implement'] : ['domain', 'phase'];
}

export function reviewersOfStage(phase: PhaseName, stage: PhaseStage): readonly ReviewerRole[] {
  if (phase === 'implement') return ['implementation-reviewer', 'code-quality-reviewer', 'security-reviewer'];
  return [stage === 'phase' ? 'phase-reviewer' : DOMAIN_REVIEWERS[phase]];
}

/**
 * Whether the size limit of the prompt for a resumed session also counts the files that the role has to read. `auto`
 * counts them if the prompt names files instead of showing them, because such a prompt is always short.
 */
export function countsFiles(guard: 'auto' | 'prompt' | 'effective', role: PhaseRole): boolean {
  if (guard !== 'auto') return guard === 'effective';
  return !Object.values<PhaseRole>(DOMAIN_REVIEWERS).includes(role);
}

/** Returns the roles of a phase: its reviewers, the implementer, and the roles that run before the reviews. */
export function rolesOf(phase: PhaseName, preparations: readonly Preparation[]): readonly PhaseRole[] {
  const reviewers = stagesOf(phase).flatMap((stage) => reviewersOfStage(phase, stage));
  return [...new Set<PhaseRole>([...reviewers, 'implementer', ...preparations.map(({ role }) => role)])];
}

/**
 * Returns the limit of reviews per loop, from 1 to 5. `NaN` counts as 5, because a limit of `NaN` would never be
 * reached.
 */
export function mostIterations({ mostIterations: limit }: Pick<PhaseSetup, 'mostIterations'>): number {
  if (Number.isNaN(limit)) return ITERATION_CAP;
  return Math.min(ITERATION_CAP, Math.max(1, Math.floor(limit)));
}

/**
 * Returns the agents for a role. The agent that has the role's session comes first, if it is still assigned to the
 * role.
 */
export function agentFor(state: PhaseState, role: PhaseRole): Assigned {
  const assignment = state.setup.assigned[role];
  if (assignment === undefined) throw new Error(`no agent is assigned to the role ${role}`);
  const agents = [assignment.agent, ...assignment.others];
  const holder = sessionOf(state, role)?.agent;
  const agent = holder !== undefined && agents.includes(holder) ? holder : assignment.agent;
  return { agent, others: agents.filter((candidate) => candidate !== agent) };
}

/** Returns the session of a role; null if it has none. The steps before the reviews never have a session. */
export function sessionOf(state: PhaseState, role: PhaseRole): LoopSession | null {
  return state.resume[role]?.session ?? null;
}
