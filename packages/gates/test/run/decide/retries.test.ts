import { slotRecord } from '@onceover/testing/record-samples.ts';
import { claim, finding, held, records, subjectOf, violation, waiver } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import type { KnownFinding } from '../../../src/findings/types.ts';
import { failingIterations, passedWithoutLaterFailure } from '../../../src/run/decide/gate-state.ts';
import type { SlotRecord } from '../../../src/run/record-types.ts';
import type { HeldReceipt } from '../../../src/run/types.ts';

const GATE = subjectOf().subject;
const FAILED_TWICE = ['1.1 fail', '2.1 pass', '1.2 fail', '2.2 rest@1'];
const later = (iteration: number) => `2026-03-01T12:00:0${iteration}.500Z`;

describe('failing iterations', () => {
  test.each<[string, readonly string[], HeldReceipt | null, number]>([
    ['nothing has run', [], null, 0],
    ['one failed', ['1.1 pass', '2.1 fail'], null, 1],
    ['two slots failed in one iteration', ['1.1 fail', '2.1 fail'], null, 1],
    ['failed twice in a row', FAILED_TWICE, null, 2],
    ['an error neither counts nor resets the count', [...FAILED_TWICE, '1.3 error', '2.3 pass'], null, 2],
    ['an error beside a failure', ['1.1 error', '2.1 fail'], null, 1],
    [
      'a pass of a slot does not reset the count, because the gate may not have passed',
      [...FAILED_TWICE, '1.3 pass', '2.3 rest@1'],
      null,
      2,
    ],
    ['the gate passed without running', FAILED_TWICE, held(2), 0],
    ['the gate passed in between', [...FAILED_TWICE, '1.3 pass', '2.3 rest@1', '1.4 fail', '2.4 rest@1'], held(3), 1],
    ['the gate passed before all of them', ['1.5 fail', '1.6 fail'], held(1), 2],
    ['records in any order', ['1.4 fail', ...FAILED_TWICE], held(2), 1],
    ['the content changed before every iteration', ['1.1 fail c3', '1.2 fail c2', '1.3 fail'], null, 1],
    ['the content changed since the last iteration', ['1.1 fail c0', '1.2 fail c0', '1.3 fail c0'], null, 0],
    ['earlier iterations without progress', ['1.1 fail c0', '1.2 fail c0', '1.3 fail'], null, 2],
    ['content that was reviewed before is not new', ['1.1 fail', '1.2 fail c0', '1.3 fail'], null, 2],
    ['a slot closed its finding', ['1.1 fail', '2.1 fail', '1.2 pass', '2.2 fail'], null, 1],
    ['an error closes nothing', ['1.1 fail', '2.1 fail', '1.2 error', '2.2 fail'], null, 2],
    ['only waived findings were reported again', ['1.1 waived', '2.1 pass'], null, 0],
    ['warnings do not fail', ['1.1 warned', '2.1 pass'], null, 0],
  ])('%s', (_title, cycle, since, expected) => {
    expect(failingIterations(GATE, records(...cycle), [], since)).toBe(expected);
  });

  test.each<[string, number, number]>([
    ['in an iteration before the gate passed', 1, 0],
    ['in a later iteration', 3, 1],
  ])('a record without a timestamp, %s', (_title, iteration, expected) => {
    const byHand = slotRecord({ status: 'fail', own: null, timestamp: '', iteration });
    expect(failingIterations(GATE, [byHand, ...records('1.2 pass')], [], held(2))).toBe(expected);
  });

  test.each<[string, SlotRecord, number]>([
    ['a record written by hand', slotRecord({ status: 'fail', own: null }), 1],
    [
      'a finding that was claimed as fixed and is not',
      slotRecord({ status: 'fail', violations: [violation({ state: 'fixed_claimed' })] }),
      1,
    ],
    ['a record without a timestamp', slotRecord({ status: 'fail', own: null, timestamp: '' }), 1],
  ])('%s counts', (_title, record, expected) => {
    expect(failingIterations(GATE, [record], [], null)).toBe(expected);
  });

  test.each<[string, readonly KnownFinding[], number]>([
    ['a waiver', [finding({ resolution: waiver('', later(1)) })], 1],
    ['a claim', [finding({ resolution: claim('', later(1)) })], 1],
    ['a claim that was refuted', [finding({ resolution: { ...claim('', later(1)), how: 'refuted' } })], 1],
    ['after all of them', [finding({ resolution: claim('', later(2)) })], 0],
    [
      'the last resolution counts',
      [finding({ resolution: claim('', later(2)) }), finding({ resolution: waiver('', later(1)) })],
      0,
    ],
    ['no resolution', [finding()], 2],
  ])('since a finding was resolved: %s', (_title, findings, expected) => {
    expect(failingIterations(GATE, records(...FAILED_TWICE), findings, null)).toBe(expected);
  });

  test('the prompt changed', () => {
    const edited = { ...GATE, promptDigest: 'p2' };
    expect(failingIterations(edited, records(...FAILED_TWICE), [], null)).toBe(0);
  });

  test('one of two findings was closed', () => {
    const both = [violation({ id: 'F1' }), violation({ id: 'F2' })];
    const cycle = [both, [violation({ id: 'F2' })]].map((violations, i) =>
      slotRecord({ status: 'fail', violations, iteration: i + 1 }),
    );
    expect(failingIterations(GATE, cycle, [], null)).toBe(1);
  });

  test('a record without a timestamp counts as newer than a resolution', () => {
    const old = slotRecord({ status: 'fail', own: null, timestamp: '' });
    expect(failingIterations(GATE, [old], [finding({ resolution: waiver() })], null)).toBe(1);
  });
});

describe('whether the gate passed, without a failure or error since', () => {
  test.each<[string, readonly string[], HeldReceipt | null, boolean]>([
    ['the gate never passed', ['1.1 pass', '2.1 pass'], null, false],
    ['nothing has run since', ['1.1 pass', '2.1 pass'], held(1), true],
    ['a slot passed since', ['1.1 pass', '2.1 pass', '1.2 pass', '2.2 rest@1'], held(1), true],
    ['a slot passed with a warning since', ['1.2 warned', '2.2 pass'], held(1), true],
    ['a slot reported only waived findings since', ['1.2 waived', '2.2 pass'], held(1), true],
    ['a slot failed before', ['1.1 fail', '2.1 pass', '1.2 pass', '2.2 rest@1'], held(2), true],
    ['a slot failed since', ['1.1 pass', '2.1 pass', '1.2 fail', '2.2 rest@1'], held(1), false],
    ['a slot ended in an error since', ['1.1 pass', '2.1 pass', '1.2 error', '2.2 pass'], held(1), false],
  ])('%s', (_title, cycle, since, expected) => {
    expect(passedWithoutLaterFailure(records(...cycle), since)).toBe(expected);
  });
});
