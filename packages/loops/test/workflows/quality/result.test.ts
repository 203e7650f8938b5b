import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QualityGateError } from '../../../src/workflows/quality/types.ts';
import { parseQualityResult } from '../../../src/workflows/quality/verdict.ts';

const FAILED = { passed: false, feedback: 'No feedback provided', criteria_results: [] };

test('takes existing fields literally [JOBS-REQ-004.9.1]', () => {
  const answer = {
    passed: true,
    feedback: 'Good.',
    criteria_results: [
      { criterion: 'Clear', passed: true, feedback: 'Yes.' },
      { criterion: 'Short', passed: false, feedback: null },
      { criterion: 'True', passed: true },
    ],
    confidence: 0.9,
  };
  expect(parseQualityResult(answer)).toEqual({
    passed: true,
    feedback: 'Good.',
    criteria_results: [...answer.criteria_results.slice(0, 2), { criterion: 'True', passed: true, feedback: null }],
  });
});

test.each<[string, object, object]>([
  ['missing passed: false [JOBS-REQ-004.9.2]', { feedback: 'x' }, { ...FAILED, feedback: 'x' }],
  ['missing feedback: a default text [JOBS-REQ-004.9.3]', { passed: true }, { ...FAILED, passed: true }],
  [
    'missing criteria_results: an empty list [JOBS-REQ-004.9.4]',
    { passed: true, feedback: 'x' },
    { passed: true, feedback: 'x', criteria_results: [] },
  ],
  ['an empty object', {}, FAILED],
  ['null: the same as missing', { passed: null, feedback: null, criteria_results: null }, FAILED],
  ['empty feedback: kept', { passed: true, feedback: '' }, { passed: true, feedback: '', criteria_results: [] }],
])('%s', (_, data, expected) => {
  expect(parseQualityResult(data)).toEqual(expected);
});

describe('throws for an answer that cannot be interpreted [JOBS-REQ-004.9.5]', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'the answer: Invalid input: expected object, received undefined'],
    ['null', null, 'the answer: Invalid input: expected object, received null'],
    ['an empty list', [], 'the answer: Invalid input: expected object, received array'],
    ['a list with an answer', [{ passed: true }], 'the answer: Invalid input: expected object, received array'],
    ['a string', 'passed', 'the answer: Invalid input: expected object, received string'],
    ['a string of JSON', '{"passed":true}', 'the answer: Invalid input: expected object, received string'],
    ['true', true, 'the answer: Invalid input: expected object, received boolean'],
    ['a number', 1, 'the answer: Invalid input: expected object, received number'],
    ['a word for passed', { passed: 'yes' }, 'passed: Invalid input: expected boolean, received string'],
    ['"true" for passed', { passed: 'true' }, 'passed: Invalid input: expected boolean, received string'],
    ['1 for passed', { passed: 1 }, 'passed: Invalid input: expected boolean, received number'],
    [
      'feedback in parts',
      { passed: true, feedback: ['x'] },
      'feedback: Invalid input: expected string, received array',
    ],
    [
      'one result',
      { criteria_results: { criterion: 'x' } },
      'criteria_results: Invalid input: expected array, received object',
    ],
    [
      'a name as a result',
      { criteria_results: ['x'] },
      'criteria_results.0: Invalid input: expected object, received string',
    ],
    [
      'a result without name',
      { criteria_results: [{ passed: true }] },
      'criteria_results.0.criterion: Invalid input: expected string, received undefined',
    ],
    [
      'a result without verdict',
      { passed: true, criteria_results: [{ criterion: 'x', passed: true }, { criterion: 'y' }] },
      'criteria_results.1.passed: Invalid input: expected boolean, received undefined',
    ],
    [
      'a result with a word',
      { criteria_results: [{ criterion: 'x', passed: 'yes' }] },
      'criteria_results.0.passed: Invalid input: expected boolean, received string',
    ],
    [
      'a result with other feedback',
      { criteria_results: [{ criterion: 'x', passed: true, feedback: 1 }] },
      'criteria_results.0.feedback: Invalid input: expected string, received number',
    ],
  ])('%s', (_, data, why) => {
    const message = `The reviewer's answer cannot be interpreted: ${why}.`;
    expect(() => parseQualityResult(data)).toThrow(new QualityGateError(message));
  });
});

test('any answer is a verdict or a QualityGateError, and passes only if passed is true', () => {
  const verdicts = fc.oneof(
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
    fc.property(verdicts, (data) => {
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
