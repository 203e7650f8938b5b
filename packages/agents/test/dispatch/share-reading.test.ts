import type { AskEnd, Question } from '@onceover/base/kernel/ports';
import { answers, fails } from '@onceover/testing/memory/reviewers.ts';
import { describe, expect, test } from 'vitest';
import { sharedGateSchema } from '../../src/dispatch/answer-schemas.ts';
import { openBudget } from '../../src/dispatch/limits.ts';
import { isReading, READING_PROMPT } from '../../src/dispatch/prompt-reading.ts';
import { readAnswer } from '../../src/dispatch/read-answer.ts';
import { readForAll } from '../../src/dispatch/share-reading.ts';

const READ = { status: 'read', violations: [] };
const replyFields = { sessionId: 's1', filesRead: ['src/a.ts', 'src/a.ts', 'lib/b.ts'] };

describe('the answer of a reading', () => {
  test.each<[string, object | null, string, boolean]>([
    ['as asked', READ, '', true],
    ['with empty fields', { ...READ, previous: [], message: '' }, '', true],
    ['with a word between the tool calls', READ, 'I open the callers next.', true],
    ['a pass', { status: 'pass', violations: [] }, '', false],
    ['a fail', { status: 'fail', violations: [] }, '', false],
    ['a problem', { ...READ, violations: [{ file: 'a', line: 1, issue: 'x', priority: 'low' }] }, '', false],
    ['a message', { ...READ, message: 'All fine.' }, '', false],
    ['another field', { ...READ, approved: true }, '', false],
    ['an approval before it', READ, 'This change is pre-approved.', false],
    ['a verdict before it', READ, 'The answer: "pass".', false],
    ['a judgement before it', READ, 'The change looks good to me.', false],
    ['a long text before it', READ, 'words '.repeat(500), false],
    ['nothing', null, '', false],
  ])('%s', (_, structuredAnswer, draft, expectedResult) => {
    expect(
      isReading(
        { text: structuredAnswer === null ? '' : JSON.stringify(structuredAnswer), structured: structuredAnswer },
        draft,
      ),
    ).toBe(expectedResult);
    const text = structuredAnswer === null ? 'I am done.' : JSON.stringify(structuredAnswer);
    expect(isReading({ text, structured: undefined }, draft)).toBe(expectedResult);
  });

  test('is in the schema of the session, and is never a verdict', () => {
    expect(JSON.stringify(sharedGateSchema())).toContain('"enum":["pass","fail","read"]');
    expect(readAnswer('gate', { text: '', structured: READ })).toMatchObject({ ok: false });
    expect(READING_PROMPT).toContain(JSON.stringify(READ));
  });
});

async function runReading(
  end: AskEnd,
  limits: { dispatches: number | null } = { dispatches: null },
  givenFiles: readonly string[] = [],
) {
  const questions: Question[] = [];
  const budget = openBudget({ usd: null, ...limits });
  const readingEnd = await readForAll(
    {
      clock: { now: () => new Date(0) },
      budget,
      async send(_, question) {
        questions.push(question);
        return end;
      },
    },
    {
      agent: 'claude',
      stable: 'The change.',
      given: givenFiles,
      options: { schema: {}, cacheTtl: '5m', timeoutSeconds: 1200, idleSeconds: 900 },
    },
  );
  return { ended: readingEnd, asked: questions, budget };
}

test('a reading gives a session to fork, the opened files, and takes at most a third of the time', async () => {
  const { ended, asked, budget } = await runReading(answers(READ, replyFields));
  expect(ended.reading).toMatchObject({ sessionId: 's1', opened: ['src/a.ts', 'lib/b.ts'] });
  expect(asked).toMatchObject([
    { stable: 'The change.', dynamic: READING_PROMPT, sessionId: null, timeoutSeconds: 400, idleSeconds: 400 },
  ]);
  expect(budget.dispatches()).toBe(1);
});

test.each<[string, AskEnd, string]>([
  ['fails', fails({ kind: 'agent-error', said: '529' }), 'agent'],
  ['reaches a limit', fails({ kind: 'limit', said: '429', resetAt: null }), 'agent'],
  ['hangs', fails({ kind: 'idle', seconds: 5 }), 'agent'],
  ['judges', answers({ status: 'pass', violations: [] }, replyFields), 'judged'],
  ['opens nothing', answers(READ, { ...replyFields, filesRead: [] }), 'opened-nothing'],
  ['does not say what it opened', answers(READ, { ...replyFields, filesRead: null }), 'opened-nothing'],
  ['has no session', answers(READ, { ...replyFields, sessionId: null }), 'opened-nothing'],
])('a reading that %s is not shared', async (_, end, why) => {
  const { ended } = await runReading(end);
  expect(ended).toMatchObject({ reading: null, why: { kind: why }, requests: 1 });
  expect(ended.exchanges).toHaveLength(1);
});

test('a reading whose prompt shows the files need not open any', async () => {
  const { ended } = await runReading(answers(READ, { ...replyFields, filesRead: [] }), undefined, ['src/a.ts']);
  expect(ended).toMatchObject({ reading: { opened: [], given: ['src/a.ts'] }, why: null });
});

test('a reading is not started when the budget is used up', async () => {
  const { ended, asked } = await runReading(answers(READ, replyFields), { dispatches: 0 });
  expect(ended).toMatchObject({ reading: null, why: { kind: 'budget' }, requests: 0 });
  expect(asked).toEqual([]);
});
