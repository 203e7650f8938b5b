import { expect, test } from 'vitest';
import type { RunReason, SlotPlan } from '../../src/gate-types.ts';
import { describePlan, describeReviewerPlan } from '../../src/result/describe/reasons.ts';

const SKIP: SlotPlan = { kind: 'skip', slot: 2, passIteration: 4 };
const LINE = 'Skipping @2: previously passed in iteration 4 (num_reviews > 1)';

test('describes a skipped slot in the log and for people', () => {
  expect(describePlan(SKIP)).toBe(LINE);
  expect(describeReviewerPlan(SKIP)).toBe('skip reviewer 2: already passed in run 4');
});

const REASONS: Readonly<Record<RunReason, string>> = {
  'first-run': 'Running @1: first review',
  'only-reviewer': 'Running @1: the only reviewer always runs',
  'not-passed': 'Running @1: it had not passed before',
  'safety-latch': 'Running @1: safety latch (all slots previously passed)',
  'after-pass': 'Running @1: the change is new since the gate passed (after_pass: all)',
  certify: 'Running @1: it was skipped before, and has to review the current code before the run passes (certify)',
  forced: 'Running @1: requested with --force',
  'asked-for': 'Running @1: a new session was requested',
};

test.each(Object.entries(REASONS))('describes a slot that runs: %s', (why, expected) => {
  const plan: SlotPlan = { kind: 'run', slot: 1, why: why as RunReason };
  expect(describePlan(plan)).toBe(expected);
  expect(describeReviewerPlan(plan)).toBe(expected.replace('Running @1', 'run reviewer 1'));
});
