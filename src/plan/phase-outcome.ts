import type { PhaseEnd, RoleIssue } from '../domain/phase.ts';
import type { PhaseOutcome, PhaseRun, PlayedRound } from '../domain/phase-run.ts';
import type { PhaseState } from '../domain/phase-step.ts';
import type { Saved } from '../domain/run.ts';
import { addUsage, totalTokens, type Usage } from '../domain/usage.ts';
import { dispatchesOf, sparedByResuming } from './loop-cost.ts';
import { phaseEnd } from './phase-verdict.ts';

/** Where a phase stands when a call is over. */
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

/** How a phase ended; null: it goes on. */
export function endOf({ position }: PhaseState): PhaseEnd | null {
  return position.at === 'ended' ? position.end : null;
}

/** Blockers and warnings that nobody has settled by now. */
export function openIn(state: PhaseState): readonly RoleIssue[] {
  const { position } = state;
  if (position.at === 'waiting') return position.issues;
  return (position.at === 'ended' ? position.end : phaseEnd(state, 'not-fixed')).open;
}

const EXIT_CODES = { approved: 0, needs_work: 1, stalled: 1, cap: 1, error: 3 } as const;

/** Something that is open wins over not having been judged to the end. */
function exitCodeOf({ status, why, open }: PhaseEnd): PhaseOutcome['exitCode'] {
  return status === 'error' && why !== 'interrupted' && open.length > 0 ? 1 : EXIT_CODES[status];
}

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
  const dispatches = run.rounds.flatMap(({ entry, fix }) =>
    dispatchesOf(entry, fix, { feature: run.feature, run: run.id }),
  );
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
