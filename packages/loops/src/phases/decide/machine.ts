import type { ReviewerRole } from '@onceover/base/kernel/review-loops';
import type { CallEnd, PhaseEvent, PhasePosition, PhaseState, PhaseStep } from '../state.ts';
import type { PhaseSetup, RoleReviewError, SeenContent } from '../types.ts';
import {
  after,
  callMarks,
  type EventOf,
  failedCall,
  onCallFailed,
  onMeasured,
  type PositionAt,
  unexpected,
  unsentCall,
} from './calls.ts';
import { endPhase, snapshotAction } from './end.ts';
import { onCommit, onFixed, onPrepared, prepare, recordFix, startFix } from './fix.ts';
import { stagesOf } from './roles.ts';
import { concludeRound, onAnswered, onConfirmed, onRoundSnapshot, recordRound } from './round.ts';

/** Returns the first step of a new phase, without sessions, verdicts or counters of an earlier run. */
export function beginPhase(setup: PhaseSetup): PhaseStep {
  const state: PhaseState = {
    setup,
    stage: stagesOf(setup.phase)[0],
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

type Handler<At extends PhasePosition['at'], Kind extends PhaseEvent['kind']> = (
  state: PhaseState,
  position: PositionAt<At>,
  event: EventOf<Kind>,
) => PhaseStep;

/** For each position of the state, the events that can occur there. Each has a function that returns the next step. */
const TRANSITIONS: {
  readonly [At in PhasePosition['at']]: { readonly [Kind in PhaseEvent['kind']]?: Handler<At, Kind> };
} = {
  starting: { 'snapshot-taken': (state, _, event) => onSnapshot(state, event, onRoundSnapshot) },
  confirming: { 'snapshot-taken': (state, _, event) => onSnapshot(state, event, onConfirmed) },
  reviewing: {
    measured: (state, _, event) => onMeasured(state, event),
    answered: (state, position, event) => concludeRound(onAnswered(state, position, event)),
    'call-failed': (state, _, event) => concludeRound(onCallFailed(state, event)),
  },
  fixing: {
    measured: (state, _, event) => onMeasured(state, event),
    fixed: onFixed,
    'call-failed': (state, _, event) => onCallFailed(state, event),
  },
  waiting: { fixed: (state, _, event) => recordFix(state, event, { marks: [], turn: null }) },
  committing: { 'commit-ended': onCommit },
  preparing: { fixed: onPrepared, 'call-failed': (state, _, event) => onCallFailed(state, event) },
  ended: {},
};

/** Returns the new state and the next actions after an event. Events after the end of the phase change nothing. */
export function stepPhase(state: PhaseState, event: PhaseEvent): PhaseStep {
  const { position } = state;
  if (position.at === 'ended') return { state, actions: [] };
  if (event.kind === 'stop') return stopPhase(state, event);
  // TypeScript cannot infer that this handler accepts this position and this event, so cast.
  const handle = TRANSITIONS[position.at][event.kind] as
    | ((state: PhaseState, position: PhasePosition, event: PhaseEvent) => PhaseStep)
    | undefined;
  if (handle === undefined) throw unexpected(event.kind, position.at);
  return handle(state, position, event);
}

function onSnapshot(
  state: PhaseState,
  { artifact, seen }: EventOf<'snapshot-taken'>,
  next: (state: PhaseState, seen: SeenContent) => PhaseStep,
): PhaseStep {
  return artifact === 'present' ? next(state, seen) : endPhase(state, `artifact-${artifact}`);
}

/**
 * Returns the state to store: without the unfinished round and its calls, and without sessions that must not be stored.
 */
export function checkpoint(state: PhaseState): PhaseState {
  const keepsSessions = state.setup.keepSessions && state.position.at !== 'ended';
  const storedState: PhaseState = keepsSessions ? state : { ...state, resume: {} };
  const { position, stage, counted } = storedState;
  switch (position.at) {
    case 'reviewing': {
      const count = storedState.isFinalValidation ? counted[stage] : counted[stage] - 1;
      return {
        ...storedState,
        position: { at: 'starting' },
        round: storedState.round - 1,
        counted: { ...counted, [stage]: count },
      };
    }
    case 'fixing':
    case 'preparing':
      return { ...storedState, position: { ...position, flights: {}, marks: [] } };
    default:
      return storedState;
  }
}

/** Returns the first step of a command that continues a stored phase (see `checkpoint`). */
export function resumePhase(state: PhaseState): PhaseStep {
  const { position } = state;
  switch (position.at) {
    case 'starting':
    case 'confirming':
      return snapshotAction(state, position.at);
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

/** Accepts the open issues of a phase that ended at the limit of reviews. Returns null if it did not end there. */
export function acceptNotes(state: PhaseState): PhaseStep | null {
  const { position } = state;
  return position.at === 'ended' && position.end.why === 'cap' ? endPhase(state, 'accepted-with-notes') : null;
}

/** Ends a phase early. The verdicts so far are recorded. Even if all of them are passes, the phase is not approved. */
function stopPhase(state: PhaseState, { why, calls = [] }: EventOf<'stop'>): PhaseStep {
  const { position } = state;
  if (!('flights' in position)) return endPhase(state, why);
  const callEnds = Object.values(position.flights).map(({ ask }): CallEnd => {
    const callEnd = calls.find(({ role }) => role === ask.role);
    return callEnd ?? { role: ask.role, call: unsentCall(ask), fellBack: null };
  });
  if (position.at !== 'reviewing') {
    const [call] = callEnds;
    const end = endPhase(state, why);
    return call === undefined ? end : after(failedCall(state, position, call), end);
  }
  const errors = callEnds.map(({ role, call }): RoleReviewError => {
    return { role: role as ReviewerRole, ...call, failure: { kind: 'stopped', by: why } };
  });
  const marks = [...position.marks, ...callEnds.flatMap((call) => callMarks(state, call))];
  const roundStep = recordRound(state, { ...position, marks }, [...position.errors, ...errors]);
  return after(roundStep.record, endPhase(roundStep.state, why));
}
