import type { LedgerLoop, LoopDispatch, Saved } from '@onceover/agents/ledger/entries';
import { savedByResuming } from '@onceover/agents/ledger/savings';
import { addUsage, totalTokens, type Usage } from '@onceover/base/kernel/agent';
import type { PhaseStage } from '@onceover/base/kernel/review-loops';
import type { PhaseOutcome } from '../run-types.ts';
import type { PhaseState } from '../state.ts';
import type {
  IterationEntry,
  LoopCall,
  MetaLoop,
  MetaUpdate,
  PhaseEnd,
  PhaseFix,
  PhaseMark,
  PhaseRound,
  PhaseRun,
  Resuming,
  RoleIssue,
} from '../types.ts';
import { phaseEnd } from './end.ts';
import { reviewersOfStage, stagesOf } from './roles.ts';

type RecordedCall = LoopDispatch & Pick<LedgerLoop, 'agent' | 'status'>;

/** Returns the calls to agents in a recorded round of reviews and in the fix after it. */
export function dispatchesOf(
  entry: Pick<IterationEntry, 'phase' | 'stage' | 'iteration' | 'isFinalValidation' | 'looks' | 'errors' | 'marks'>,
  fix: PhaseFix | null,
  ids: Pick<LoopDispatch, 'feature' | 'run'>,
): readonly RecordedCall[] {
  const { phase, stage, iteration, isFinalValidation } = entry;
  const recordOf = (
    { agent, template, why, spent }: LoopCall,
    outcome: Pick<RecordedCall, 'role' | 'status' | 'isFinalValidation'>,
    marks: readonly PhaseMark[],
  ): RecordedCall => {
    const has = (kind: PhaseMark['kind']) => marks.some((mark) => mark.kind === kind && mark.role === outcome.role);
    return {
      ...{ ...ids, phase, stage, iteration, ...outcome, agent, template, why, ...spent },
      ...{ fellBack: has('resume-fallback'), guarded: has('delta-guard'), warned: has('lazy-load-warning') },
    };
  };
  const reviews = [
    ...entry.looks.map((look) => ({ call: look, status: look.enginePass ? ('pass' as const) : ('fail' as const) })),
    ...entry.errors.filter(({ spent }) => spent.asks > 0).map((call) => ({ call, status: 'error' as const })),
  ].map(({ call, status }) => recordOf(call, { role: call.role, status, isFinalValidation }, entry.marks));
  if (fix === null || fix.turn === null) return reviews;
  const status = fix.summary === null ? 'error' : 'done';
  return [...reviews, recordOf(fix.turn, { role: 'implementer', status, isFinalValidation: false }, fix.marks)];
}

/** Returns the result of a command: the phase has ended, or it waits for the caller's fix. */
export function phaseOutcome(run: PhaseRun, state: PhaseState, notices: PhaseOutcome['notices']): PhaseOutcome {
  const end = endOf(state);
  return {
    run,
    end,
    open: openIn(state),
    exitCode: end === null ? 1 : exitCodeOf(end),
    usage: usageOf(run),
    saved: savedIn(run),
    notices,
  };
}

function endOf({ position }: PhaseState): PhaseEnd | null {
  return position.at === 'ended' ? position.end : null;
}

function openIn(state: PhaseState): readonly RoleIssue[] {
  const { position } = state;
  if (position.at === 'waiting') return position.issues;
  return (endOf(state) ?? phaseEnd(state, 'not-fixed')).open;
}

const EXIT_CODES = { approved: 0, needs_work: 1, stalled: 1, cap: 1, error: 3 } as const;

/**
 * Returns the exit code: 3 for an error. If issues are open and the user did not interrupt the phase, it is 1 instead.
 */
function exitCodeOf({ status, why, open }: PhaseEnd): PhaseOutcome['exitCode'] {
  return status === 'error' && why !== 'interrupted' && open.length > 0 ? 1 : EXIT_CODES[status];
}

function usageOf(run: PhaseRun): Usage | null {
  const usageRecords = [...run.preparations, ...callsOf(run).map(({ spent }) => spent)];
  return usageRecords.map(({ usage }) => usage).reduce(addUsage, null);
}

/** Returns the calls to agents in all rounds and fixes. */
export function callsOf({ rounds }: Pick<PhaseRun, 'rounds'>): readonly LoopCall[] {
  return rounds.flatMap(({ entry, fix }) => [...entry.looks, ...entry.errors, ...(fix?.turn ? [fix.turn] : [])]);
}

/** Estimates the saved tokens. A skipped reviewer saves as many tokens as its last review needed. */
function savedIn({ id, feature, rounds }: PhaseRun): Saved {
  const skippedTokens = rounds.flatMap(({ entry }, n) =>
    entry.skipped.map(({ role }) => lastUsed(rounds.slice(0, n), role)),
  );
  const calls = rounds
    .flatMap(({ entry, fix }) => dispatchesOf(entry, fix, { feature, run: id }))
    .filter(({ status }) => status !== 'error');
  return {
    pass: 0,
    slot: skippedTokens.reduce((sum, tokens) => sum + tokens, 0),
    session: savedByResuming(calls).reduce((sum, { tokens }) => sum + tokens, 0),
    prefix: 0,
    reading: 0,
  };
}

function lastUsed(rounds: readonly PhaseRound[], role: string): number {
  const looks = rounds.flatMap(({ entry }) => entry.looks);
  const usage = looks.findLast((look) => look.role === role)?.spent.usage ?? null;
  return usage === null ? 0 : totalTokens(usage);
}

/** Returns the fields that a phase in this state writes to the `.meta.json` of the feature. */
export function metaUpdate(
  run: PhaseRun,
  state: PhaseState,
  context: { readonly now: Date; readonly resuming: Resuming; describe(issue: RoleIssue): string },
): MetaUpdate {
  const open = openIn(state);
  const loops = stagesOf(run.phase).flatMap((stage): MetaLoop[] => {
    const rounds = run.rounds.filter(({ entry }) => entry.stage === stage);
    const first = rounds[0];
    const last = rounds.at(-1);
    if (first === undefined || last === undefined) return [];
    const isApproved = isPassed(last) && isConfirmed(stage, state);
    const reviewers: readonly string[] = reviewersOfStage(run.phase, stage);
    return [
      {
        stage,
        // The first loop starts when the phase starts, the second when the round before it ended. `at` is the end of a
        // round.
        started: run.rounds[run.rounds.indexOf(first) - 1]?.at ?? run.startedAt,
        completed: isApproved ? last.at : null,
        iterations: Math.max(...rounds.map(({ entry }) => entry.iteration)),
        approved: isApproved,
        reviewerNotes: open.filter(({ role }) => reviewers.includes(role)).map(context.describe),
      },
    ];
  });
  return {
    phase: run.phase,
    started: run.startedAt,
    completed: endOf(state)?.status === 'approved' ? context.now.toISOString() : null,
    loops,
    reviewerNotes: open.map(context.describe),
    resuming: context.resuming,
  };
}

function isPassed({ entry }: PhaseRound): boolean {
  return entry.errors.length === 0 && entry.looks.every(({ enginePass }) => enginePass);
}

/** Whether the content stayed the same during the last round of the loop `stage`, according to a snapshot after it. */
function isConfirmed(stage: PhaseStage, state: PhaseState): boolean {
  const end = endOf(state);
  return stage !== state.stage || end?.status === 'approved' || end?.why === 'cap';
}
