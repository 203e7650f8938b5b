import type { AgentFailure } from '../../kernel/agent.ts';
import type { PhaseRole, ReviewerRole, Spent } from '../../kernel/review-loops.ts';
import type { Ask, PendingDispatch, PhaseAction, PhaseEvent, PhasePosition, PhaseState, PhaseStep } from '../state.ts';
import type { FixTurn, RoleReviewError, SeenContent } from '../types.ts';
import {
  afterFailure,
  keptAfter,
  NOTHING_SPENT,
  type StartedDispatch,
  settleDispatch,
  startLoopDispatch,
} from './dispatch.ts';
import { endPhase } from './end.ts';
import { implementerAsk, reviewerAsk } from './questions.ts';

export type PositionAt<At extends PhasePosition['at']> = Extract<PhasePosition, { at: At }>;

export type EventOf<Kind extends PhaseEvent['kind']> = Extract<PhaseEvent, { kind: Kind }>;

type Asked = Extract<PendingDispatch, { kind: 'asked' }>;

/** Starts a call to a role: at once if there is no session, else by measuring the resumed prompt first. */
export function startCall(state: PhaseState, role: PhaseRole): PhaseStep {
  return withCall(
    state,
    startLoopDispatch(state, role, (how) => askFor(state, role, how)),
  );
}

/** Chooses between a new and a resumed session, now that the length of the resumed prompt is known. */
export function onMeasured(state: PhaseState, event: EventOf<'measured'>): PhaseStep {
  const { position } = state;
  const { role } = event;
  if (callOf(position, role)?.kind !== 'measuring') throw unexpected(event.kind, role);
  const changed =
    position.at !== 'reviewing' || state.roles[role as ReviewerRole]?.seen.content !== position.seen.content;
  const make = (how: How) => askFor(state, role, how);
  return withCall(state, settleDispatch(state, role, { measured: event, changed, make }));
}

/** Retries a failed call, or gives up on it. */
export function onCallFailed(state: PhaseState, event: EventOf<'dispatch-failed'>): PhaseStep {
  const flight = askedCall(state.position, event.role, event.kind);
  const next = afterFailure(flight, event);
  return 'flight' in next ? withCall(state, next) : giveUp(state, { ...flight, spent: next.spent }, next.failure);
}

function giveUp(state: PhaseState, flight: Asked, failure: AgentFailure): PhaseStep {
  const { position } = state;
  if (position.at === 'reviewing') {
    const errors = [...position.errors, reviewError(flight, failure)];
    const flights = withoutKey(position.flights, flight.ask.role);
    return { state: { ...state, position: { ...position, flights, errors } }, actions: [] };
  }
  if (position.at !== 'fixing') return endPhase(state, 'preparation-failed', { failure });
  const turn = turnOf(flight, flight.spent);
  const { marks } = position;
  return after(
    { kind: 'record-fix', round: state.round, summary: null, marks, turn },
    endPhase(state, 'fixer-failed', { failure }),
  );
}

/** Returns the call that an event answers. Throws if there is none, which is a bug of the driver. */
export function askedCall(position: PhasePosition, role: PhaseRole, event: string): Asked {
  const flight = callOf(position, role);
  if (flight?.kind !== 'asked') throw unexpected(event, role);
  return flight;
}

function callOf(position: PhasePosition, role: PhaseRole): PendingDispatch | null {
  if (position.at === 'reviewing') return position.flights[role as ReviewerRole] ?? null;
  return position.at === 'fixing' || position.at === 'preparing' ? position.flight : null;
}

/** Stores a call in the current position, and returns the action that makes it. */
export function withCall(state: PhaseState, { flight, marks }: StartedDispatch): PhaseStep {
  const { position } = state;
  const { ask } = flight;
  const step = (next: PhasePosition, kind: 'dispatch' | 'fix' | 'prepare'): PhaseStep => ({
    state: { ...state, position: next },
    actions: [{ kind: flight.kind === 'measuring' ? 'measure' : kind, ask }],
  });
  switch (position.at) {
    case 'reviewing': {
      const flights = { ...position.flights, [ask.role]: flight };
      return step({ ...position, flights, marks: [...position.marks, ...marks] }, 'dispatch');
    }
    case 'fixing':
      return step({ ...position, flight, marks: [...position.marks, ...marks] }, 'fix');
    case 'preparing':
      return step({ ...position, flight }, 'prepare');
    default:
      throw unexpected('a call', position.at);
  }
}

type How = Pick<Ask, 'mode' | 'template' | 'why' | 'session'>;

function askFor(state: PhaseState, role: PhaseRole, how: How): Ask {
  const { position } = state;
  if (position.at === 'fixing') return implementerAsk(state, position.issues, how);
  if (position.at === 'reviewing') return reviewerAsk(state, role as ReviewerRole, position.seen, how);
  throw unexpected('a call', position.at);
}

/** Returns the state with the session of an answered call, or without one if the agent reported none. */
export function keepSession(
  state: PhaseState,
  flight: Asked,
  event: Parameters<typeof keptAfter>[1],
  snapshot: SeenContent['snapshot'],
): PhaseState {
  const kept = keptAfter(flight, event, { snapshot, iteration: state.counted[state.stage] });
  const others = withoutKey(state.resume, flight.ask.role);
  return { ...state, resume: kept === null ? others : { ...others, [flight.ask.role]: kept } };
}

/** Returns the record entry of a reviewer that gives no verdict in this round. */
export function reviewError(flight: PendingDispatch, why: RoleReviewError['why']): RoleReviewError {
  const { role, agent, template, why: dispatch } = flight.ask;
  const spent = flight.kind === 'asked' ? flight.spent : NOTHING_SPENT;
  return { role: role as ReviewerRole, agent, template: template ?? 'I1-R4', dispatch, why, spent };
}

export function turnOf({ ask }: PendingDispatch, spent: Spent): FixTurn {
  return { agent: ask.agent, template: ask.template ?? 'I7-fresh', why: ask.why, spent };
}

/** Returns a step with one more action before the others. */
export function after(first: PhaseAction, { state, actions }: PhaseStep): PhaseStep {
  return { state, actions: [first, ...actions] };
}

export function withoutKey<T extends object>(all: T, key: string): T {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== key)) as T;
}

/** An event that does not fit the position is a bug of the driver. */
export function unexpected(event: string, at: string): Error {
  return new Error(`the event ${event} does not fit ${at}`);
}
