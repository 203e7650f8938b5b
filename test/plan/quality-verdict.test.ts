import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CriterionResult } from '../../src/domain/quality.ts';
import { settleVerdict } from '../../src/plan/quality-verdict.ts';

const ASKED = { Clear: 'Is it clear?', 'Sources named': 'Are the sources named?', Short: 'Is it short?' };
const WHOLE = 'The reviewer passed the outputs as a whole, but';

const named = (...names: string[]): CriterionResult[] =>
  names.map((criterion) => ({ criterion, passed: true, feedback: null }));
const failed = (criterion: string): CriterionResult => ({ criterion, passed: false, feedback: 'No.' });

const settle = (passed: boolean, criteria_results: readonly CriterionResult[], feedback = 'Fine.') =>
  settleVerdict({ passed, feedback, criteria_results }, ASKED);

test.each<[string, readonly CriterionResult[]]>([
  ['without results', []],
  ['each criterion by its name', named('Clear', 'Sources named', 'Short')],
  ['in another order', named('Short', 'Clear', 'Sources named')],
  ['other case, spaces and marks', named('**clear**', ' Sources  Named:', '`SHORT`')],
  ['by their questions', named('Is it clear?', 'are the sources named', 'Is it short?')],
  ['by name and question', named('**Clear**: Is it clear?', 'Sources named: Are the sources named?', 'Short')],
  ['one under another name', named('Clear', 'Citations', 'Short')],
  ['all under other names', named('1', '2', '3')],
  ['more than were asked for', named('Clear', 'Sources named', 'Short', 'Style')],
  ['one of them twice', named('Clear', 'Clear', 'Sources named', 'Short')],
])('a pass counts: %s', (_, results) => {
  expect(settle(true, results)).toEqual({ passed: true, feedback: 'Fine.', criteria_results: results });
});

test.each<[string, readonly CriterionResult[], string]>([
  ['a criterion failed', [...named('Clear', 'Short'), failed('Sources named')], `${WHOLE} failed "Sources named".`],
  [
    'one that nobody asked for failed',
    [...named('Clear', 'Sources named', 'Short'), failed('Style')],
    `${WHOLE} failed "Style".`,
  ],
  [
    'passed and failed at once',
    [...named('Clear', 'Sources named', 'Short'), failed('Clear')],
    `${WHOLE} failed "Clear".`,
  ],
  ['several failed', [failed('Clear'), failed('Short')], `${WHOLE} failed "Clear", "Short".`],
  ['half of them', named('Clear'), `${WHOLE} did not judge "Sources named", "Short".`],
  ['the same one three times', named('Clear', 'Clear', 'Clear'), `${WHOLE} did not judge "Sources named", "Short".`],
  ['fewer, under other names', named('Clear', 'Style'), `${WHOLE} did not judge "Sources named", "Short".`],
])('a pass does not count, and both are told: %s', (_, results, why) => {
  expect(settle(true, results)).toEqual({ passed: false, feedback: `Fine.\n\n${why}`, criteria_results: results });
});

test.each<[string, Record<string, string>, string[], string | null]>([
  ['names that differ by case', { Clear: 'Who?', clear: 'How?' }, ['Clear'], 'clear'],
  ['both of them', { Clear: 'Who?', clear: 'How?' }, ['clear', 'Clear'], null],
  ['one question for two', { A: 'Is it?', B: 'Is it?' }, ['Is it?'], 'B'],
  ['one that is asked as another is named', { A: 'B', B: 'Is it?' }, ['B'], 'A'],
  ['the same in other words', { clear: 'X', x: 'Is it?' }, ['X', 'Clear'], null],
])('a result judges one criterion: %s', (_, asked, names, left) => {
  const said = { passed: true, feedback: 'Fine.', criteria_results: named(...names) };
  const why = left === null ? 'Fine.' : `Fine.\n\n${WHOLE} did not judge "${left}".`;
  expect(settleVerdict(said, asked)).toEqual({ ...said, passed: left === null, feedback: why });
});

test('where the reviewer says nothing itself, there is only the reason', () => {
  expect(settle(true, [failed('Clear')], ' ').feedback).toBe(`${WHOLE} failed "Clear".`);
});

test('what did not pass stays as it is, whatever is said of the criteria', () => {
  for (const results of [[], named('Clear'), named('Clear', 'Sources named', 'Short'), [failed('Clear')]]) {
    expect(settle(false, results)).toEqual({ passed: false, feedback: 'Fine.', criteria_results: results });
  }
});

test('nothing passes that the reviewer did not pass, or in which something failed', () => {
  const result = fc.record({
    criterion: fc.constantFrom(...Object.keys(ASKED), 'Style', ''),
    passed: fc.boolean(),
    feedback: fc.constant(null),
  });
  fc.assert(
    fc.property(fc.boolean(), fc.array(result, { maxLength: 6 }), (passed, results) => {
      const settled = settle(passed, results);
      expect(settled.criteria_results).toBe(results);
      expect(settled.feedback.startsWith('Fine.')).toBe(true);
      if (settled.passed) {
        expect(passed).toBe(true);
        expect(results.every((one) => one.passed)).toBe(true);
        expect(results.length === 0 || results.length >= Object.keys(ASKED).length).toBe(true);
      }
    }),
  );
});
