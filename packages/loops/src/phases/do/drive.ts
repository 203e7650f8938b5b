import { openQueue } from '@onceover/agents/dispatch/limits';
import type { Failure } from '@onceover/base/kernel/failure';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { PhaseRole } from '@onceover/base/kernel/review-loops';
import { stepPhase } from '../decide/machine.ts';
import { skippedReviewers } from '../decide/round.ts';
import { readSubject } from '../read/subject.ts';
import type { PhaseRecorder } from '../record/recorder.ts';
import type { CallEnd, PhaseAction, PhaseEvent, PhaseState, PhaseStep } from '../state.ts';
import type { StopReason } from '../types.ts';
import { askRole } from './ask.ts';
import { measurePrompt } from './build-prompt.ts';
import type { PhaseContext } from './context.ts';

/** Performs the actions that the state machine returns, until the phase ends or waits for the caller to fix issues. */
export async function drivePhase(
  playing: PhaseContext,
  recorder: PhaseRecorder,
  first: PhaseStep,
): Promise<Result<PhaseState>> {
  const { request } = playing;
  const queue = openQueue(request.settings.concurrency);
  const flights = new Set<Promise<Landed>>();
  let { state, actions } = first;
  let round = state.round;
  let trouble: Failure | null = null;
  let stop: Extract<PhaseEvent, { kind: 'stop' }> | null = null;
  try {
    for (;;) {
      const recordResult = await recorder.record(state, actions);
      if (!recordResult.ok) return recordResult;
      if (state.position.at === 'ended' || state.position.at === 'waiting') break;
      if (state.round > round) describeRound(playing, state);
      round = state.round;
      for (const action of actions) launch(action);
      const event = await nextEvent();
      ({ state, actions } = stepPhase(state, event));
    }
    return trouble === null ? ok(state) : err(trouble);
  } finally {
    // Wait for all calls to agents, because none may still run after the phase has ended.
    await Promise.allSettled(flights);
  }

  function launch(action: PhaseAction): void {
    const work = workFor(playing, action);
    if (work === null) return;
    const isQuestion = action.kind === 'dispatch' || action.kind === 'fix' || action.kind === 'prepare';
    const flight: Promise<Landed> = (isQuestion ? queue(work) : work()).then((result) => ({ flight, result }));
    flights.add(flight);
  }

  /** Returns the event that stops the phase. First waits for all calls to end, so that their tokens are counted. */
  async function stopFor(why: StopReason, landing: Landed): Promise<PhaseEvent> {
    const landings = [landing, ...(await Promise.all(flights))];
    return { kind: 'stop', why, calls: [...(stop?.calls ?? []), ...landings.flatMap(({ result }) => callsIn(result))] };
  }

  async function nextEvent(): Promise<PhaseEvent> {
    for (;;) {
      // When the budget is used up, wait for the calls that have already started, because their answers still count.
      if (stop !== null && flights.size === 0) return stop;
      if (flights.size === 0) throw new Error(`no work is in progress in ${state.position.at}`);
      const landing = await Promise.race(flights);
      const { flight, result } = landing;
      flights.delete(flight);
      if (request.stop?.aborted === true) return stopFor('interrupted', landing);
      if (!result.ok) {
        trouble = result.failure;
        return stopFor('trouble', landing);
      }
      if (result.value.kind !== 'stop') return result.value;
      stop = { ...result.value, calls: [...(stop?.calls ?? []), ...callsIn(result)] };
    }
  }
}

function callsIn(result: Result<PhaseEvent>): readonly CallEnd[] {
  if (!result.ok) return [];
  const { value } = result;
  if (value.kind === 'stop') return value.calls ?? [];
  return 'call' in value ? [value] : [];
}

type Landed = { readonly flight: Promise<Landed>; readonly result: Result<PhaseEvent> };

/** Returns a function that performs the action; null if `recorder.record` has already performed it. */
function workFor(playing: PhaseContext, action: PhaseAction): (() => Promise<Result<PhaseEvent>>) | null {
  switch (action.kind) {
    case 'take-snapshot':
      return () => takeSnapshot(playing);
    case 'measure':
      return async () => ok({ kind: 'measured', role: action.ask.role, ...(await measurePrompt(playing, action.ask)) });
    case 'dispatch':
    case 'fix':
    case 'prepare':
      return () => askRole(playing, action.ask);
    case 'commit':
      return () => commit(playing, action);
    case 'wait-for-fix':
    case 'record':
    case 'record-fix':
    case 'record-preparation':
    case 'end':
      return null;
  }
}

async function takeSnapshot({ ports, request, feature, memory }: PhaseContext): Promise<Result<PhaseEvent>> {
  const sight = await readSubject(ports.snapshots, request, feature.documents, memory.sight.began);
  if (!sight.ok) return sight;
  memory.sight = sight.value;
  return ok({ kind: 'snapshot-taken', seen: sight.value.seen, artifact: sight.value.artifact });
}

async function commit(
  { ports, feature, memory }: PhaseContext,
  { paths, message }: Extract<PhaseAction, { kind: 'commit' }>,
): Promise<Result<PhaseEvent>> {
  const { artifact } = feature.documents;
  // If the fix deleted the reviewed document, the phase ends and the deletion is not committed.
  const isGone = artifact !== null && (await ports.contents.exists(artifact)) === 'missing';
  const end = isGone ? null : await ports.commits.commit(paths, message);
  if (end === null || end.kind === 'nothing') return ok({ kind: 'commit-ended', failed: false });
  const gitError = end.kind === 'failed' ? end.said : null;
  ports.reporter.tell({ kind: 'committed', message, files: paths.length, said: gitError });
  if (gitError !== null) memory.notices.push({ kind: 'commit-failed', message, said: gitError });
  return ok({ kind: 'commit-ended', failed: gitError !== null });
}

function describeRound({ ports }: PhaseContext, state: PhaseState): void {
  const { position, setup, stage, counted, isFinalValidation } = state;
  if (position.at !== 'reviewing') return;
  const roles = Object.keys(position.flights) as PhaseRole[];
  const { phase, mostIterations: limit } = setup;
  const resting = skippedReviewers(state, roles);
  ports.reporter.tell({
    kind: 'round-started',
    ...{ phase, stage, iteration: counted[stage], most: limit, isFinalValidation, roles, resting },
  });
}
