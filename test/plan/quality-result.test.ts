import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QualityGateError } from '../../src/domain/quality.ts';
import { parseQualityResult } from '../../src/plan/quality-result.ts';

const FAILED = { passed: false, feedback: 'No feedback provided', criteria_results: [] };

test('what is there is taken as it is [JOBS-REQ-004.9.1]', () => {
  const said = {
    passed: true,
    feedback: 'Good.',
    criteria_results: [
      { criterion: 'Clear', passed: true, feedback: 'Yes.' },
      { criterion: 'Short', passed: false, feedback: null },
      { criterion: 'True', passed: true },
    ],
    confidence: 0.9,
  };
  expect(parseQualityResult(said)).toEqual({
    passed: true,
    feedback: 'Good.',
    criteria_results: [...said.criteria_results.slice(0, 2), { criterion: 'True', passed: true, feedback: null }],
  });
});

test.each<[string, object, object]>([
  ['without passed it is false [JOBS-REQ-004.9.2]', { feedback: 'x' }, { ...FAILED, feedback: 'x' }],
  ['without feedback it has words of its own [JOBS-REQ-004.9.3]', { passed: true }, { ...FAILED, passed: true }],
  [
    'without criteria_results there are none [JOBS-REQ-004.9.4]',
    { passed: true, feedback: 'x' },
    { passed: true, feedback: 'x', criteria_results: [] },
  ],
  ['an empty object', {}, FAILED],
  ['null is as good as missing', { passed: null, feedback: null, criteria_results: null }, FAILED],
  ['empty feedback is feedback', { passed: true, feedback: '' }, { passed: true, feedback: '', criteria_results: [] }],
])('%s', (_, data, expected) => {
  expect(parseQualityResult(data)).toEqual(expected);
});

describe('what cannot be interpreted [JOBS-REQ-004.9.5]', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'it is missing where an object belongs'],
    ['null', null, 'it is null where an object belongs'],
    ['an empty list', [], 'it is an array where an object belongs'],
    ['a list with an answer', [{ passed: true }], 'it is an array where an object belongs'],
    ['a string', 'passed', 'it is a string where an object belongs'],
    ['a string of JSON', '{"passed":true}', 'it is a string where an object belongs'],
    ['true', true, 'it is a boolean where an object belongs'],
    ['a number', 1, 'it is a number where an object belongs'],
    ['a word for passed', { passed: 'yes' }, '"passed" is a string where a boolean belongs'],
    ['"true" for passed', { passed: 'true' }, '"passed" is a string where a boolean belongs'],
    ['1 for passed', { passed: 1 }, '"passed" is a number where a boolean belongs'],
    ['feedback in parts', { passed: true, feedback: ['x'] }, '"feedback" is an array where a string belongs'],
    ['one result', { criteria_results: { criterion: 'x' } }, '"criteria_results" is an object where an array belongs'],
    ['a name as a result', { criteria_results: ['x'] }, '"criteria_results[0]" is a string where an object belongs'],
    [
      'a result without name',
      { criteria_results: [{ passed: true }] },
      '"criteria_results[0].criterion" is missing where a string belongs',
    ],
    [
      'a result without verdict',
      { passed: true, criteria_results: [{ criterion: 'x', passed: true }, { criterion: 'y' }] },
      '"criteria_results[1].passed" is missing where a boolean belongs',
    ],
    [
      'a result with a word',
      { criteria_results: [{ criterion: 'x', passed: 'yes' }] },
      '"criteria_results[0].passed" is a string where a boolean belongs',
    ],
    [
      'a result with other feedback',
      { criteria_results: [{ criterion: 'x', passed: true, feedback: 1 }] },
      '"criteria_results[0].feedback" is a number where a string or null belongs',
    ],
  ])('%s', (_, data, why) => {
    const message = `The reviewer's answer cannot be interpreted: ${why}.`;
    expect(() => parseQualityResult(data)).toThrow(new QualityGateError(message));
  });
});

test('whatever comes is a verdict or a QualityGateError, and passes only where it says true', () => {
  const some = fc.oneof(
    fc.anything(),
    fc.record(
      { passed: fc.anything(), feedback: fc.anything(), criteria_results: fc.anything() },
      { requiredKeys: [] },
    ),
    fc.record({
      passed: fc.boolean(),
      feedback: fc.string(),
      criteria_results: fc.array(fc.record({ criterion: fc.string(), passed: fc.anything(), feedback: fc.anything() })),
    }),
  );
  fc.assert(
    fc.property(some, (data) => {
      try {
        const result = parseQualityResult(data);
        expect(Object.keys(result)).toEqual(['passed', 'feedback', 'criteria_results']);
        expect(result.passed).toBe((data as { passed?: unknown }).passed === true);
      } catch (error) {
        expect(error).toBeInstanceOf(QualityGateError);
      }
    }),
    { numRuns: 500 },
  );
});
