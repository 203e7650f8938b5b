import { describe, expect, test } from 'vitest';
import type { KnownFinding } from '../../src/domain/finding.ts';
import type { HeldReceipt } from '../../src/domain/receipt.ts';
import type { SlotRecord } from '../../src/domain/record.ts';
import { failingIterations, heldLast } from '../../src/plan/retries.ts';
import { slotRecord } from '../support/record-samples.ts';
import { claim, finding, held, records, violation, waiver } from '../support/run-samples.ts';

const FAILED_TWICE = ['1.1 fail', '2.1 pass', '1.2 fail', '2.2 rest@1'];
const later = (iteration: number) => `2026-03-01T12:00:0${iteration}.500Z`;

describe('failing iterations', () => {
  test.each<[string, readonly string[], HeldReceipt | null, number]>([
    ['nothing has run', [], null, 0],
    ['one failed', ['1.1 pass', '2.1 fail'], null, 1],
    ['two slots failed in one iteration', ['1.1 fail', '2.1 fail'], null, 1],
    ['twice in a row', FAILED_TWICE, null, 2],
    ['an error is no verdict: it neither counts nor clears', [...FAILED_TWICE, '1.3 error', '2.3 pass'], null, 2],
    ['an error beside a failure', ['1.1 error', '2.1 fail'], null, 1],
    ['passes alone do not clear: it may not have held', [...FAILED_TWICE, '1.3 pass', '2.3 rest@1'], null, 2],
    ['it held, and nothing ran when it did', FAILED_TWICE, held(2), 0],
    ['it held in between', [...FAILED_TWICE, '1.3 pass', '2.3 rest@1', '1.4 fail', '2.4 rest@1'], held(3), 1],
    ['it held before all of them', ['1.5 fail', '1.6 fail'], held(1), 2],
    ['in whatever order the records come', ['1.4 fail', ...FAILED_TWICE], held(2), 1],
    ['only what was waived was said again', ['1.1 waived', '2.1 pass'], null, 0],
    ['warnings do not fail', ['1.1 warned', '2.1 pass'], null, 0],
  ])('%s', (_title, cycle, since, expected) => {
    expect(failingIterations(records(...cycle), [], since)).toBe(expected);
  });

  test.each<[string, number, number]>([
    ['in an iteration that was over when it held', 1, 0],
    ['in a later one', 3, 1],
  ])('a record without a time, %s', (_title, iteration, expected) => {
    const byHand = slotRecord({ status: 'fail', own: null, timestamp: '', iteration });
    expect(failingIterations([byHand, ...records('1.2 pass')], [], held(2))).toBe(expected);
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
    expect(failingIterations([record], [], null)).toBe(expected);
  });

  test.each<[string, readonly KnownFinding[], number]>([
    ['a waiver', [finding({ resolution: waiver('', later(1)) })], 1],
    ['a claim', [finding({ resolution: claim('', later(1)) })], 1],
    ['a claim that was refuted', [finding({ resolution: { ...claim('', later(1)), how: 'refuted' } })], 1],
    ['after all of them', [finding({ resolution: claim('', later(2)) })], 0],
    [
      'the last word counts',
      [finding({ resolution: claim('', later(2)) }), finding({ resolution: waiver('', later(1)) })],
      0,
    ],
    ['nothing was said', [finding()], 2],
  ])('since somebody resolved a finding: %s', (_title, findings, expected) => {
    expect(failingIterations(records(...FAILED_TWICE), findings, null)).toBe(expected);
  });

  test('a record without a time is not known to be older than that', () => {
    const old = slotRecord({ status: 'fail', own: null, timestamp: '' });
    expect(failingIterations([old], [finding({ resolution: waiver() })], null)).toBe(1);
  });
});

describe('whether it held, and nothing went wrong since', () => {
  test.each<[string, readonly string[], HeldReceipt | null, boolean]>([
    ['it never did', ['1.1 pass', '2.1 pass'], null, false],
    ['nothing has run since', ['1.1 pass', '2.1 pass'], held(1), true],
    ['it passed since', ['1.1 pass', '2.1 pass', '1.2 pass', '2.2 rest@1'], held(1), true],
    ['with a warning', ['1.2 warned', '2.2 pass'], held(1), true],
    ['with what was waived', ['1.2 waived', '2.2 pass'], held(1), true],
    ['one failed before', ['1.1 fail', '2.1 pass', '1.2 pass', '2.2 rest@1'], held(2), true],
    ['one failed since', ['1.1 pass', '2.1 pass', '1.2 fail', '2.2 rest@1'], held(1), false],
    ['no verdict since', ['1.1 pass', '2.1 pass', '1.2 error', '2.2 pass'], held(1), false],
  ])('%s', (_title, cycle, since, expected) => {
    expect(heldLast(records(...cycle), since)).toBe(expected);
  });
});
