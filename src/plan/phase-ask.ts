import type { Assigned } from '../domain/agent.ts';
import type { Session } from '../domain/dispatch.ts';
import type { LoopTemplate, PhaseRole, Preparation, ReviewerRole, RoleIssue, Seen } from '../domain/phase.ts';
import type { Ask, PhaseState } from '../domain/phase-step.ts';
import { mostIterations } from './phase-roles.ts';

type How = Pick<Ask, 'mode' | 'template' | 'why' | 'session'>;

/** What a reviewer is asked. */
export function reviewerAsk(state: PhaseState, role: ReviewerRole, seen: Seen, how: How): Ask {
  const last = state.roles[role];
  return {
    ...asked(state, role, how),
    delta: how.session === null ? null : { from: how.session.saw, to: seen.snapshot },
    lastIteration: last?.iteration ?? null,
    issues: last?.answer.issues.map((issue) => ({ role, issue })) ?? [],
    fixes: state.fixes.filter(({ round }) => last === undefined || round >= last.round),
    domainOutcome: state.stage === 'phase' ? state.domainOutcome : null,
  };
}

/** What the implementer is asked: the issues of the reviewers that failed in this round. */
export function implementerAsk(state: PhaseState, issues: readonly RoleIssue[], how: How): Ask {
  const { session } = how;
  const now = state.reviewed?.snapshot ?? null;
  return {
    ...asked(state, 'implementer', how),
    delta: session === null || now === null ? null : { from: session.saw, to: now },
    lastIteration: state.resume.implementer?.lastIteration ?? null,
    issues,
  };
}

/** What goes before the reviews of code. */
export function preparationAsk(state: PhaseState, { role, part }: Preparation): Ask {
  const how: How = { mode: 'fresh', template: null, why: 'first-look', session: null };
  return { ...asked(state, role, how), part };
}

/** The prompt for a dispatch of this kind. */
export function templateFor(role: PhaseRole, how: 'fresh' | 'fallback' | 'resumed' | 'final-validation'): LoopTemplate {
  if (role === 'implementer') return how === 'fresh' || how === 'fallback' ? 'I7-fresh' : 'I7-resumed';
  switch (how) {
    case 'fresh':
      return 'I1-R4';
    case 'fallback':
      return 'I3';
    case 'resumed':
      return 'I2';
    case 'final-validation':
      return 'I2-FV';
  }
}

/** Who is asked: whoever keeps the session, if it is one of those that may be. */
export function assignedTo(state: PhaseState, role: PhaseRole): Assigned {
  const assigned = state.setup.assigned[role];
  if (assigned === undefined) throw new Error(`nobody is assigned to the role ${role}`);
  const all = [assigned.agent, ...assigned.others];
  const keeper = sessionOf(state, role)?.agent;
  const agent = keeper !== undefined && all.includes(keeper) ? keeper : assigned.agent;
  return { agent, others: all.filter((one) => one !== agent) };
}

/** The session that is kept for a role. */
export function sessionOf(state: PhaseState, role: PhaseRole): Session | null {
  if (role === 'code-simplifier' || role === 'test-deepener') return null;
  return state.resume[role]?.session ?? null;
}

function asked(state: PhaseState, role: PhaseRole, how: How): Ask {
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
