import type { LookError, PhaseMark, ReviewerRole, Seen } from '../domain/phase.ts';
import type { Flight, PhaseAction, PhaseEvent, PhasePosition, PhaseState, PhaseStep } from '../domain/phase-step.ts';
import { reviewerAsk } from './phase-ask.ts';
import { afterFailure, keptAfter, type Launched, launch, NOTHING, readMarks, settle, spend } from './phase-flight.ts';
import { reviewersOf } from './phase-roles.ts';
import { isPass } from './phase-verdict.ts';

export type Reviewing = Extract<PhasePosition, { at: 'reviewing' }>;
type EventOf<Kind extends PhaseEvent['kind']> = Extract<PhaseEvent, { kind: Kind }>;

/** Begins a round on what is there now; final validation is not counted. */
export function openRound(before: PhaseState, seen: Seen): PhaseStep {
  const { stage, counted } = before;
  const count = before.isFinalValidation ? counted[stage] : counted[stage] + 1;
  const state: PhaseState = { ...before, round: before.round + 1, counted: { ...counted, [stage]: count } };
  const position: Reviewing = { at: 'reviewing', seen, flights: {}, looks: [], errors: [], marks: [] };
  return dueRoles(state, seen).reduce<PhaseStep>(
    (step, role) => {
      const launched = launch(state, role, (how) => reviewerAsk(state, role, seen, how));
      return { state: inFlight(step.state, role, launched), actions: [...step.actions, actionOf(launched.flight)] };
    },
    { state: { ...state, position }, actions: [] },
  );
}

/** Who looks in this round: whoever has not passed; in final validation everybody, or whose last look is older than the code. */
function dueRoles({ setup, stage, roles, isFinalValidation }: PhaseState, seen: Seen): readonly ReviewerRole[] {
  const all = reviewersOf(setup.phase, stage);
  if (stage !== 'implement') return all;
  if (!isFinalValidation) return all.filter((role) => roles[role]?.status !== 'passed');
  return setup.finalValidation === 'all' ? all : all.filter((role) => roles[role]?.seen.content !== seen.content);
}

/** It is known what a resumed prompt would be. */
export function onMeasured(state: PhaseState, at: Reviewing, event: EventOf<'measured'>): PhaseStep {
  const role = event.role as ReviewerRole;
  if (at.flights[role]?.kind !== 'measuring') throw unexpected(event.kind, role);
  const launched = settle(state, role, {
    measured: event,
    changed: state.roles[role]?.seen.content !== at.seen.content,
    make: (how) => reviewerAsk(state, role, at.seen, how),
  });
  return { state: inFlight(state, role, launched), actions: [actionOf(launched.flight)] };
}

/** A reviewer answered: its session is kept, its word counts once the round is over. */
export function onAnswered(state: PhaseState, at: Reviewing, event: EventOf<'answered'>): PhaseStep {
  const { role, answer } = event;
  const flight = at.flights[role];
  if (flight?.kind !== 'asked') throw unexpected(event.kind, role);
  const { ask } = flight;
  const look = {
    role,
    agent: ask.agent,
    template: ask.template ?? 'I1-R4',
    why: ask.why,
    answer,
    reviewerApproved: answer.approved,
    enginePass: isPass(answer),
    spent: spend(flight.spent, event),
  };
  const kept = keptAfter(flight, event, { snapshot: at.seen.snapshot, iteration: state.counted[state.stage] });
  const { [role]: _, ...others } = state.resume;
  const position: Reviewing = {
    ...at,
    flights: without(at.flights, role),
    looks: [...at.looks, look],
    marks: [...at.marks, ...readMarks(flight, event)],
  };
  return { state: { ...state, position, resume: kept === null ? others : { ...others, [role]: kept } }, actions: [] };
}

/** A reviewer failed: it is asked once more, or gives no verdict in this round. */
export function onReviewerFailed(state: PhaseState, at: Reviewing, event: EventOf<'dispatch-failed'>): PhaseStep {
  const role = event.role as ReviewerRole;
  const flight = at.flights[role];
  if (flight?.kind !== 'asked') throw unexpected(event.kind, role);
  const next = afterFailure(flight, event);
  if ('flight' in next) return { state: inFlight(state, role, next), actions: [actionOf(next.flight)] };
  const position: Reviewing = {
    ...at,
    flights: without(at.flights, role),
    errors: [...at.errors, lookError(role, { ...flight, spent: next.spent }, next.failure)],
  };
  return { state: { ...state, position }, actions: [] };
}

/** A reviewer that gives no verdict in this round. */
export function lookError(role: ReviewerRole, flight: Flight, why: LookError['why']): LookError {
  const { ask } = flight;
  const spent = flight.kind === 'asked' ? flight.spent : NOTHING;
  return { role, agent: ask.agent, template: ask.template ?? 'I1-R4', dispatch: ask.why, why, spent };
}

/** Whether every reviewer of the round has answered or failed for good. */
export function isOver({ flights }: Reviewing): boolean {
  return Object.keys(flights).length === 0;
}

/** An event that does not fit is a bug of whoever drives the loop. */
export function unexpected(event: string, at: string): Error {
  return new Error(`the event ${event} does not fit ${at}`);
}

function inFlight(state: PhaseState, role: ReviewerRole, { flight, marks }: Launched): PhaseState {
  const { position } = state;
  if (position.at !== 'reviewing') throw unexpected('launch', position.at);
  const all: readonly PhaseMark[] = [...position.marks, ...marks];
  return { ...state, position: { ...position, flights: { ...position.flights, [role]: flight }, marks: all } };
}

function without(flights: Reviewing['flights'], role: ReviewerRole): Reviewing['flights'] {
  const { [role]: _, ...others } = flights;
  return others;
}

function actionOf(flight: Flight): PhaseAction {
  return { kind: flight.kind === 'measuring' ? 'measure' : 'dispatch', ask: flight.ask };
}
