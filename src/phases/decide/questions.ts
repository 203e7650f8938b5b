import type { Assigned, Session } from '../../kernel/agent.ts';
import {
  type DocumentPhase,
  ITERATION_CAP,
  type LoopTemplate,
  type PhaseName,
  type PhaseRole,
  type PhaseStage,
  type Preparation,
  type ReviewerRole,
} from '../../kernel/review-loops.ts';
import type { Ask, PhaseState } from '../state.ts';
import type { PhaseSetup, RoleIssue, SeenContent } from '../types.ts';

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

/** Returns the reviewers of a loop. */
export function reviewersOfStage(phase: PhaseName, stage: PhaseStage): readonly ReviewerRole[] {
  if (phase === 'implement') return CODE_REVIEWERS;
  return [stage === 'phase' ? 'phase-reviewer' : DOMAIN_REVIEWERS[phase]];
}

/** Returns the first loop of a phase. */
export function firstStage(phase: PhaseName): PhaseStage {
  return phase === 'implement' ? 'implement' : 'domain';
}

/** Returns the cap on reviews per loop, between one and five. NaN would never be reached, so it means five. */
export function mostIterations({ mostIterations: requested }: Pick<PhaseSetup, 'mostIterations'>): number {
  if (Number.isNaN(requested)) return ITERATION_CAP;
  return Math.min(ITERATION_CAP, Math.max(1, Math.floor(requested)));
}

type How = Pick<Ask, 'mode' | 'template' | 'why' | 'session'>;

/** Returns the question for a reviewer. */
export function reviewerAsk(state: PhaseState, role: ReviewerRole, seen: SeenContent, how: How): Ask {
  const last = state.roles[role];
  return {
    ...question(state, role, how),
    delta: how.session === null ? null : { from: how.session.saw, to: seen.snapshot },
    lastIteration: last?.iteration ?? null,
    issues: last?.answer.issues.map((issue) => ({ role, issue })) ?? [],
    fixes: state.fixes.filter(({ round }) => last === undefined || round >= last.round),
    domainOutcome: state.stage === 'phase' ? state.domainOutcome : null,
  };
}

/** Returns the question for the implementer: fix the issues of this round. */
export function implementerAsk(state: PhaseState, issues: readonly RoleIssue[], how: How): Ask {
  const { session } = how;
  const now = state.reviewed?.snapshot ?? null;
  return {
    ...question(state, 'implementer', how),
    delta: session === null || now === null ? null : { from: session.saw, to: now },
    lastIteration: state.resume.implementer?.lastIteration ?? null,
    issues,
  };
}

/** Returns the question for a preparation. */
export function preparationAsk(state: PhaseState, { role, part }: Preparation): Ask {
  const how: How = { mode: 'fresh', template: null, why: 'first-look', session: null };
  return { ...question(state, role, how), part };
}

/** Returns the prompt template for a call of this kind. */
export function templateFor(role: PhaseRole, how: keyof typeof TEMPLATES): LoopTemplate {
  if (role === 'implementer') return how === 'fresh' || how === 'fallback' ? 'I7-fresh' : 'I7-resumed';
  return TEMPLATES[how];
}

const TEMPLATES = { fresh: 'I1-R4', fallback: 'I3', resumed: 'I2', 'final-validation': 'I2-FV' } as const;

/** Returns the agents for a role. The agent that holds the session comes first, if it is still assigned. */
export function assignedTo(state: PhaseState, role: PhaseRole): Assigned {
  const assigned = state.setup.assigned[role];
  if (assigned === undefined) throw new Error(`no agent is assigned to the role ${role}`);
  const all = [assigned.agent, ...assigned.others];
  const holder = sessionOf(state, role)?.agent;
  const agent = holder !== undefined && all.includes(holder) ? holder : assigned.agent;
  return { agent, others: all.filter((one) => one !== agent) };
}

/** Returns the session of a role; preparations never have one. */
export function sessionOf(state: PhaseState, role: PhaseRole): Session | null {
  if (role === 'code-simplifier' || role === 'test-deepener') return null;
  return state.resume[role]?.session ?? null;
}

function question(state: PhaseState, role: PhaseRole, how: How): Ask {
  return {
    role,
    part: null,
    agent: assignedTo(state, role).agent,
    ...how,
    iteration: state.counted[state.stage],
    most: mostIterations(state.setup),
    isFinalValidation: state.isFinalValidation,
    delta: null,
    lastIteration: null,
    issues: [],
    fixes: [],
    domainOutcome: null,
    because: null,
  };
}
