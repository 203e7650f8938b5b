import { expect, test } from 'vitest';
import type { CheckEnd } from '../../src/domain/ports.ts';
import { checkLog, checkOutput, tellCheckEnd } from '../../src/text/check.ts';
import { checkRecord } from '../support/record-samples.ts';

test.each<[CheckEnd['ending'], number | null, string]>([
  ['by-itself', 0, 'ended with exit code 0'],
  ['by-itself', 2, 'ended with exit code 2'],
  ['by-itself', null, 'was ended by a signal'],
  ['timeout', null, 'did not end within 120 seconds'],
  ['cancelled', null, 'was stopped'],
  ['not-started', null, 'could not be started'],
])('a check that ended %s with %s', (ending, exitCode, expected) => {
  expect(tellCheckEnd({ ending, exitCode }, 120)).toBe(expected);
});

test('one second is one', () => {
  expect(tellCheckEnd({ ending: 'timeout', exitCode: null }, 1)).toBe('did not end within 1 second');
});

test('the log of a check that passed', () => {
  expect(checkLog(checkRecord(), 'fine\n\n')).toBe(
    'Check: check:.:lint\nCommand: npm run lint\n\nfine\n\nResult: pass\n',
  );
});

test('the log of one that failed says why', () => {
  const record = checkRecord({ status: 'fail', why: 'ended with exit code 1' });
  expect(checkLog(record, 'no')).toBe(
    'Check: check:.:lint\nCommand: npm run lint\n\nno\n\nResult: fail - ended with exit code 1\n',
  );
});

test('of a log that is cut off nothing is taken for the end', () => {
  expect(checkOutput(checkLog(checkRecord(), 'one\n\ntwo\nthree').slice(0, -25))).toEqual([]);
});

test.each([
  ['', []],
  ['one\n', ['one']],
  ['one\n\ntwo\nResult: none', ['one', 'two', 'Result: none']],
])('what was printed is found in the log again: %j', (output, expected) => {
  expect(checkOutput(checkLog(checkRecord(), output))).toEqual(expected);
  expect(checkOutput(checkLog(checkRecord({ command: 'a\nb' }), output))).toEqual(expected);
});
