import { describe, expect, test } from 'vitest';
import type { KnownFinding } from '../../src/domain/finding.ts';
import type { SlotRecord } from '../../src/domain/record.ts';
import { failingIterations, heldLast } from '../../src/plan/retries.ts';
import { slotRecord } from '../support/record-samples.ts';
import { claim, finding, records, violation, waiver } from '../support/run-samples.ts';

const FAILED_TWICE = ['1.1 fail', '2.1 pass', '1.2 fail', '2.2 rest@1'];
const later = (iteration: number) => `2026-03-01T12:00:0${iteration}.500Z`;

describe('failing iterations', () => {
  test.each<[string, readonly string[], number]>([
    ['nothing has run', [], 0],
    ['one failed', ['1.1 pass', '2.1 fail'], 1],
    ['two slots failed in one iteration', ['1.1 fail', '2.1 fail'], 1],
    ['twice in a row', FAILED_TWICE, 2],
    ['in whatever order the records come', [...FAILED_TWICE, '1.10 fail', '2.10 pass', '1.9 pass', '2.9 pass'], 1],
    ['it held in between', [...FAILED_TWICE, '1.3 pass', '2.3 rest@1', '1.4 fail', '2.4 rest@1'], 1],
    ['it holds', [...FAILED_TWICE, '1.3 pass', '2.3 rest@1'], 0],
    ['an error is no verdict: it neither counts nor clears', [...FAILED_TWICE, '1.3 error', '2.3 pass'], 2],
    ['an error beside a failure', ['1.1 error', '2.1 fail'], 1],
    ['a pass of one slot, the other was not asked', [...FAILED_TWICE, '1.3 pass'], 2],
    ['only what was waived was said again', ['1.1 waived', '2.1 pass'], 0],
    ['and that clears', [...FAILED_TWICE, '1.3 waived', '2.3 pass'], 0],
    ['warnings do not fail', [...FAILED_TWICE, '1.3 warned', '2.3 pass'], 0],
  ])('%s', (_title, cycle, expected) => {
    expect(failingIterations(records(...cycle), 2, [])).toBe(expected);
  });

  test.each<[string, SlotRecord, number]>([
    ['a record by hand', slotRecord({ status: 'fail', own: null }), 1],
    [
      'what was said to be fixed and is not',
      slotRecord({ status: 'fail', violations: [violation({ state: 'fixed_claimed' })] }),
      1,
    ],
    ['without a time', slotRecord({ status: 'fail', own: null, timestamp: '' }), 1],
  ])('%s counts', (_title, record, expected) => {
    expect(failingIterations([record], 1, [])).toBe(expected);
  });

  test.each<[string, readonly KnownFinding[], number]>([
    ['a waiver', [finding({ resolution: waiver('', later(1)) })], 1],
    ['a claim', [finding({ resolution: claim('', later(1)) })], 1],
    ['after all of them', [finding({ resolution: claim('', later(2)) })], 0],
    [
      'the last word counts',
      [finding({ resolution: claim('', later(2)) }), finding({ resolution: waiver('', later(1)) })],
      0,
    ],
    ['nothing was said', [finding()], 2],
  ])('since somebody resolved a finding: %s', (_title, findings, expected) => {
    expect(failingIterations(records(...FAILED_TWICE), 2, findings)).toBe(expected);
  });

  test('a record without a time is not known to be older than that', () => {
    const old = slotRecord({ status: 'fail', own: null, timestamp: '' });
    expect(failingIterations([old], 1, [finding({ resolution: waiver() })])).toBe(1);
  });
});

describe('whether it held, and nothing went wrong since', () => {
  test.each<[string, readonly string[], boolean]>([
    ['nothing has run', [], false],
    ['all passed', ['1.1 pass', '2.1 pass'], true],
    ['one passed, the other rests', ['1.1 pass', '2.1 fail', '1.2 rest@1', '2.2 pass'], true],
    ['with a warning', ['1.1 warned', '2.1 pass'], true],
    ['with what was waived', ['1.1 waived', '2.1 pass'], true],
    ['one failed', ['1.1 pass', '2.1 fail'], false],
    ['one gave no verdict', ['1.1 pass', '2.1 error'], false],
    ['one was not asked', ['1.1 pass'], false],
    ['an older one did', ['1.1 pass', '2.1 pass', '1.2 fail', '2.2 rest@1'], false],
    ['by number and not by text', ['1.10 fail', '2.10 pass', '1.9 pass', '2.9 pass'], false],
    ['one was not asked since', ['1.1 pass', '2.1 pass', '1.2 pass'], true],
    ['no verdict since', ['1.1 pass', '2.1 pass', '1.2 error', '2.2 pass'], false],
  ])('%s', (_title, cycle, expected) => {
    expect(heldLast(records(...cycle), 2)).toBe(expected);
  });
});
