import type { LedgerLoop } from '../domain/ledger.ts';
import type { LoopDispatch } from '../domain/loop-cost.ts';
import { dispatchBy } from '../domain/loop-template.ts';
import type { MetaLoop, MetaUpdate, Resuming } from '../domain/meta.ts';
import type { PhaseEnd, PhaseStage, RoleIssue } from '../domain/phase.ts';
import type { PhaseOutcome, PhaseRun, PlayedRound } from '../domain/phase-run.ts';
import type { PhaseState } from '../domain/phase-step.ts';
import type { Saved } from '../domain/run.ts';
import { addUsage, totalTokens, type Usage } from '../domain/usage.ts';
import { dispatchesOf, sparedByResuming } from './loop-cost.ts';
import { phaseEnd } from './phase-verdict.ts';

/** Where a phase stands when a call is over. */
export function phaseOutcome(
  run: PhaseRun,
  state: PhaseState,
  notices: PhaseOutcome['notices'],
): Omit<PhaseOutcome, 'exitCode'> & { readonly exitCode: 0 | 1 | 3 } {
  const end = endOf(state);
  return {
    run,
    end,
    open: openIn(state),
    exitCode: end === null ? 1 : EXIT_CODES[end.status],
    usage: usageOf(run),
    saved: savedIn(run),
    notices,
  };
}

/** How a phase ended; null: it goes on. */
function endOf({ position }: PhaseState): PhaseEnd | null {
  return position.at === 'ended' ? position.end : null;
}

function openIn(state: PhaseState): readonly RoleIssue[] {
  const { position } = state;
  if (position.at === 'waiting') return position.issues;
  return (position.at === 'ended' ? position.end : phaseEnd(state, 'not-fixed')).open;
}

const EXIT_CODES = { approved: 0, needs_work: 1, stalled: 1, cap: 1, error: 3 } as const;

function usageOf({ preparations, rounds }: PhaseRun): Usage | null {
  const used = [
    ...preparations.map(({ usage }) => usage),
    ...rounds.flatMap(({ entry, fix }) => [
      ...[...entry.looks, ...entry.errors].map(({ spent }) => spent.usage),
      fix?.turn?.spent.usage ?? null,
    ]),
  ];
  return used.reduce(addUsage, null);
}

/** What was not paid for: looks of reviewers that rest, by what they used last, and what resuming spared. */
function savedIn(run: PhaseRun): Saved {
  const rested = run.rounds.flatMap(({ entry }, n) => entry.skipped.map(({ role }) => lastUsed(run.rounds, n, role)));
  const dispatches = run.rounds.flatMap(({ entry, fix }) => dispatchesIn(run, entry, fix));
  return {
    pass: 0,
    slot: rested.reduce((sum, tokens) => sum + tokens, 0),
    session: sparedByResuming(dispatches).reduce((sum, { tokens }) => sum + tokens, 0),
    prefix: 0,
  };
}

function lastUsed(rounds: readonly PlayedRound[], before: number, role: string): number {
  const looks = rounds.slice(0, before).flatMap(({ entry }) => entry.looks);
  const usage = looks.findLast((look) => look.role === role)?.spent.usage ?? null;
  return usage === null ? 0 : totalTokens(usage);
}

function dispatchesIn(
  { id, feature }: PhaseRun,
  entry: PlayedRound['entry'],
  fix: PlayedRound['fix'],
): readonly LoopDispatch[] {
  return dispatchesOf(entry, fix, { feature, run: id });
}

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
    const approved = last.entry.errors.length === 0 && last.entry.looks.every(({ enginePass }) => enginePass);
    const { looks } = last.entry;
    const open = openIn(state).filter(({ role }) => looks.some((look) => look.role === role));
    return [
      {
        stage,
        started: new Date(first.at),
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
