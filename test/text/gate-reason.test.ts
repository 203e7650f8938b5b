import { describe, expect, test } from 'vitest';
import type { GateOutcome, GateReason, SlotOutcome } from '../../src/domain/run.ts';
import { tellGateDetail, tellGateReason, tellSlotReason } from '../../src/text/gate-reason.ts';
import { gateOutcome, slotOutcome } from '../support/run-samples.ts';

const GATE_REASONS: Readonly<Record<GateReason, RegExp>> = {
  passed: /^passed$/,
  'unchanged-since-pass': /unchanged/,
  'marked-as-passed': /marked/,
  'open-findings': /findings are open/,
  'slots-to-run': /not reviewed yet/,
  'could-not-judge': /no verdict/,
  'changed-meanwhile': /changed while.*run again/,
  'check-failed': /command failed/,
  'check-broken': /could not be run/,
  'check-to-run': /has not passed/,
  'check-keeps-changing-files': /change files each time/,
  'stopped-by-check': /a check failed.*--all/,
  'retry-limit': /too often/,
  interrupted: /interrupted/,
};

test.each(Object.entries(GATE_REASONS))('why a gate stands as it does: %s', (why, expected) => {
  expect(tellGateReason(why as GateReason)).toMatch(expected);
});

type SlotReason = Exclude<SlotOutcome['why'], NonNullable<SlotOutcome['trouble']>['kind']>;
const SLOT_REASONS: Readonly<Record<SlotReason, RegExp>> = {
  'first-run': /first look/,
  'first-look': /first look/,
  'only-reviewer': /only reviewer/,
  'not-passed': /had not passed/,
  'safety-latch': /safety latch/,
  'after-pass': /after the gate held/,
  certify: /certified/,
  forced: /--force/,
  'asked-for': /asked for/,
  'passed-before': /passed before/,
  covers: /passed what is there/,
  waived: /waived/,
  'marked-as-passed': /marked/,
  delta: /what changed since/,
  'final-validation': /final/,
  'session-differs': /another agent, model, version or prompt/,
  'cannot-resume': /cannot be resumed/,
  'session-lost': /session is lost/,
  'no-changes': /nothing changed/,
  'resume-dearer': /cheaper/,
  'delta-too-large': /too much changed/,
};

describe('why a slot was asked as it was', () => {
  test.each(Object.entries(SLOT_REASONS))('%s', (why, expected) => {
    expect(tellSlotReason(slotOutcome({ why: why as SlotReason }))).toMatch(expected);
  });

  test('of one that is not asked, whether it ever passed', () => {
    const notAsked = { why: 'not-passed', status: 'not_run' } as const;
    expect(tellSlotReason(slotOutcome(notAsked))).toBe('has not passed');
    expect(tellSlotReason(slotOutcome({ ...notAsked, passIteration: 3 }))).toBe(
      'passed in iteration 3, not on what is there now',
    );
  });

  test('trouble is told before anything else', () => {
    expect(tellSlotReason(slotOutcome({ why: 'not-passed', trouble: { kind: 'stale' } }))).toMatch(
      /files changed while/,
    );
  });

  test('a reason without words of its own is told as it is', () => {
    expect(tellSlotReason(slotOutcome({ why: 'budget' }))).toBe('budget');
  });
});

describe('the end of a line about a gate', () => {
  const check = { command: 'npm run lint', exitCode: 1, overtime: null, durationMs: 5, tail: '' };
  test.each<[string, Partial<GateOutcome>, string]>([
    ['a review', { status: 'fail', why: 'open-findings' }, 'findings are open'],
    ['a check that failed', { status: 'fail', why: 'check-failed', check }, 'npm run lint: exit code 1'],
    [
      'a check that was ended',
      { status: 'fail', why: 'check-failed', check: { ...check, exitCode: null } },
      'npm run lint: was ended by a signal',
    ],
    [
      'a check that did not end',
      { status: 'fail', why: 'check-failed', check: { ...check, exitCode: null, overtime: 1 } },
      'npm run lint: did not end within 1 second',
    ],
    ['a check that passed', { status: 'pass', why: 'passed', check: { ...check, exitCode: 0 } }, 'passed'],
    ['a check that could not be run', { status: 'error', why: 'check-broken', check }, 'the command could not be run'],
  ])('%s', (_title, differs, expected) => {
    expect(tellGateDetail(gateOutcome(differs))).toBe(expected);
  });

  test('is in one line, whatever the command', () => {
    const long = { ...check, command: 'npm ci\nnpm test\n' };
    expect(tellGateDetail(gateOutcome({ status: 'fail', why: 'check-failed', check: long }))).not.toContain('\n');
  });
});
