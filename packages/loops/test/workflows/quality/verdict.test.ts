import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CriterionResult } from '../../../src/workflows/quality/types.ts';
import { settleVerdict } from '../../../src/workflows/quality/verdict.ts';

const ASKED = { Clear: 'Is it clear?', 'Sources named': 'Are the sources named?', Short: 'Is it short?' };
const WHOLE = 'The reviewer passed the outputs as a whole, but';

const named = (...names: string[]): CriterionResult[] =>
  names.map((criterion) => ({ criterion, passed: true, feedback: null }));
const failed = (criterion: string): CriterionResult => ({ criterion, passed: false, feedback: 'No.' });

const settle = (isPass: boolean, criteria_results: readonly CriterionResult[], feedback = 'Fine.') =>
  settleVerdict({ passed: isPass, feedback, criteria_results }, ASKED);

test.each<[string, readonly CriterionResult[]]>([
  ['without results', []],
  ['each criterion by its name', named('Clear', 'Sources named', 'Short')],
  ['in a different order', named('Short', 'Clear', 'Sources named')],
  ['different case, spaces and Markdown', named('**clear**', ' Sources  Named:', '`SHORT`')],
  ['by their questions', named('Is it clear?', 'are the sources named', 'Is it short?')],
  ['by name and question', named('**Clear**: Is it clear?', 'Sources named: Are the sources named?', 'Short')],
  ['one with a different name', named('Clear', 'Citations', 'Short')],
  ['all with different names', named('1', '2', '3')],
  ['more results than criteria', named('Clear', 'Sources named', 'Short', 'Style')],
  ['one result twice', named('Clear', 'Clear', 'Sources named', 'Short')],
])('counts a pass: %s', (_, results) => {
  expect(settle(true, results)).toEqual({ passed: true, feedback: 'Fine.', criteria_results: results });
});

test.each<[string, readonly CriterionResult[], string]>([
  ['a criterion failed', [...named('Clear', 'Short'), failed('Sources named')], `${WHOLE} failed "Sources named".`],
  [
    'an unknown criterion failed',
    [...named('Clear', 'Sources named', 'Short'), failed('Style')],
    `${WHOLE} failed "Style".`,
  ],
  [
    'a criterion passed and failed',
    [...named('Clear', 'Sources named', 'Short'), failed('Clear')],
    `${WHOLE} failed "Clear".`,
  ],
  ['several failed', [failed('Clear'), failed('Short')], `${WHOLE} failed "Clear", "Short".`],
  ['only some criteria', named('Clear'), `${WHOLE} did not judge "Sources named", "Short".`],
  [
    'the same criterion three times',
    named('Clear', 'Clear', 'Clear'),
    `${WHOLE} did not judge "Sources named", "Short".`,
  ],
  ['fewer results, with different names', named('Clear', 'Style'), `${WHOLE} did not judge "Sources named", "Short".`],
])('does not count a pass, and says why: %s', (_, results, why) => {
  expect(settle(true, results)).toEqual({ passed: false, feedback: `Fine.\n\n${why}`, criteria_results: results });
});

test.each<[string, Record<string, string>, string[], string | null]>([
  ['names that differ by case', { Clear: 'Who?', clear: 'How?' }, ['Clear'], 'clear'],
  ['both names that differ by case', { Clear: 'Who?', clear: 'How?' }, ['clear', 'Clear'], null],
  ['one question for two criteria', { A: 'Is it?', B: 'Is it?' }, ['Is it?'], 'B'],
  ['a question that is the name of another criterion', { A: 'B', B: 'Is it?' }, ['B'], 'A'],
  ['a name that is the question of another criterion', { clear: 'X', x: 'Is it?' }, ['X', 'Clear'], null],
])('assigns each result to one criterion: %s', (_, criteria, names, criterion) => {
  const verdict = { passed: true, feedback: 'Fine.', criteria_results: named(...names) };
  const why = criterion === null ? 'Fine.' : `Fine.\n\n${WHOLE} did not judge "${criterion}".`;
  expect(settleVerdict(verdict, criteria)).toEqual({ ...verdict, passed: criterion === null, feedback: why });
});

test('gives only the reason if the reviewer has no feedback', () => {
  expect(settle(true, [failed('Clear')], ' ').feedback).toBe(`${WHOLE} failed "Clear".`);
});

test('keeps a fail unchanged, whatever the criteria results are', () => {
  for (const results of [[], named('Clear'), named('Clear', 'Sources named', 'Short'), [failed('Clear')]]) {
    expect(settle(false, results)).toEqual({ passed: false, feedback: 'Fine.', criteria_results: results });
  }
});

test('never passes without a pass of the reviewer, or with a failed criterion', () => {
  const result = fc.record({
    criterion: fc.constantFrom(...Object.keys(ASKED), 'Style', ''),
    passed: fc.boolean(),
    feedback: fc.constant(null),
  });
  fc.assert(
    fc.property(fc.boolean(), fc.array(result, { maxLength: 6 }), (isPass, results) => {
      const verdict = settle(isPass, results);
      expect(verdict.criteria_results).toBe(results);
      expect(verdict.feedback.startsWith('Fine.')).toBe(true);
      if (verdict.passed) {
        expect(isPass).toBe(true);
        expect(results.every((result) => result.passed)).toBe(true);
        expect(results.length === 0 || results.length >= Object.keys(ASKED).length).toBe(true);
      }
    }),
  );
});
