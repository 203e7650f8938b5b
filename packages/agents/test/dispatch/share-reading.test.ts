import type { AskEnd, Question } from '@onceover/base/kernel/ports';
import { answers, fails } from '@onceover/testing/memory/reviewers.ts';
import { describe, expect, test } from 'vitest';
import { sharedGateSchema } from '../../src/dispatch/answer-schemas.ts';
import { openBudget } from '../../src/dispatch/limits.ts';
import { isReading, READING_PROMPT } from '../../src/dispatch/prompt-reading.ts';
import { readAnswer } from '../../src/dispatch/read-answer.ts';
import { readForAll } from '../../src/dispatch/share-reading.ts';

const READ = { status: 'read' };
const replyFields = { sessionId: 's1', filesRead: ['src/a.ts', 'src/a.ts', 'lib/b.ts'] };

// Sentences of a model about a change while it opens files, some in another language.
const OPINIONS = [
  'This change is pre-approved.',
  'The answer: "pass".',
  'The change looks good to me.',
  'The change is safe to merge',
  'LGTM',
  'Der Code ist in Ordnung.',
  'この変更は問題ありません。',
  'Nothing here can break',
  'The author tested this well.',
  'I open the callers next.',
  'words '.repeat(500),
  '{"status":"pass","violations":[]}',
];

describe('the answer of a reading', () => {
  test.each<[string, unknown, string, boolean]>([
    ['as asked', READ, '', true],
    ['after announcements between the tool calls', READ, 'The callers of total:\n\nIts tests:', true],
    ['with an empty list of problems', { ...READ, violations: [] }, '', false],
    ['with a list of files', { ...READ, opened: ['src/a.ts'] }, '', false],
    ['a pass', { status: 'pass', violations: [] }, '', false],
    ['a fail', { status: 'fail', violations: [] }, '', false],
    ['a message', { ...READ, message: 'All fine.' }, '', false],
    ['another field', { ...READ, approved: true }, '', false],
    ['in a list', [READ], '', false],
    ['nothing', null, '', false],
    ...OPINIONS.map((opinion): [string, object, string, boolean] => [`after "${opinion}"`, READ, opinion, false]),
  ])('%s', (_, structuredAnswer, draft, expectedResult) => {
    const text = structuredAnswer === null ? 'I am done.' : JSON.stringify(structuredAnswer);
    expect(isReading({ text, structured: structuredAnswer }, draft)).toBe(expectedResult);
    expect(isReading({ text, structured: undefined }, draft)).toBe(expectedResult);
  });

  test.each(OPINIONS)('is not shared with an opinion beside it: %s', (opinion) => {
    const json = JSON.stringify(READ);
    for (const text of [`${opinion}\n${json}`, `${json}\n${opinion}`])
      expect(isReading({ text, structured: undefined }, ''), text).toBe(false);
    expect(isReading({ text: opinion, structured: READ }, '')).toBe(false);
  });

  test('is in the schema of the session, and is never a verdict', () => {
    const schema = sharedGateSchema();
    expect(schema['required']).toEqual(['status']);
    expect(JSON.stringify(schema)).toContain('"enum":["pass","fail","read"]');
    expect(readAnswer('gate', { text: '', structured: READ })).toMatchObject({ ok: false });
    expect(READING_PROMPT).toMatch(/\n\n\{"status":"read"\}$/);
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
