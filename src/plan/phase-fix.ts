import type { FixNote, FixTurn, PhaseMark, Preparation, RoleIssue, Spent } from '../domain/phase.ts';
import type {
  Flight,
  PhaseAction,
  PhaseEvent,
  PhasePosition,
  PhaseState,
  PhaseStep,
  Replied,
} from '../domain/phase-step.ts';
import { committedPaths, forbiddenEdits } from './fixer-edits.ts';
import { implementerAsk, preparationAsk } from './phase-ask.ts';
import { ended, takeSnapshot } from './phase-end.ts';
import { afterFailure, flying, keptAfter, launch, readMarks, settle, spend } from './phase-flight.ts';
import { unexpected } from './phase-round.ts';

type Fixing = Extract<PhasePosition, { at: 'fixing' }>;
type Preparing = Extract<PhasePosition, { at: 'preparing' }>;
type Committing = Extract<PhasePosition, { at: 'committing' }>;
type EventOf<Kind extends PhaseEvent['kind']> = Extract<PhaseEvent, { kind: Kind }>;

/** Has the issues of a round mended: by the fixer, or by whoever called. */
export function startFix(state: PhaseState, issues: readonly RoleIssue[]): PhaseStep {
  if (state.setup.fixing === 'caller') {
    return {
      state: { ...state, position: { at: 'waiting', issues } },
      actions: [{ kind: 'wait-for-fix', issues }],
    };
  }
  const { flight, marks } = launch(state, 'implementer', (how) => implementerAsk(state, issues, how));
  return { state: { ...state, position: { at: 'fixing', issues, flight, marks } }, actions: [fixAction(flight)] };
}

/** It is known what the resumed prompt of the implementer would be. */
export function onFixMeasured(state: PhaseState, at: Fixing, event: EventOf<'measured'>): PhaseStep {
  if (at.flight?.kind !== 'measuring') throw unexpected(event.kind, 'fixing');
  const make = (how: Parameters<typeof implementerAsk>[2]) => implementerAsk(state, at.issues, how);
  const { flight, marks } = settle(state, 'implementer', { measured: event, changed: true, make });
  const position: Fixing = { ...at, flight, marks: [...at.marks, ...marks] };
  return { state: { ...state, position }, actions: [fixAction(flight)] };
}

/** The fixer says that it is done; whether that helped, the next look tells. */
export function onFixed(state: PhaseState, at: Fixing, event: EventOf<'fixed'>): PhaseStep {
  const { flight } = at;
  if (flight?.kind !== 'asked' || event.by !== 'agent') throw unexpected(event.kind, 'fixing');
  const saw = state.reviewed?.snapshot;
  if (saw === undefined) throw unexpected(event.kind, 'a phase without a review');
  const kept = keptAfter(flight, event, { snapshot: saw, iteration: state.counted[state.stage] });
  const { implementer: _, ...others } = state.resume;
  const resume = kept === null ? others : { ...others, implementer: kept };
  const marks = [...at.marks, ...readMarks(flight, event)];
  return mended({ ...state, resume }, event, marks, flight);
}

/** Whoever called says that it is done. */
export function onCallerFixed(state: PhaseState, event: EventOf<'fixed'>): PhaseStep {
  return mended(state, event, [], null);
}

function mended(
  state: PhaseState,
  event: EventOf<'fixed'>,
  marks: readonly PhaseMark[],
  flight: Extract<Flight, { kind: 'asked' }> | null,
): PhaseStep {
  const { round, stage, setup } = state;
  const { summary, changedPaths } = event;
  const iteration = state.counted[stage];
  const note: FixNote = { round, iteration, summary };
  const turn = flight === null || event.by !== 'agent' ? null : turnOf(flight, spend(flight.spent, event));
  const record: PhaseAction = { kind: 'record-fix', round, summary, marks, turn };
  const fixed: PhaseState = { ...state, fixes: [...state.fixes, note], fixedSince: true };
  // Whoever called may be at work elsewhere too; what they change there is not committed, and that is all.
  const forbidden = event.by === 'agent' ? forbiddenEdits(changedPaths, setup.edits) : [];
  const message = `onceover: ${setup.phase} review iteration ${iteration}${setup.phase === 'implement' ? ' fixes' : ''}`;
  const next =
    forbidden.length > 0
      ? ended(fixed, 'forbidden-edit', { paths: forbidden })
      : commit(fixed, changedPaths, { message, before: 'round', next: 0 });
  return { state: next.state, actions: [record, ...next.actions] };
}

