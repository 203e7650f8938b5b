import { isOpen, type KnownFinding } from '../domain/finding.ts';
import type { LoopEnd, LoopOutcome, LoopRound } from '../domain/loop.ts';
import type { GateOutcome, RunNotice, RunOutcome } from '../domain/run.ts';
import { addUsage } from '../domain/usage.ts';
import { findingKey } from './finding-key.ts';
import type { RoundFacts } from './loop-end.ts';

/** What a review left open, whether or not somebody says that it is fixed. */
export function openFindings({ findings }: Pick<RunOutcome, 'findings'>): readonly KnownFinding[] {
  return findings.filter(({ state }) => isOpen(state)).map(({ finding }) => finding);
}

/** The checks that a fixer can do something about. */
export function failingChecks({ gates }: Pick<RunOutcome, 'gates'>): readonly GateOutcome[] {
  return gates.filter(({ kind, status }) => kind === 'check' && status === 'fail');
}

/** What of a review decides whether the loop goes on. */
export function roundFacts(run: RunOutcome, tree: string): RoundFacts {
  const { status, exitCode, gates } = run;
  const asked = gates
    .flatMap(({ slots }) => slots)
    .filter(({ trouble, dispatch }) => trouble !== null || dispatch !== 'none');
  return {
    status,
    exitCode,
    tree,
    open: [...openFindings(run).map(findingKey), ...failingChecks(run).map(({ id }) => id)],
    outOfBudget: asked.some(({ trouble }) => trouble?.kind === 'budget'),
    noVerdict: asked.length > 0 && asked.every((slot) => slot.status === 'error') && failingChecks(run).length === 0,
  };
}

/** A review as the story of the loop tells it, beside the one before. */
export function loopRound(
  run: RunOutcome,
  before: LoopRound | null,
  { dispatches, letBe }: { readonly dispatches: number; readonly letBe: ReadonlySet<string> },
): LoopRound {
  const open = openFindings(run).map(({ id }) => id);
  const there = new Set<string>(run.gates.map(({ id }) => id));
  return {
    iteration: run.iteration,
    status: run.status,
    open,
    closed: before?.open.filter((id) => !open.includes(id)).length ?? 0,
    added: open.filter((id) => !(before?.open ?? []).includes(id)).length,
    failing: run.gates.filter(({ status }) => status === 'fail').map(({ id }) => id),
    left: before?.failing.filter((id) => !there.has(id)) ?? [],
    failingChecks: failingChecks(run).map(({ id }) => id),
    dispatches,
    usage: run.usage,
    saved: run.saved,
    letBe: run.findings
      .filter(({ state, finding }) => state === 'warning' && letBe.has(finding.id))
      .map(({ finding }) => finding.id),
    fix: null,
  };
}

/** The loop as a whole: its last review, with what all rounds have paid and saved. */
export function loopOutcome(
  end: LoopEnd,
  rounds: readonly LoopRound[],
  run: RunOutcome,
  more: { readonly dispatches: number; readonly notices: readonly RunNotice[] },
): LoopOutcome {
  const used = rounds.flatMap(({ usage, fix }) => [usage, fix?.usage ?? null]);
  const sum = (lever: keyof RunOutcome['saved']) => rounds.reduce((total, { saved }) => total + saved[lever], 0);
  // What passes by another measure than the loop began with, or has nothing left that could fail, did not pass.
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
