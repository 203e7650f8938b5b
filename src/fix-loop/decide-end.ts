import { findingKey } from '../gates/judge/match-findings.ts';
import type { GateOutcome, LoopEnd, LoopOutcome, LoopRound, RunNotice, RunOutcome } from '../gates/run-types.ts';
import { isOpen, type KnownFinding } from '../gates/types.ts';
import { addUsage } from '../kernel/agent.ts';
import type { RepoPath } from '../kernel/ids.ts';
import type { Comparison, Entry } from '../kernel/repository.ts';

/** Returns the findings that are not closed after a run, including those that the fixer says it fixed. */
export function openFindingsOf({ findings }: Pick<RunOutcome, 'findings'>): readonly KnownFinding[] {
  return findings.filter(({ state }) => isOpen(state)).map(({ finding }) => finding);
}

export function failingChecksOf({ gates }: Pick<RunOutcome, 'gates'>): readonly GateOutcome[] {
  return gates.filter(({ kind, status }) => kind === 'check' && status === 'fail');
}

/** Returns the facts of a run that decide whether the loop continues. */
export function roundFacts(run: RunOutcome, tree: string): RoundFacts {
  const { status, exitCode, gates } = run;
  const asked = gates
    .flatMap(({ slots }) => slots)
    .filter(({ trouble, dispatch }) => trouble !== null || dispatch !== 'none');
  return {
    status,
    exitCode,
    tree,
    open: [...openFindingsOf(run).map(findingKey), ...failingChecksOf(run).map(({ id }) => id)],
    outOfBudget: asked.some(({ trouble }) => trouble?.kind === 'budget'),
    noVerdict: asked.length > 0 && asked.every((slot) => slot.status === 'error') && failingChecksOf(run).length === 0,
  };
}

/** Returns the summary of a round, compared with the previous round. */
export function loopRound(
  run: RunOutcome,
  before: LoopRound | null,
  { dispatches, letBe }: { readonly dispatches: number; readonly letBe: ReadonlySet<string> },
): LoopRound {
  const open = openFindingsOf(run).map(({ id }) => id);
  const there = new Set<string>(run.gates.map(({ id }) => id));
  return {
    iteration: run.iteration,
    status: run.status,
    open,
    closed: before?.open.filter((id) => !open.includes(id)).length ?? 0,
    added: open.filter((id) => !(before?.open ?? []).includes(id)).length,
    failing: run.gates.filter(({ status }) => status === 'fail').map(({ id }) => id),
    left: before?.failing.filter((id) => !there.has(id)) ?? [],
    failingChecks: failingChecksOf(run).map(({ id }) => id),
    dispatches,
    usage: run.usage,
    saved: run.saved,
    letBe: run.findings
      .filter(({ state, finding }) => state === 'warning' && letBe.has(finding.id))
      .map(({ finding }) => finding.id),
    fix: null,
  };
}

/** Returns the result of the loop: its last run, with the cost and savings of all rounds. */
export function loopOutcome(
  end: LoopEnd,
  rounds: readonly LoopRound[],
  run: RunOutcome,
  more: { readonly dispatches: number; readonly notices: readonly RunNotice[] },
): LoopOutcome {
  const used = rounds.flatMap(({ usage, fix }) => [usage, fix?.usage ?? null]);
  const sum = (lever: keyof RunOutcome['saved']) => rounds.reduce((total, { saved }) => total + saved[lever], 0);
  // A run can pass because the settings changed or nothing is left to review. The loop must then still fail.
  const isVoid = end !== 'passed' && run.exitCode === 0;
  return {
    end,
    rounds,
    run: {
      ...run,
      ...(isVoid ? { status: 'failed', exitCode: 1 } : {}),
      notices: [...run.notices, ...more.notices],
      usage: used.reduce((total, one) => addUsage(total, one), null),
      dispatches: more.dispatches,
      saved: { pass: sum('pass'), slot: sum('slot'), session: sum('session'), prefix: sum('prefix') },
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

/** Returns added files that are no longer part of the change. If such a file is still on disk, it was hidden. */
export function hiddenNewFiles(before: readonly Entry[], now: readonly Entry[]): readonly RepoPath[] {
  const isThere = new Set(now.map(({ path }) => path));
  return before.filter(({ path, baseBlob }) => baseBlob === null && !isThere.has(path)).map(({ path }) => path);
}

/** The facts of one run that decide whether the loop continues. */
export type RoundFacts = {
  readonly status: RunOutcome['status'];
  readonly exitCode: RunOutcome['exitCode'];
  /** Open findings and failing checks. A finding is identified by its content, because its id may change. */
  readonly open: readonly string[];
  readonly tree: string;
  /** Whether a reviewer could not run because the budget was used up. */
  readonly outOfBudget: boolean;
  /** Whether reviewers were called and none gave a verdict. */
  readonly noVerdict: boolean;
};

/** The loop stalls after this many rounds in a row with the same open problems. */
const MOST_ALIKE = 3;

const NOTHING_REVIEWED: readonly RunOutcome['status'][] = ['no_changes', 'no_applicable_gates'];

/** Returns why the loop ends after the last round; `null` if the fixer is called next. */
export function loopEnd(rounds: readonly RoundFacts[], most: number): LoopEnd | null {
  const last = rounds.at(-1);
  if (last === undefined) return null;
  if (last.exitCode === 0)
    return rounds.length > 1 && NOTHING_REVIEWED.includes(last.status) ? 'nothing-left' : 'passed';
  if (last.outOfBudget) return 'budget';
  if (last.exitCode === 3 || last.noVerdict) return 'could-not-judge';
  if (last.status === 'retry_limit_exceeded') return 'retry-limit';
  // The run failed, but without a problem that a fixer could fix.
  if (last.open.length === 0) return 'could-not-judge';
  if (isStalled(rounds)) return 'stalled';
  if (isOscillating(rounds)) return 'oscillating';
  return rounds.length >= most ? 'max-iterations' : null;
}

function isStalled(rounds: readonly RoundFacts[]): boolean {
  const [last, before] = rounds.toReversed();
  if (last === undefined || before === undefined) return false;
  if (last.tree === before.tree && isSame(last, before)) return true;
  const recent = rounds.slice(-MOST_ALIKE);
  return recent.length === MOST_ALIKE && recent.every((round) => isSame(round, last));
}

function isOscillating(rounds: readonly RoundFacts[]): boolean {
  const [last, before, ...earlier] = rounds.toReversed();
  if (last === undefined || before === undefined) return false;
  if (last.tree !== before.tree && earlier.some(({ tree }) => tree === last.tree)) return true;
  const [second, third] = earlier;
  if (second === undefined || third === undefined || isSame(last, before)) return false;
  return isSame(last, second) && isSame(before, third);
}

function isSame(one: RoundFacts, other: RoundFacts): boolean {
  return JSON.stringify([...one.open].sort()) === JSON.stringify([...other.open].sort());
}
