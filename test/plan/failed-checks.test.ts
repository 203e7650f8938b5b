import { expect, test } from 'vitest';
import type { CheckRecord } from '../../src/domain/record.ts';
import { failedChecks } from '../../src/plan/failed-checks.ts';
import { checkRecord } from '../support/record-samples.ts';
import { checkGate } from '../support/run-samples.ts';

const { branch, mergeBase } = checkRecord();
const WHERE = { branch, mergeBase };

const failed = (differs: Partial<CheckRecord> = {}) => checkRecord({ status: 'fail', ...differs });

test.each<[string, readonly CheckRecord[], expected: readonly number[]]>([
  ['it never ran', [], []],
  ['it failed', [failed()], [1]],
  ['it could not be judged', [failed({ status: 'error' })], [1]],
  ['the last time counts', [failed({ iteration: 9 }), failed({ iteration: 10 }), checkRecord({ iteration: 2 })], [10]],
  ['it passed since, on something else', [failed(), checkRecord({ iteration: 2 })], []],
  ['another one failed', [failed({ gate: 'check:.:test' })], []],
  ['another command failed', [failed({ command: 'npm test' })], []],
  ['it failed on another branch', [failed({ branch: 'refs/heads/other' })], []],
])('%s', (_title, records, expected) => {
  const told = failedChecks([{ gate: checkGate(), holds: false }], records, WHERE);
  expect(told.map(({ iteration }) => iteration)).toEqual(expected);
});

test('a check that holds has not failed, whatever its records say', () => {
  expect(failedChecks([{ gate: checkGate(), holds: true }], [failed()], WHERE)).toEqual([]);
});