function commit(
  state: PhaseState,
  changed: EventOf<'fixed'>['changedPaths'],
  after: Pick<Committing, 'message' | 'before' | 'next'>,
): PhaseStep {
  const paths = committedPaths(changed, state.setup.edits);
  if (!state.setup.commits || paths.length === 0) return goOn(state, after);
  const position: Committing = { at: 'committing', paths, ...after };
  return { state: { ...state, position }, actions: [{ kind: 'commit', paths, message: after.message }] };
}

/** What follows a commit, and one that failed: deltas come from snapshots, but the next look is fresh. */
export function onCommit(state: PhaseState, at: Committing, event: PhaseEvent['kind']): PhaseStep {
  return goOn(event === 'commit-failed' ? { ...state, commitFailed: true } : state, at);
}

function goOn(state: PhaseState, { before, next }: Pick<Committing, 'before' | 'next'>): PhaseStep {
  return before === 'preparation' ? prepare(state, next) : takeSnapshot(state, 'starting');
}

/** The fixer failed: once more, or the phase ends with what is open. */
export function onFixFailed(state: PhaseState, at: Fixing, event: EventOf<'dispatch-failed'>): PhaseStep {
  if (at.flight?.kind !== 'asked') throw unexpected(event.kind, 'fixing');
  const next = afterFailure(at.flight, event);
  if ('flight' in next) {
    const position: Fixing = { ...at, flight: next.flight, marks: [...at.marks, ...next.marks] };
    return { state: { ...state, position }, actions: [fixAction(next.flight)] };
  }
  const { round } = state;
  const turn = turnOf(at.flight, next.spent);
  const record: PhaseAction = { kind: 'record-fix', round, summary: null, marks: at.marks, turn };
  const end = ended(state, 'fixer-failed', { failure: next.failure });
  return { state: end.state, actions: [record, ...end.actions] };
}

/** The next thing that goes before the reviews, or the reviews. */
export function prepare(state: PhaseState, next: number): PhaseStep {
  const preparation = state.setup.preparations[next];
  if (state.setup.phase !== 'implement' || preparation === undefined) return takeSnapshot(state, 'starting');
  const flight = flying(preparationAsk(state, preparation), []);
  const action: PhaseAction = { kind: 'prepare', ask: flight.ask, preparation };
  return { state: { ...state, position: { at: 'preparing', next, flight } }, actions: [action] };
}

/** A preparation is done: its changes are committed under its name. */
export function onPrepared(state: PhaseState, at: Preparing, event: EventOf<'fixed'> & Replied): PhaseStep {
  const preparation = preparationAt(state, at);
  const forbidden = forbiddenEdits(event.changedPaths, state.setup.edits);
  if (forbidden.length > 0) return ended(state, 'forbidden-edit', { paths: forbidden });
  const name = preparation.part === null ? preparation.role : `${preparation.role} ${preparation.part}`;
  const message = `onceover: ${state.setup.phase} ${name}`;
  return commit(state, event.changedPaths, { message, before: 'preparation', next: at.next + 1 });
}

/** A preparation failed: once more for an answer that can be read, or the phase ends before any review. */
export function onPreparationFailed(state: PhaseState, at: Preparing, event: EventOf<'dispatch-failed'>): PhaseStep {
  if (at.flight?.kind !== 'asked') throw unexpected(event.kind, 'preparing');
  const next = afterFailure(at.flight, event);
  if (!('flight' in next)) return ended(state, 'preparation-failed', { failure: next.failure });
  const action: PhaseAction = { kind: 'prepare', ask: next.flight.ask, preparation: preparationAt(state, at) };
  return { state: { ...state, position: { ...at, flight: next.flight } }, actions: [action] };
}

function preparationAt({ setup }: PhaseState, { next }: Preparing): Preparation {
  const preparation = setup.preparations[next];
  if (preparation === undefined) throw unexpected('prepared', 'the end of the preparations');
  return preparation;
}

export function turnOf({ ask }: Flight, spent: Spent): FixTurn {
  return { agent: ask.agent, template: ask.template ?? 'I7-fresh', why: ask.why, spent };
}

function fixAction(flight: Flight): PhaseAction {
  return { kind: flight.kind === 'measuring' ? 'measure' : 'fix', ask: flight.ask };
}
