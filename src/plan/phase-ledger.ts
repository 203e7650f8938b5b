import type { LedgerLoop } from '../domain/ledger.ts';
import type { LoopDispatch } from '../domain/loop-cost.ts';
import { dispatchBy } from '../domain/loop-template.ts';
import type { PhaseRun, PlayedRound } from '../domain/phase-run.ts';
import { dispatchesOf } from './loop-cost.ts';

/** What only whoever asked knows of a dispatch. */
export type DispatchFigures = Pick<LedgerLoop, 'at' | 'durationMs' | 'model' | 'startedBy' | 'branch'>;

/** What is written down of the looks of a round, or of the fix after it. */
export function ledgerEntries(
  run: PhaseRun,
  { entry, fix }: Pick<PlayedRound, 'entry' | 'fix'>,
  figures: (role: LedgerLoop['role']) => DispatchFigures,
): readonly LedgerLoop[] {
  const reviews = dispatchesOf(entry, null, { feature: run.feature, run: run.id });
  const answered = reviews.map((one) => {
    const look = entry.looks.find(({ role }) => role === one.role);
    return toLedger(one, look?.agent ?? '', look?.enginePass === true ? 'pass' : 'fail', figures(one.role));
  });
  const failed = entry.errors
    .filter(({ spent }) => spent.asks > 0)
    .map(({ role, agent, template, dispatch, spent }) => {
      const { phase, stage, iteration, isFinalValidation } = entry;
      const fellBack = entry.marks.some((mark) => mark.kind === 'resume-fallback' && mark.role === role);
      const one: LoopDispatch = {
        ...{ feature: run.feature, run: run.id, phase, stage, iteration, isFinalValidation, role, template },
        ...{ why: dispatch, spent, fellBack, guarded: false, warned: false },
      };
      return toLedger(one, agent, 'error', figures(role));
    });
  return fix === null ? [...answered, ...failed] : fixEntries(run, entry, fix, figures);
}

/** What is written down of something that was to be done before the reviews. */
export function preparationEntry(
  { id, feature, phase }: PhaseRun,
  one: DispatchFigures & Pick<LedgerLoop, 'role' | 'agent' | 'status' | 'asks' | 'promptChars' | 'usage'>,
): LedgerLoop {
  return {
    kind: 'loop',
    ...one,
    ...{ feature, run: id, phase, stage: 'implement', iteration: 0, isFinalValidation: false },
    ...{ template: null, why: 'first-look', dispatch: 'fresh', freshChars: one.promptChars },
    ...{ fellBack: false, guarded: false, warned: false },
  };
}

function fixEntries(
  run: PhaseRun,
  entry: PlayedRound['entry'],
  fix: NonNullable<PlayedRound['fix']>,
  figures: (role: LedgerLoop['role']) => DispatchFigures,
): readonly LedgerLoop[] {
  const turns = dispatchesOf({ ...entry, looks: [] }, fix, { feature: run.feature, run: run.id });
  const status = fix.summary === null ? 'error' : 'done';
  return turns.map((one) => toLedger(one, fix.turn?.agent ?? '', status, figures(one.role)));
}

function toLedger(
  { spent, ...one }: LoopDispatch,
  agent: string,
  status: LedgerLoop['status'],
  figures: DispatchFigures,
): LedgerLoop {
  const { asks, promptChars, freshChars, usage } = spent;
  return {
    kind: 'loop',
    ...figures,
    ...one,
    agent,
    status,
    dispatch: dispatchBy(one.template),
    asks,
    usage,
    promptChars,
    freshChars,
  };
}
