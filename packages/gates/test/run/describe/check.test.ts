import type { CheckEnd } from '@onceover/base/kernel/ports';
import { checkRecord } from '@onceover/testing/record-samples.ts';
import { expect, test } from 'vitest';
import { describeCheckEnd } from '../../../src/result/describe/reasons.ts';
import { checkLog, checkOutput } from '../../../src/run/describe/check-log.ts';

test.each<[CheckEnd['ending'], number | null, string]>([
  ['by-itself', 0, 'exit code 0'],
  ['by-itself', 2, 'exit code 2'],
  ['by-itself', 127, 'exit code 127 (command not found)'],
  ['by-itself', null, 'was ended by a signal'],
  ['timeout', null, 'did not end within 120 seconds'],
  ['cancelled', null, 'was stopped'],
  ['not-started', null, 'could not be started'],
])('describes a check that ended %s with %s', (ending, exitCode, expected) => {
  expect(describeCheckEnd({ ending, exitCode }, 120)).toBe(expected);
});

test('one second is in the singular', () => {
  expect(describeCheckEnd({ ending: 'timeout', exitCode: null }, 1)).toBe('did not end within 1 second');
});

test('the log of a passed check has command, output and result', () => {
  expect(checkLog(checkRecord(), 'fine\n\n')).toBe(
    'Check: check:.:lint\nCommand: npm run lint\n\nfine\n\nResult: pass\n',
  );
});

test('the log of a failed check has the reason', () => {
  const record = checkRecord({ status: 'fail', why: 'exit code 1' });
  expect(checkLog(record, 'no')).toBe(
    'Check: check:.:lint\nCommand: npm run lint\n\nno\n\nResult: fail - exit code 1\n',
  );
});

test('a log that is cut off has no output lines', () => {
  expect(checkOutput(checkLog(checkRecord(), 'one\n\ntwo\nthree').slice(0, -25))).toEqual([]);
});

test.each([
  ['', []],
  ['one\n', ['one']],
  ['one\n\ntwo\nResult: none', ['one', 'two', 'Result: none']],
])('reads the output back from the log: %j', (output, expected) => {
  expect(checkOutput(checkLog(checkRecord(), output))).toEqual(expected);
  expect(checkOutput(checkLog(checkRecord({ command: 'a\nb' }), output))).toEqual(expected);
});
