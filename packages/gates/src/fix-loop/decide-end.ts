import type { Fix } from '@onceover/agents/dispatch/fix-progress';
import { addUsage } from '@onceover/base/kernel/agent';
import type { Comparison } from '@onceover/base/kernel/repository';
import { findingKey } from '../findings/match-findings.ts';
import { isOpen, type KnownFinding } from '../findings/types.ts';
import type { GateOutcome, LoopEnd, RunNotice, RunOutcome } from '../result/types.ts';

/**
 * Returns the open findings of a run. Findings that the fixing agent says it fixed are open too, because no reviewer
 * has confirmed that.
 */
export function openFindingsOf({ findings }: Pick<RunOutcome, 'findings'>): readonly KnownFinding[] {
  return findings.filter(({ state }) => isOpen(state)).map(({ finding }) => finding);
}

export function failingChecksOf({ gates }: Pick<RunOutcome, 'gates'>): readonly GateOutcome[] {
  return gates.filter(({ kind, status }) => kind === 'check' && status === 'fail');
}

/** One review and the fix that followed it, as part of `run --until-pass`. */
export type LoopRound = {
  readonly run: RunOutcome;
  /** The id of the git tree with the content that was reviewed. */
  readonly tree: string;
  /** The number of calls to agents for the review, without those for the fix. */
  readonly dispatches: number;
  /** The ids of the findings that this loop tolerates because of `--ratchet`. All other runs treat them as open. */
  readonly tolerated: ReadonlySet<string>;
  readonly fix: Fix | null;
};

export type LoopOutcome = {
  readonly end: LoopEnd;
  readonly rounds: readonly LoopRound[];
  /** The result of the last review, with the usage of the whole loop. */
  readonly run: RunOutcome;
};

/** Returns the result of the loop: that of its last run, with the cost and savings of all rounds. */
export function loopOutcome(
  end: LoopEnd,
  rounds: readonly LoopRound[],
  run: RunOutcome,
  totals: { readonly dispatches: number; readonly notices: readonly RunNotice[] },
): LoopOutcome {
  const usages = rounds.flatMap((round) => [round.run.usage, round.fix?.usage ?? null]);
  const sum = (lever: keyof RunOutcome['saved']) => rounds.reduce((total, round) => total + round.run.saved[lever], 0);
  // If a run passes only because the settings changed or nothing is left to review, the loop must fail.
  const isVoid = end !== 'passed' && run.exitCode === 0;
  return {
    end,
    rounds,
    run: {
      ...run,
      ...(isVoid ? { status: 'failed', exitCode: 1 } : {}),
      notices: [...run.notices, ...totals.notices],
      usage: usages.reduce((total, usage) => addUsage(total, usage), null),
      dispatches: totals.dispatches,
      saved: {
        pass: sum('pass'),
        slot: sum('slot'),
        session: sum('session'),
        prefix: sum('prefix'),
        reading: sum('reading'),
      },
    },
  };
}

/** Whether two comparisons have the same base, scope and branch. New commits on the branch make no difference. */
export function isSameComparison(before: Comparison, now: Comparison): boolean {
  return (
    before.baseTree === now.baseTree &&
    before.scope.key === now.scope.key &&
    before.where.branch === now.where.branch &&
    before.where.mergeBase === now.where.mergeBase
  );
}

/** The loop gives up after this many rounds in a row with the same open problems. */
const MOST_ALIKE = 3;

const NOTHING_REVIEWED: readonly RunOutcome['status'][] = ['no_changes', 'no_applicable_gates'];

/** Returns why the loop ends after the last round; `null` if the fixing agent is called next. */
export function loopEnd(rounds: readonly LoopRound[], maxRounds: number): LoopEnd | null {
  const run = rounds.at(-1)?.run;
  if (run === undefined) return null;
  if (run.exitCode === 0) return rounds.length > 1 && NOTHING_REVIEWED.includes(run.status) ? 'nothing-left' : 'passed';
  const calledSlots = run.gates
    .flatMap(({ slots }) => slots)
    .filter(({ trouble, dispatch }) => trouble !== null || dispatch !== 'none');
  if (calledSlots.some(({ trouble }) => trouble?.kind === 'budget')) return 'budget';
  const noVerdict = calledSlots.length > 0 && calledSlots.every(({ status }) => status === 'error');
  if (run.exitCode === 3 || (noVerdict && failingChecksOf(run).length === 0)) return 'could-not-judge';
  if (run.status === 'retry_limit_exceeded') return 'retry-limit';
  const past = rounds.map((round) => ({ tree: round.tree, open: problemsOf(round.run) }));
  // The run failed, but not because of a problem that the fixing agent could fix.
  if (past.at(-1)?.open === NO_PROBLEMS) return 'could-not-judge';
  if (isStalled(past)) return 'stalled';
  if (isOscillating(past)) return 'oscillating';
  return rounds.length >= maxRounds ? 'max-iterations' : null;
}

/** The content that a round reviewed, and the problems that were open after it. */
type PastRound = { readonly tree: string; readonly open: string };

/**
 * Returns the open problems of a run as one text. It identifies a finding by its content, because its id may change.
 */
function problemsOf(run: RunOutcome): string {
  const problems = [...openFindingsOf(run).map(findingKey), ...failingChecksOf(run).map(({ id }) => id)];
  return JSON.stringify(problems.sort());
}

const NO_PROBLEMS = '[]';

function isStalled(rounds: readonly PastRound[]): boolean {
  const [last, before] = rounds.toReversed();
  if (last === undefined || before === undefined) return false;
  if (last.tree === before.tree && last.open === before.open) return true;
  const recent = rounds.slice(-MOST_ALIKE);
  return recent.length === MOST_ALIKE && recent.every(({ open }) => open === last.open);
}

function isOscillating(rounds: readonly PastRound[]): boolean {
  const [last, before, ...earlier] = rounds.toReversed();
  if (last === undefined || before === undefined) return false;
  if (last.tree !== before.tree && earlier.some(({ tree }) => tree === last.tree)) return true;
  const [second, third] = earlier;
  return last.open !== before.open && last.open === second?.open && before.open === third?.open;
}
