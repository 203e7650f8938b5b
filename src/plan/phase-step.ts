import type { PhaseRole, PhaseSetup, ReviewerRole } from '../domain/phase.ts';
import type { Flight, PhaseAction, PhaseEvent, PhasePosition, PhaseState, PhaseStep } from '../domain/phase-step.ts';
import { ended, takeSnapshot } from './phase-end.ts';
import {
  onCallerFixed,
  onCommit,
  onFixed,
  onFixFailed,
  onFixMeasured,
  onPreparationFailed,
  onPrepared,
  prepare,
  startFix,
  turnOf,
} from './phase-fix.ts';
import { spend } from './phase-flight.ts';
import { firstStage } from './phase-roles.ts';
import {
  isOver,
  lookError,
  onAnswered,
  onMeasured,
  onReviewerFailed,
  type Reviewing,
  unexpected,
} from './phase-round.ts';
import { concludeRound, onConfirmed, onRoundSnapshot, recorded } from './phase-turn.ts';

/** Begins a phase. A rerun does too: no session, status or counter of an earlier one is left. */
export function startPhase(setup: PhaseSetup): PhaseStep {
  const state: PhaseState = {
    setup,
    stage: firstStage(setup.phase),
    position: { at: 'starting' },
    counted: { domain: 0, phase: 0, implement: 0 },
    round: 0,
    isFinalValidation: false,
    roles: {},
    resume: {},
    fixes: [],
    unchangedFixes: 0,
    reviewed: null,
    fixedSince: false,
    disturbances: 0,
    commitFailed: false,
    domainOutcome: null,
  };
  return prepare(state, 0);
}

/** What follows from an event. Whatever still comes in after the end changes nothing. */
export function stepPhase(state: PhaseState, event: PhaseEvent): PhaseStep {
  const { position } = state;
  if (position.at === 'ended') return { state, actions: [] };
  if (event.kind === 'stop') return stopped(state, position, event);
  switch (position.at) {
    case 'starting':
    case 'confirming':
      return onSnapshot(state, position, event);
    case 'reviewing':
      return concluded(whileReviewing(state, position, event));
    case 'fixing':
      if (event.kind === 'measured') return onFixMeasured(state, position, event);
      if (event.kind === 'fixed') return onFixed(state, position, event);
      if (event.kind === 'dispatch-failed') return onFixFailed(state, position, event);
      break;
    case 'waiting':
      if (event.kind === 'fixed') return onCallerFixed(state, event);
      break;
    case 'committing':
      if (event.kind === 'committed' || event.kind === 'nothing-to-commit' || event.kind === 'commit-failed') {
        return onCommit(state, position, event.kind);
      }
      break;
    case 'preparing':
      if (event.kind === 'fixed' && event.by === 'agent') return onPrepared(state, position, event);
      if (event.kind === 'dispatch-failed') return onPreparationFailed(state, position, event);
      break;
  }
  throw unexpected(event.kind, position.at);
}

/**
 * What of a phase is kept on disk: a round that was not recorded has not begun, a question under way was not put, and sessions
 * end with the process unless they are to be kept.
 */
export function restPoint(state: PhaseState): PhaseState {
  const kept: PhaseState = state.setup.keepSessions ? state : { ...state, resume: {} };
  const { position, stage, counted } = kept;
  switch (position.at) {
    case 'reviewing': {
      const count = kept.isFinalValidation ? counted[stage] : counted[stage] - 1;
      return { ...kept, position: { at: 'starting' }, round: kept.round - 1, counted: { ...counted, [stage]: count } };
    }
    case 'fixing':
      return { ...kept, position: { ...position, flight: null, marks: [] } };
    case 'preparing':
      return { ...kept, position: { ...position, flight: null } };
    case 'starting':
    case 'confirming':
    case 'waiting':
    case 'committing':
    case 'ended':
      return kept;
  }
}

/** Goes on from what `restPoint` left. */
export function resumePhase(state: PhaseState): PhaseStep {
  const { position } = state;
  switch (position.at) {
    case 'starting':
    case 'confirming':
      return takeSnapshot(state, position.at);
    case 'fixing':
    case 'waiting':
      return startFix(state, position.issues);
    case 'preparing':
      return prepare(state, position.next);
    case 'committing': {
      const { paths, message } = position;
      return { state, actions: [{ kind: 'commit', paths, message }] };
    }
    case 'ended':
      return { state, actions: [{ kind: 'end', end: position.end }] };
    case 'reviewing':
      throw unexpected('resume', position.at);
  }
}

/** A phase that ended at its cap, taken as it is by whoever called; null: it did not. */
export function acceptNotes(state: PhaseState): PhaseStep | null {
  const { position } = state;
  return position.at === 'ended' && position.end.why === 'cap' ? ended(state, 'accepted-with-notes') : null;
}

function onSnapshot(
  state: PhaseState,
  { at }: Extract<PhasePosition, { at: 'starting' | 'confirming' }>,
  event: PhaseEvent,
): PhaseStep {
  if (event.kind !== 'snapshot-taken') throw unexpected(event.kind, at);
  if (event.artifact !== 'present') return ended(state, `artifact-${event.artifact}`);
  return at === 'starting' ? onRoundSnapshot(state, event.seen) : onConfirmed(state, event.seen);
}

function whileReviewing(state: PhaseState, at: Reviewing, event: PhaseEvent): PhaseStep {
  switch (event.kind) {
    case 'measured':
      return onMeasured(state, at, event);
    case 'answered':
      return onAnswered(state, at, event);
    case 'dispatch-failed':
      return onReviewerFailed(state, at, event);
    default:
      throw unexpected(event.kind, at.at);
  }
}

function concluded(step: PhaseStep): PhaseStep {
  const { position } = step.state;
  if (position.at !== 'reviewing' || !isOver(position)) return step;
  const next = concludeRound(step.state, position);
  return { state: next.state, actions: [...step.actions, ...next.actions] };
}

/** Somebody stops it: what is known by then is recorded, and nothing of it becomes an approval. */
function stopped(
  state: PhaseState,
  position: PhasePosition,
  { why, used = [] }: Extract<PhaseEvent, { kind: 'stop' }>,
): PhaseStep {
  const spentBy = (role: PhaseRole, flight: Flight): Flight => {
    const more = used.find((one) => one.role === role);
    if (more === undefined || flight.kind !== 'asked') return flight;
    return { ...flight, spent: spend(flight.spent, { ...more, freshChars: 0 }) };
  };
  if (position.at === 'fixing') {
    const { round } = state;
    const flight = position.flight === null ? null : spentBy('implementer', position.flight);
    const turn = flight?.kind === 'asked' && flight.spent.asks > 0 ? turnOf(flight, flight.spent) : null;
    const record: PhaseAction = { kind: 'record-fix', round, summary: null, marks: position.marks, turn };
    const end = ended(state, why);
    return { state: end.state, actions: [record, ...end.actions] };
  }
  if (position.at !== 'reviewing') return ended(state, why);
  const flights = Object.entries(position.flights) as [ReviewerRole, Flight][];
  const left = flights.map(([role, flight]) => lookError(role, spentBy(role, flight), { kind: 'stopped', by: why }));
  const known = recorded(state, position, [...position.errors, ...left]);
  const end = ended(known.state, why);
  return { state: end.state, actions: [known.record, ...end.actions] };
}
