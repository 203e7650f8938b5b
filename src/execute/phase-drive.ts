import type { Failure } from '../domain/failure.ts';
import type { PhaseRole, ReviewerRole } from '../domain/phase.ts';
import type { PhaseAction, PhaseEvent, PhaseState, PhaseStep, Used } from '../domain/phase-step.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { reviewersOf } from '../plan/phase-roles.ts';
import { stepPhase } from '../plan/phase-step.ts';
import { askRole } from './phase-ask.ts';
import { lookAtPhase } from './phase-look.ts';
import type { Playing } from './phase-play.ts';
import { measure } from './phase-prompts.ts';
import type { PhaseRecorder } from './phase-record.ts';
import { openQueue } from './queue.ts';

/** Does what the steps of a phase say, until it ends or waits for whoever called. */
export async function drivePhase(
  playing: Playing,
  recorder: PhaseRecorder,
  first: PhaseStep,
): Promise<Result<PhaseState>> {
  const { request } = playing;
  const queue = openQueue(request.settings.concurrency);
  const flights = new Set<Promise<Landed>>();
  let { state, actions } = first;
  let round = state.round;
  let trouble: Failure | null = null;
  let stop: PhaseEvent | null = null;
  try {
    for (;;) {
      const recorded = await recorder.record(state, actions);
      if (!recorded.ok) return recorded;
      if (state.position.at === 'ended' || state.position.at === 'waiting') break;
      if (state.round > round) tellRound(playing, state);
      round = state.round;
      for (const action of actions) launch(action);
      const event = await nextEvent();
      ({ state, actions } = stepPhase(state, event));
    }
    return trouble === null ? done(state) : failed(trouble);
  } finally {
    // Nothing that was started is left behind.
    await Promise.allSettled(flights);
  }

  function launch(action: PhaseAction): void {
    const work = workFor(playing, recorder, action);
    if (work === null) return;
    const isQuestion = action.kind === 'dispatch' || action.kind === 'fix' || action.kind === 'prepare';
    const role = isQuestion ? action.ask.role : null;
    const flight: Promise<Landed> = (isQuestion ? queue(work) : work()).then((result) => ({ flight, result, role }));
    flights.add(flight);
  }

  /** What that and all that is still under way used: whoever is stopped has cost something, too. */
  async function usedWith(landed: Landed): Promise<readonly Used[]> {
    const all = [landed, ...(await Promise.all(flights))];
    return all.flatMap(({ result, role }) => usedIn(result, role));
  }

  async function nextEvent(): Promise<PhaseEvent> {
    for (;;) {
      // Somebody who was asked before the budget was used up may still answer.
      if (stop !== null && flights.size === 0) return stop;
      if (flights.size === 0) throw new Error(`nothing is under way in ${state.position.at}`);
      const landed = await Promise.race(flights);
      const { flight, result } = landed;
      flights.delete(flight);
      if (request.stop?.aborted === true) return { kind: 'stop', why: 'interrupted', used: await usedWith(landed) };
      if (!result.ok) {
        trouble = result.failure;
        return { kind: 'stop', why: 'trouble', used: await usedWith(landed) };
      }
      if (result.value.kind !== 'stop') return result.value;
      stop = result.value;
    }
  }
}

/** What a question that has ended used; nothing where it was no question, or could not be put. */
function usedIn(result: Result<PhaseEvent>, role: PhaseRole | null): readonly Used[] {
  if (!result.ok || role === null) return [];
  const { value } = result;
  const isQuestion = value.kind === 'answered' || value.kind === 'dispatch-failed' || value.kind === 'fixed';
  if (!isQuestion || !('promptChars' in value) || value.promptChars === 0) return [];
  return [{ role, promptChars: value.promptChars, usage: value.usage }];
}

type Landed = {
  readonly flight: Promise<Landed>;
  readonly result: Result<PhaseEvent>;
  /** Who was asked; null: nobody. */
  readonly role: PhaseRole | null;
};

/** What an action means; null: there is nothing to do but what was recorded. */
function workFor(
  playing: Playing,
  recorder: PhaseRecorder,
  action: PhaseAction,
): (() => Promise<Result<PhaseEvent>>) | null {
  switch (action.kind) {
    case 'take-snapshot':
      return () => lookAgain(playing);
    case 'measure':
      return async () => done({ kind: 'measured', role: action.ask.role, ...(await measure(playing, action.ask)) });
    case 'dispatch':
    case 'fix':
      return () => askRole(playing, action.ask);
    case 'prepare':
      return async () => {
        const event = await askRole(playing, action.ask);
        if (event.ok && event.value.kind === 'fixed') {
          await recorder.addPreparation(action.ask, event.value.summary);
        }
        return event;
      };
    case 'commit':
      return () => commit(playing, action);
    case 'wait-for-fix':
    case 'record':
    case 'record-fix':
    case 'end':
      return null;
  }
}

async function lookAgain({ ports, request, feature, memory }: Playing): Promise<Result<PhaseEvent>> {
  const sight = await lookAtPhase(ports.snapshots, request, feature.documents, memory.sight.began);
  if (!sight.ok) return sight;
  memory.sight = sight.value;
  return done({ kind: 'snapshot-taken', seen: sight.value.seen, artifact: sight.value.artifact });
}

async function commit(
  { ports, memory }: Playing,
  { paths, message }: Extract<PhaseAction, { kind: 'commit' }>,
): Promise<Result<PhaseEvent>> {
  if (memory.isArtifactGone) return done({ kind: 'nothing-to-commit' });
  const end = await ports.commits.commit(paths, message);
  switch (end.kind) {
    case 'committed':
      ports.reporter.tell({ kind: 'committed', message, files: paths.length, said: null });
      return done({ kind: 'committed', commit: end.commit });
    case 'nothing':
      return done({ kind: 'nothing-to-commit' });
    case 'failed':
      ports.reporter.tell({ kind: 'committed', message, files: paths.length, said: end.said });
      memory.notices.push({ kind: 'commit-failed', message, said: end.said });
      return done({ kind: 'commit-failed' });
  }
}

function tellRound({ ports }: Playing, state: PhaseState): void {
  const { position, setup, stage, counted, isFinalValidation } = state;
  if (position.at !== 'reviewing') return;
  const roles = Object.keys(position.flights) as PhaseRole[];
  const resting = reviewersOf(setup.phase, stage).flatMap((role: ReviewerRole) => {
    const last = state.roles[role];
    return roles.includes(role) || last === undefined ? [] : [{ role, passedAt: last.iteration }];
  });
  const { phase } = setup;
  const most = setup.mostIterations;
  ports.reporter.tell({
    kind: 'round-started',
    ...{ phase, stage, iteration: counted[stage], most, isFinalValidation, roles, resting },
  });
}
