import type { SlotPlan } from '../domain/slot.ts';

/** The line that a log has for a slot which rests or runs as the last resort; null where nothing is to be said. */
export function tellSlot(plan: SlotPlan): string | null {
  if (plan.kind === 'skip') {
    return `Skipping @${plan.slot}: previously passed in iteration ${plan.passIteration} (num_reviews > 1)`;
  }
  return plan.why === 'safety-latch' ? `Running @${plan.slot}: safety latch (all slots previously passed)` : null;
}
