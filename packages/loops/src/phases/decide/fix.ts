import type { RepoPath } from '@onceover/base/kernel/ids';
import { isAtOrBelow, isInside } from '@onceover/base/kernel/paths';
import type { PhaseState, PhaseStep } from '../state.ts';
import type { EditRules, PhaseFix, RoleIssue } from '../types.ts';
import {
  after,
  callMarks,
  checkAsked,
  type EventOf,
  keepSession,
  type PositionAt,
  startCall,
  unexpected,
} from './calls.ts';
import { endPhase, snapshotAction } from './end.ts';
import { reviewersOfStage } from './roles.ts';

/**
 * Whether a fixing agent must not edit a file: it is in `kept`, or it is not in `documents` although the phase reviews
 * documents.
 */
function isForbidden(path: RepoPath, { documents, kept }: EditRules): boolean {
  return kept.some((keptPath) => isInside(path, keptPath)) || (documents !== null && !documents.includes(path));
}

/** Whether a file is reviewed. `only` lists the files and folders to review; null means all. */
export function isUnderReview(path: string, { only }: Pick<EditRules, 'only'>): boolean {
  return only === null || isAtOrBelow(path, only);
}

/** Calls the fixing agent with the issues of a round. If the caller fixes issues itself, waits for that instead. */
export function startFix(state: PhaseState, issues: readonly RoleIssue[]): PhaseStep {
  if (state.setup.fixing === 'caller') {
    return { state: { ...state, position: { at: 'waiting', issues } }, actions: [{ kind: 'wait-for-fix', issues }] };
  }
  return startCall({ ...state, position: { at: 'fixing', issues, flights: {}, marks: [] } }, 'implementer');
}

/** Records the fixing agent's answer and commits its edits. The next review decides whether the issues are fixed. */
export function onFixed(state: PhaseState, position: PositionAt<'fixing'>, event: EventOf<'fixed'>): PhaseStep {
  const saw = state.reviewed?.snapshot;
  if (event.by !== 'agent' || saw === undefined) throw unexpected(event.kind, 'fixing');
  checkAsked(position, event);
  const marks = [...position.marks, ...callMarks(state, event)];
  return recordFix(keepSession(state, event, saw), event, { marks, turn: event.call });
}

/**
 * Records a fix and commits the changed files. `turn` in `call` is the agent's call; null if the caller fixed the
 * issues.
 */
export function recordFix(state: PhaseState, event: EventOf<'fixed'>, call: Omit<PhaseFix, 'summary'>): PhaseStep {
  const { round, stage, setup } = state;
  const { summary } = event;
  const iteration = state.counted[stage];
  const nextState: PhaseState = { ...state, fixes: [...state.fixes, { round, iteration, summary }], fixedSince: true };
  // A document goes through two loops, and each counts its iterations from 1. So the commit message also names the
  // reviewer.
  const [suffix, reviewers] = setup.phase === 'implement' ? [' fixes', []] : ['', reviewersOfStage(setup.phase, stage)];
  const message = `onceover: ${setup.phase} review iteration ${iteration}${suffix} (${[...reviewers, setup.loop].join(', ')})`;
  // An agent that edits a forbidden file ends the phase. The caller may edit such a file, but the edit is not
  // committed.
  const commitFix = event.by === 'agent' ? commitEdits : commit;
  const next = commitFix(nextState, event, { message, next: null });
  return after({ kind: 'record-fix', round, summary, ...call }, next);
}

type Committing = PositionAt<'committing'>;

type CommitPlan = Pick<Committing, 'message' | 'next'>;

type Edits = Pick<EventOf<'fixed'>, 'changedPaths' | 'hidden'>;

/** Commits an agent's edits. Ends the phase if the agent edited a forbidden file or changed what reviewers see. */
function commitEdits(state: PhaseState, edits: Edits, plan: CommitPlan): PhaseStep {
  const forbidden = edits.changedPaths.filter((path) => isForbidden(path, state.setup.edits));
  const paths = [...new Set([...forbidden, ...(edits.hidden ?? [])])];
  return paths.length > 0 ? endPhase(state, 'forbidden-edit', { paths }) : commit(state, edits, plan);
}

function commit(state: PhaseState, { changedPaths }: Edits, plan: CommitPlan): PhaseStep {
  const { edits } = state.setup;
  const paths = changedPaths.filter((path) => !isForbidden(path, edits) && isUnderReview(path, edits));
  if (!state.setup.commits || paths.length === 0) return prepare(state, plan.next);
  const position: Committing = { at: 'committing', paths, ...plan };
  return { state: { ...state, position }, actions: [{ kind: 'commit', paths, message: plan.message }] };
}

/** Continues after a commit. If git could not commit, the next round gives each reviewer a new session. */
export function onCommit(state: PhaseState, { next }: Committing, { failed }: EventOf<'commit-ended'>): PhaseStep {
  return prepare(failed ? { ...state, commitFailed: true } : state, next);
}

/**
 * Starts the step with index `next` that runs before the reviews. If there is none, takes the snapshot for the next
 * round.
 */
export function prepare(state: PhaseState, next: number | null): PhaseStep {
  const preparation = next === null ? undefined : state.setup.preparations[next];
  if (state.setup.phase !== 'implement' || next === null || preparation === undefined) {
    return snapshotAction(state, 'starting');
  }
  return startCall({ ...state, position: { at: 'preparing', next, flights: {}, marks: [] } }, preparation.role);
}

/** Records that a step before the reviews has finished, and commits its edits. The commit message names the role. */
export function onPrepared(state: PhaseState, position: PositionAt<'preparing'>, event: EventOf<'fixed'>): PhaseStep {
  const { next } = position;
  const preparation = state.setup.preparations[next];
  if (preparation === undefined || event.by !== 'agent') throw unexpected(event.kind, 'preparing');
  checkAsked(position, event);
  const { role, part } = preparation;
  const { phase, loop } = state.setup;
  const message = `onceover: ${phase} ${part === null ? role : `${role} ${part}`} (${loop})`;
  return after(
    { kind: 'record-preparation', ...preparation, summary: event.summary, call: event.call },
    commitEdits(state, event, { message, next: next + 1 }),
  );
}
