import type { MetaLoop, MetaUpdate, Resuming } from '../domain/meta.ts';
import type { PhaseStage, RoleIssue } from '../domain/phase.ts';
import type { PhaseRun, PlayedRound } from '../domain/phase-run.ts';
import type { PhaseState } from '../domain/phase-step.ts';
import { endOf, openIn } from './phase-outcome.ts';
import { reviewersOf } from './phase-roles.ts';

/** What `.meta.json` tells of a phase so far. */
export function metaUpdate(
  run: PhaseRun,
  state: PhaseState,
  given: { readonly now: Date; readonly resuming: Resuming; tell(issue: RoleIssue): string },
): MetaUpdate {
  const end = endOf(state);
  const isOver = end?.status === 'approved';
  const stages: readonly PhaseStage[] = run.phase === 'implement' ? ['implement'] : ['domain', 'phase'];
  const loops = stages.flatMap((stage): MetaLoop[] => {
    const rounds = run.rounds.filter(({ entry }) => entry.stage === stage);
    const first = rounds[0];
    const last = rounds.at(-1);
    if (first === undefined || last === undefined) return [];
    const approved = isPassed(last) && isConfirmed(stage, state);
    const reviewers: readonly string[] = reviewersOf(run.phase, stage);
    const open = openIn(state).filter(({ role }) => reviewers.includes(role));
    return [
      {
        stage,
        started: new Date(begun(run, first)),
        completed: approved ? new Date(last.at) : null,
        iterations: Math.max(...rounds.map(({ entry }) => entry.iteration)),
        approved,
        notes: open.map(given.tell),
      },
    ];
  });
  return {
    phase: run.phase,
    started: new Date(run.startedAt),
    completed: isOver ? given.now : null,
    loops,
    notes: openIn(state).map(given.tell),
    resuming: given.resuming,
  };
}

/** A round is written down at its end: the first of a loop began with the phase, or when the loop before it had ended. */
function begun({ rounds, startedAt }: PhaseRun, first: PlayedRound): string {
  return rounds[rounds.indexOf(first) - 1]?.at ?? startedAt;
}

function isPassed({ entry }: PlayedRound): boolean {
  return entry.errors.length === 0 && entry.looks.every(({ enginePass }) => enginePass);
}

/** Whether what passed was seen to be still there: until then the phase neither goes on nor ends with a word on it. */
function isConfirmed(stage: PhaseStage, state: PhaseState): boolean {
  const end = endOf(state);
  return stage !== state.stage || end?.status === 'approved' || end?.why === 'cap';
}
