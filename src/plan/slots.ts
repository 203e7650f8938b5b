import type { SlotNumber, SlotPlan, SlotRun } from '../domain/slot.ts';
import { byIteration } from './iterations.ts';

/**
 * Which reviewers of a gate run in the next iteration. One that passed last rests while another runs; if all would rest,
 * the first runs. So at least one runs every time.
 */
export function planSlots(numReviews: number, history: readonly SlotRun[]): readonly SlotPlan[] {
  const slots = Array.from({ length: numReviews }, (_, i) => {
    const own = history.filter((run) => run.slot === i + 1);
    return { slot: i + 1, isNew: own.length === 0, passed: passedIn(own) };
  });
  if (numReviews === 1) return slots.map(({ slot, isNew }) => run(slot, isNew ? 'first-run' : 'only-reviewer'));
  const allPassed = slots.every(({ passed }) => passed !== null);
  return slots.map(({ slot, isNew, passed }) => {
    if (passed === null) return run(slot, isNew ? 'first-run' : 'not-passed');
    return allPassed && slot === 1 ? run(slot, 'safety-latch') : { kind: 'skip', slot, passIteration: passed };
  });
}

function run(slot: SlotNumber, why: Extract<SlotPlan, { kind: 'run' }>['why']): SlotPlan {
  return { kind: 'run', slot, why };
}

/** The iteration in which the slot passed, if its latest one was a pass or a rest after one; else null. */
export function passedIn(own: readonly SlotRun[]): number | null {
  const known = new Map<number, number | null>();
  let latest: number | null = null;
  for (const [iteration, records] of byIteration(own)) {
    const before: number | null = latest;
    const passes = records.map((record): number | null => passOf(record, known, before));
    // Two records of one slot and iteration count as a pass only if both are.
    latest = passes.every((pass) => pass !== null) ? Math.min(...passes) : null;
    known.set(iteration, latest);
  }
  return latest;
}

/** `known`: in which iteration the slot had passed, as of each iteration before the record's; `before`: as of the last. */
function passOf(record: SlotRun, known: ReadonlyMap<number, number | null>, before: number | null): number | null {
  if (record.status === 'pass') return record.violations === 0 ? record.iteration : null;
  if (record.status !== 'skipped_prior_pass') return null;
  const { passIteration: said } = record;
  // A rest that does not say since when is as good as the newest thing before it.
  if (said === null || !Number.isInteger(said) || said < 1 || said >= record.iteration) return before;
  // It is as good as what it rests on, where that is known.
  const meant = known.get(said);
  return meant === undefined ? said : meant;
}
