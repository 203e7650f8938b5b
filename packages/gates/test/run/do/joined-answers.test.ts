import type { Answers } from '@onceover/agents/dispatch/answer-schemas';
import { expect, test } from 'vitest';
import { joinAnswers } from '../../../src/run/do/ask-slot.ts';

type Answer = Answers['gate'];
const PASS: Answer = { status: 'pass', violations: [] };
const problem = (issue: string): Answer['violations'][number] => ({ file: 'a.ts', line: 1, issue, priority: 'low' });
const said = (state: 'fixed' | 'open' | 'withdrawn') => ({ id: 'F1', state, why: '' });

test.each<[string, Answer, Answer, Partial<Answer>]>([
  ['both pass', PASS, PASS, { status: 'pass', violations: [] }],
  ['one fails', PASS, { status: 'fail', violations: [problem('x')] }, { status: 'fail', violations: [problem('x')] }],
  [
    'one fails without a word, and the other warns: what was not named is a problem all the same',
    { status: 'fail', violations: [], message: 'No.' },
    { status: 'pass', violations: [problem('x')] },
    { status: 'fail', violations: [{ file: '', line: null, issue: 'No.', priority: 'critical' }, problem('x')] },
  ],
  [
    'what one calls open is open, whatever the other says',
    { ...PASS, previous: [said('fixed')] },
    { ...PASS, previous: [said('open')] },
    { previous: [said('open')] },
  ],
  [
    'what both call fixed is',
    { ...PASS, previous: [said('fixed')] },
    { ...PASS, previous: [said('fixed')] },
    { previous: [said('fixed'), said('fixed')] },
  ],
])('joins the answers to two parts: %s', (_title, first, second, expected) => {
  expect(joinAnswers(first, second)).toMatchObject(expected);
});
