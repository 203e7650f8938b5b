import { expect, test } from 'vitest';
import type { RunReason, SlotPlan } from '../../src/domain/slot.ts';
import { tellPlan, tellSlot } from '../../src/text/slots.ts';

const SKIP: SlotPlan = { kind: 'skip', slot: 2, passIteration: 4 };
const LINE = 'Skipping @2: previously passed in iteration 4 (num_reviews > 1)';

test('a slot that rests', () => {
  expect(tellSlot(SKIP)).toBe(LINE);
  expect(tellPlan(SKIP)).toBe(LINE);
});

const REASONS: Readonly<Record<RunReason, string>> = {
  'first-run': 'Running @1: it has not looked here yet',
  'only-reviewer': 'Running @1: it is the only reviewer',
  'not-passed': 'Running @1: it has not passed',
  'safety-latch': 'Running @1: safety latch (all slots previously passed)',
  'after-pass': 'Running @1: the gate held, and the change is new (after_pass: all)',
  certify: 'Running @1: it rested, and looks once more before the run passes (certify)',
  forced: 'Running @1: asked for with --force',
  'asked-for': 'Running @1: asked for with --fresh',
};

test.each(Object.entries(REASONS))('a slot that runs: %s', (why, expected) => {
  const plan: SlotPlan = { kind: 'run', slot: 1, why: why as RunReason };
  expect(tellPlan(plan)).toBe(expected);
  expect(tellSlot(plan)).toBe(why === 'safety-latch' ? expected : null);
});
