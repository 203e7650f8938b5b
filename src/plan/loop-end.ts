import type { LoopEnd } from '../domain/loop.ts';
import type { RunOutcome } from '../domain/run.ts';

/** What a review of a loop came to, as far as it decides whether the loop goes on. */
export type RoundFacts = {
  readonly status: RunOutcome['status'];
  readonly exitCode: RunOutcome['exitCode'];
  /** What is open or fails, by what it is and not by its number. */
  readonly open: readonly string[];
  /** What was reviewed. */
  readonly tree: string;
  /** Somebody was not asked because the budget was used up. */
  readonly outOfBudget: boolean;
  /** Reviewers were asked, and none came to a verdict. */
  readonly noVerdict: boolean;
};

/** Rounds in a row with the same open findings, after which more of them are no help. */
const MOST_ALIKE = 3;

const NOTHING: readonly RunOutcome['status'][] = ['no_changes', 'no_applicable_gates'];

/** Whether the loop ends after this round, and why; null: the fixer is asked. */
export function loopEnd(rounds: readonly RoundFacts[], most: number): LoopEnd | null {
  const last = rounds.at(-1);
  if (last === undefined) return null;
  if (last.exitCode === 0) return rounds.length > 1 && NOTHING.includes(last.status) ? 'nothing-left' : 'passed';
  if (last.outOfBudget) return 'budget';
  if (last.exitCode === 3 || last.noVerdict) return 'could-not-judge';
  if (last.status === 'retry_limit_exceeded') return 'retry-limit';
  // It fails, and there is nothing that a fixer could be given.
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
