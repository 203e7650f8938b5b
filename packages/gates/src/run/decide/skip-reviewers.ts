import { grouped } from '@onceover/base/kernel/collections';
import type { RunReason, SlotNumber, SlotPlan, SlotRun } from '../../gate-types.ts';

/** The records of this clone about a reviewer. They know nothing of passes of other clones. */
type IterationPlan = Exclude<SlotPlan, { kind: 'accept' }>;

/**
 * Returns which reviewers (slots) of a gate run in the next iteration. A reviewer whose last review passed is skipped
 * if another one runs. If all passed, reviewer 1 runs (the safety latch), so that every iteration has at least one
 * review.
 */
export function planSlots(numReviews: number, history: readonly SlotRun[]): readonly IterationPlan[] {
  const slots = Array.from({ length: numReviews }, (_, i) => {
    const slotRuns = history.filter((run) => run.slot === i + 1);
    return { slot: i + 1, isNew: slotRuns.length === 0, passed: lastPassIteration(slotRuns) };
  });
  const run = (slot: SlotNumber, why: RunReason): IterationPlan => ({ kind: 'run', slot, why });
  if (numReviews === 1) return slots.map(({ slot, isNew }) => run(slot, isNew ? 'first-run' : 'only-reviewer'));
  const allPassed = slots.every(({ passed }) => passed !== null);
  return slots.map(({ slot, isNew, passed }) => {
    if (passed === null) return run(slot, isNew ? 'first-run' : 'not-passed');
    return allPassed && slot === 1 ? run(slot, 'safety-latch') : { kind: 'skip', slot, passIteration: passed };
  });
}

/** Returns the iteration in which the reviewer last passed, if it was only skipped since; otherwise `null`. */
export function lastPassIteration(runs: readonly SlotRun[]): number | null {
  const passes = new Map<number, number | null>();
  let latest: number | null = null;
  for (const [iteration, records] of byIteration(runs)) {
    const previousPass: number | null = latest;
    const passIterations = records.map((record): number | null => passOf(record, passes, previousPass));
    // If a reviewer has two records for one iteration, it passed only if both passed.
    latest = passIterations.every((pass) => pass !== null) ? Math.min(...passIterations) : null;
    passes.set(iteration, latest);
  }
  return latest;
}

/**
 * Returns the iteration in which the reviewer passed, according to this record: a record of a pass names itself, and a
 * record of a skip refers to an earlier pass. `null` if no pass counts.
 */
function passOf(record: SlotRun, passes: ReadonlyMap<number, number | null>, before: number | null): number | null {
  if (record.status === 'pass') return record.violations === 0 ? record.iteration : null;
  if (record.status !== 'skipped_prior_pass') return null;
  const { passIteration: namedIteration } = record;
  // The record of this skip names no valid iteration, so assume that it refers to the latest pass before it.
  if (
    namedIteration === null ||
    !Number.isInteger(namedIteration) ||
    namedIteration < 1 ||
    namedIteration >= record.iteration
  )
    return before;
  // If the iteration that a skip names has records, believe those: the reviewer may not have passed in it.
  const pass = passes.get(namedIteration);
  return pass === undefined ? namedIteration : pass;
}

export function byIteration<T extends { readonly iteration: number }>(
  records: readonly T[],
): readonly (readonly [iteration: number, own: readonly T[]])[] {
  return [...grouped(records, ({ iteration }) => iteration)].sort(([a], [b]) => a - b);
}
