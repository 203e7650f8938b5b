import { gateOutcome, slotOutcome } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { describeGateDetail, describeSlotReason, GATE_REASONS } from '../../src/result/describe/reasons.ts';
import type { GateOutcome, GateReason, SlotOutcome } from '../../src/result/types.ts';

const EXPECTED: Readonly<Record<GateReason, RegExp>> = {
  passed: /^passed$/,
  'unchanged-since-pass': /unchanged/,
  'marked-as-passed': /marked/,
  accepted: /accepted/,
  waived: /findings are waived/,
  'no-agent': /no agent can review/,
  'open-findings': /has open findings/,
  'unchanged-since-fail': /unchanged since it failed.*--force/,
  'slots-to-run': /current code is not reviewed yet/,
  'could-not-judge': /has no result/,
  'changed-meanwhile': /changed during the review; run again/,
  'check-failed': /command failed/,
  'check-broken': /could not be run/,
  'check-to-run': /has not passed/,
  'check-keeps-changing-files': /change files every time/,
  'stopped-by-check': /a check failed.*--all/,
  'retry-limit': /too often/,
  interrupted: /interrupted/,
};

test.each(Object.entries(EXPECTED))('describes why a gate has its status: %s', (why, expected) => {
  expect(GATE_REASONS[why as GateReason]).toMatch(expected);
});

type SlotReason = Exclude<SlotOutcome['why'], NonNullable<SlotOutcome['trouble']>['kind']>;
const SLOT_REASONS: Readonly<Record<SlotReason, RegExp>> = {
  'first-run': /first review/,
  'first-look': /first review/,
  'only-reviewer': /only reviewer/,
  'not-passed': /had not passed/,
  'safety-latch': /safety latch/,
  'after-pass': /new since the gate passed/,
  certify: /certify/,
  forced: /--force/,
  'asked-for': /requested/,
  'passed-before': /already passed/,
  covers: /passed the current code/,
  waived: /waived/,
  accepted: /accepted/,
  'marked-as-passed': /marked/,
  delta: /only the changes since/,
  'final-validation': /final/,
  'session-differs': /another agent, model, version or prompt/,
  'cannot-resume': /cannot be resumed/,
  'session-lost': /session is lost/,
  'no-changes': /unchanged since its last review/,
  'resume-dearer': /cheaper/,
  'reading-continued': /continues from the shared reading/,
  'delta-too-large': /too much changed/,
};

describe('the reason of a reviewer', () => {
  test.each(Object.entries(SLOT_REASONS))('%s', (why, expected) => {
    expect(describeSlotReason(slotOutcome({ why: why as SlotReason }))).toMatch(expected);
  });

  test('says whether a reviewer that did not run ever passed', () => {
    const notAsked = { why: 'not-passed', status: 'not_run' } as const;
    expect(describeSlotReason(slotOutcome(notAsked))).toBe('has not passed');
    expect(describeSlotReason(slotOutcome({ ...notAsked, passIteration: 3 }))).toBe(
      'passed in run 3, but not on the current code',
    );
  });

  test('is the error, if there is one', () => {
    expect(describeSlotReason(slotOutcome({ why: 'not-passed', trouble: { kind: 'stale' } }))).toMatch(
      /files changed while/,
    );
  });

  test('is the code itself, if there are no words for it', () => {
    expect(describeSlotReason(slotOutcome({ why: 'budget' }))).toBe('budget');
  });
});

describe('the detail of a gate', () => {
  const check = { command: 'npm run lint', exitCode: 1, why: 'exit code 1', durationMs: 5, tail: '' };
  test.each<[string, Partial<GateOutcome>, string]>([
    ['a review', { status: 'fail', why: 'open-findings' }, 'it has open findings'],
    ['a check that failed', { status: 'fail', why: 'check-failed', check }, 'npm run lint: exit code 1'],
    [
      'a check that a signal ended',
      { status: 'fail', why: 'check-failed', check: { ...check, exitCode: null, why: 'was ended by a signal' } },
      'npm run lint: was ended by a signal',
    ],
    [
      'a check that timed out',
      { status: 'fail', why: 'check-failed', check: { ...check, exitCode: null, why: 'did not end within 1 second' } },
      'npm run lint: did not end within 1 second',
    ],
    ['a check that passed', { status: 'pass', why: 'passed', check: { ...check, exitCode: 0 } }, 'passed'],
    ['a check that could not be run', { status: 'error', why: 'check-broken', check }, 'the command could not be run'],
  ])('%s', (_title, differs, expected) => {
    expect(describeGateDetail(gateOutcome(differs))).toBe(expected);
  });

  test('has one line for a command of several lines', () => {
    const long = { ...check, command: 'npm ci\nnpm test\n' };
    expect(describeGateDetail(gateOutcome({ status: 'fail', why: 'check-failed', check: long }))).not.toContain('\n');
  });
});
