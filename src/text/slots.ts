import type { SlotPlan } from '../domain/slot.ts';

/** The line that a log has for a slot which rests or runs as the last resort; null where nothing is to be said. */
export function tellSlot(plan: SlotPlan): string | null {
  if (plan.kind === 'skip') {
    return `Skipping @${plan.slot}: previously passed in iteration ${plan.passIteration} (num_reviews > 1)`;
  }
  return plan.why === 'safety-latch' ? `Running @${plan.slot}: safety latch (all slots previously passed)` : null;
}

const WHY: Readonly<Record<Extract<SlotPlan, { kind: 'run' }>['why'], string>> = {
  'first-run': 'it has not looked here yet',
  'only-reviewer': 'it is the only reviewer',
  'not-passed': 'it has not passed',
  'safety-latch': 'safety latch (all slots previously passed)',
  'after-pass': 'the gate held, and the change is new (after_pass: all)',
  certify: 'it rested, and looks once more before the run passes (certify)',
  forced: 'asked for with --force',
  'asked-for': 'asked for with --fresh',
};

/** The line for every slot, planned in whatever way. */
export function tellPlan(plan: SlotPlan): string {
  return tellSlot(plan) ?? (plan.kind === 'run' ? `Running @${plan.slot}: ${WHY[plan.why]}` : '');
}
