import { checkRecord } from '@onceover/testing/record-samples.ts';
import { checkGate } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { failedChecks } from '../../../src/run/read/failing-checks.ts';
import type { CheckRecord } from '../../../src/run/record-types.ts';

const { branch, mergeBase } = checkRecord();
const WHERE = { branch, mergeBase };

const failed = (differs: Partial<CheckRecord> = {}) => checkRecord({ status: 'fail', ...differs });

test.each<[string, readonly CheckRecord[], expected: readonly number[]]>([
  ['it never ran', [], []],
  ['it failed', [failed()], [1]],
  ['it ended in an error', [failed({ status: 'error' })], [1]],
  ['the last run counts', [failed({ iteration: 9 }), failed({ iteration: 10 }), checkRecord({ iteration: 2 })], [10]],
  ['it passed since, on another tree', [failed(), checkRecord({ iteration: 2 })], []],
  ['another check failed', [failed({ gate: 'check:.:test' })], []],
  ['another command failed', [failed({ command: 'npm test' })], []],
  ['it failed on another branch', [failed({ branch: 'refs/heads/other' })], []],
])('%s', (_title, records, expected) => {
  const told = failedChecks([{ gate: checkGate(), holds: false }], records, WHERE);
  expect(told.map(({ iteration }) => iteration)).toEqual(expected);
});

test('a check that passes has not failed, even if its records say so', () => {
  expect(failedChecks([{ gate: checkGate(), holds: true }], [failed()], WHERE)).toEqual([]);
});
