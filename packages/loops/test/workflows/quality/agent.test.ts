import { answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import { type Budget, openBudget } from '@onceover/agents/dispatch/limits';
import type { AskEnd, Question } from '@onceover/base/kernel/ports';
import { answers, fails, memoryReviewers, type ScriptedAgent } from '@onceover/testing/memory/reviewers.ts';
import { FAILED, PASSED, thrownBy } from '@onceover/testing/quality.ts';
import { describe, expect, test } from 'vitest';
import { agentQualityCli } from '../../../src/workflows/quality/agent.ts';
import {
  type QualityCall,
  QualityCliError,
  type QualityDispatch,
  QualityGateError,
  type QualityQuestions,
} from '../../../src/workflows/quality/types.ts';

const SCHEMA = answerSchema('quality');
const CALL: QualityCall = {
  systemPrompt: 'Judge.',
  prompt: 'Outputs.',
  jsonSchema: SCHEMA,
  timeoutSeconds: 270,
  cwd: '/p',
};
const PROSE: AskEnd = answers({}, { text: 'It is good.', structured: undefined, sessionId: 's1' });

/** Returns an agent as the cli of a gate; each call takes this many seconds of its clock. */
function opened(
  agent: Partial<ScriptedAgent> & { readonly answer: ScriptedAgent['answer'] },
  options: { atOnce?: number; secondsEach?: number; stop?: AbortSignal; budget?: Budget } = {},
) {
  let now = 0;
  const dispatches: QualityDispatch[] = [];
  const evaluations: QualityQuestions[] = [];
  const reviewers = memoryReviewers({
    claude: {
      ...agent,
      answer: (question, n) => {
        now += (options.secondsEach ?? 0) * 1000;
        return agent.answer(question, n);
      },
    },
  });
  const cli = agentQualityCli({
    agent: 'claude',
    reviewers,
    atOnce: options.atOnce ?? 4,
    settings: { cacheTtl: 'auto', idleTimeoutSeconds: 100 },
    clock: { now: () => new Date(now) },
    stop: options.stop ?? null,
    budget: options.budget ?? null,
    told: (dispatch) => dispatches.push(dispatch),
    evaluated: async (questions) => void evaluations.push(questions),
  });
  return { cli, asked: reviewers.asked, dispatches, evaluations };
}

test('makes a read-only call with the given schema and timeout', async () => {
  const { cli, asked, dispatches } = opened({ answer: () => answers(PASSED), model: 'm1' });
  expect(await cli.run(CALL)).toEqual(PASSED);
  expect(asked).toEqual<(Question & { agent: string })[]>([
    {
      agent: 'claude',
      stable: 'Judge.',
      dynamic: 'Outputs.',
      schema: SCHEMA,
      sessionId: null,
      usedBefore: null,
      cacheTtl: '5m',
      timeoutSeconds: 270,
      idleSeconds: 100,
      mostRetries: 7,
    },
  ]);
  expect(dispatches).toMatchObject([{ agent: 'claude', model: 'm1', mode: 'fresh', failure: null }]);
  expect(dispatches[0]?.usage?.inputTokens).toBe(100);
});

test('throws without a call if the prompt is longer than the agent accepts', async () => {
  const { cli, asked } = opened({ answer: () => answers(PASSED) });
  const error = await thrownBy(() => cli.run({ ...CALL, prompt: 'x'.repeat(400_000) }));
  expect(error).toBeInstanceOf(QualityGateError);
  expect(String(error)).toMatch(/has 400006 characters, and claude accepts at most 400000\. Split the outputs/);
  expect(asked).toEqual([]);
});

test.each<[string, object]>([
  ['null for optional fields', { ...FAILED, criteria_results: null }],
  ['only a verdict', { passed: false }],
])('reads an answer with %s', async (_, answer) => {
  const { cli } = opened({ answer: () => answers(answer) });
  expect(await cli.run(CALL)).toMatchObject({ passed: false });
});

describe('an unreadable answer', () => {
  test('is requested again in its session, in the time left', async () => {
    const { cli, asked, dispatches } = opened(
      { answer: (_, n) => (n === 1 ? PROSE : answers(PASSED)) },
      { secondsEach: 100 },
    );
    expect(await cli.run(CALL)).toEqual(PASSED);
    expect(asked[1]).toMatchObject({ stable: 'Judge.', sessionId: 's1', timeoutSeconds: 170, schema: SCHEMA });
    expect(asked[1]?.dynamic).toMatch(/^Your last answer could not be read: there is no JSON object in it\./);
    expect(dispatches.map(({ mode }) => mode)).toEqual(['fresh', 'repair']);
  });

  test('is requested again with the whole prompt if the agent cannot resume', async () => {
    const { cli, asked } = opened({
      canResume: async () => false,
      answer: (_, n) =>
        n === 1 ? answers({}, { text: 'I say passed: false.', structured: undefined }) : answers(PASSED),
    });
    expect(await cli.run(CALL)).toMatchObject({ passed: false });
    expect(asked[1]).toMatchObject({ stable: 'Judge.', sessionId: null });
    expect(asked[1]?.dynamic).toMatch(
      /^Outputs\.\n\nYour last answer could not be read: there is no JSON object in it\./,
    );
  });

  test.each<[string, unknown]>([
    ['a word for passed', { passed: 'yes', feedback: 'x' }],
    ['a list', [PASSED]],
    ['a result without a verdict', { ...PASSED, criteria_results: [{ criterion: 'Clear' }] }],
  ])('can be %s', async (_, value) => {
    const { cli, asked } = opened({
      answer: (__, n) => (n === 1 ? answers({}, { structured: value, sessionId: 's1' }) : answers(FAILED)),
    });
    expect(await cli.run(CALL)).toEqual(FAILED);
    expect(asked).toHaveLength(2);
  });

  test.each<[string, Partial<ScriptedAgent>]>([
    ['twice in a row', {}],
    ['twice from an agent that cannot resume', { canResume: async () => false }],
  ])('%s is an error', async (_, facts) => {
    const { cli, asked } = opened({ answer: () => PROSE, ...facts });
    const error = await thrownBy(() => cli.run(CALL));
    expect(error).toBeInstanceOf(QualityCliError);
    expect(error).toMatchObject({
      name: 'QualityCliError',
      message: 'claude gave an unreadable answer: there is no JSON object in it',
      agent: 'claude',
      failure: { kind: 'unreadable-answer' },
    });
    expect(asked).toHaveLength(2);
  });

  test('is not requested again after the timeout', async () => {
    const { cli, asked } = opened({ answer: () => PROSE }, { secondsEach: 270 });
    expect(await thrownBy(() => cli.run(CALL))).toMatchObject({ failure: { kind: 'timeout', seconds: 270 } });
    expect(asked).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['in words', { text: 'My answer is passed: false, because …', structured: undefined }],
    ['in a field', { structured: { passed: 'false', feedback: 'Bad.' } }],
    ['of a criterion', { structured: { passed: 'yes', criteria_results: [{ criterion: 'Clear', passed: false }] } }],
  ])('with a fail %s does not pass when repeated', async (_, first) => {
    const { cli } = opened({
      answer: (__, n) => (n === 1 ? answers({}, { ...first, sessionId: 's1' }) : answers(PASSED)),
    });
    expect(await cli.run(CALL)).toEqual({
      ...PASSED,
      passed: false,
      feedback: expect.stringMatching(/^Good\.\n\nThe reviewer failed something in an answer that could not be read/),
    });
  });
});

test.each<[string, AskEnd, string]>([
  ['a timeout', fails({ kind: 'timeout', seconds: 270 }), 'claude did not finish within 270 seconds'],
  ['a limit', fails({ kind: 'limit', said: 'usage limit', resetAt: null }), 'claude has reached a limit: usage limit'],
  ['no such program', fails({ kind: 'not-found', program: 'claude' }), 'claude could not be started (command: claude)'],
])('%s is an error, reported once, and no other agent is called', async (_, end, message) => {
  const { cli, asked, dispatches } = opened({ answer: () => end });
  expect(await thrownBy(() => cli.run(CALL))).toMatchObject({ name: 'QualityCliError', message });
  expect([asked.length, dispatches.length]).toEqual([1, 1]);
  expect(dispatches[0]?.failure).toMatchObject({ kind: end.ok ? '' : end.failure.kind });
});

test('runs evaluations in order, at most the given number at once', async () => {
  let running = 0;
  let peak = 0;
  const { cli, asked } = opened(
    {
      async answer(_, n) {
        running++;
        peak = Math.max(peak, running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running--;
        return n % 3 === 0 ? fails({ kind: 'agent-error', said: 'broken' }) : answers(PASSED);
      },
    },
    { atOnce: 3 },
  );
  const prompts = Array.from({ length: 20 }, (_, n) => `Outputs ${n}.`);
  const ends = await Promise.allSettled(prompts.map((prompt) => cli.run({ ...CALL, prompt })));
  expect([peak, running]).toEqual([3, 0]);
  expect(asked.map(({ dynamic }) => dynamic)).toEqual(prompts);
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(6);
});

test('does not start waiting evaluations after a stop', async () => {
  const stop = new AbortController();
  const { cli, asked } = opened(
    { answer: () => new Promise<AskEnd>(() => setTimeout(() => stop.abort(), 5)) },
    { atOnce: 1, stop: stop.signal },
  );
  const ends = await Promise.allSettled([1, 2, 3].map(() => cli.run(CALL)));
  expect(ends.map((end) => (end.status === 'rejected' ? end.reason.failure.kind : end.status))).toEqual(
    Array(3).fill('cancelled'),
  );
  expect(asked).toHaveLength(1);
});

describe('the cost of evaluations', () => {
  test('reports each evaluation with all its calls, and whether it was answered', async () => {
    const { cli, evaluations } = opened({ answer: (_, n) => (n === 1 ? PROSE : n === 2 ? answers(PASSED) : DOWN) });
    await cli.run(CALL);
    await thrownBy(() => cli.run(CALL));
    expect(evaluations.map(({ dispatches, isAnswered }) => [dispatches.map(({ mode }) => mode), isAnswered])).toEqual([
      [['fresh', 'repair'], true],
      [['fresh'], false],
    ]);
  });

  test('is limited by the budget: no call beyond it, and no verdict', async () => {
    const { cli, asked, evaluations } = opened(
      { answer: () => answers(PASSED) },
      { budget: openBudget({ usd: null, dispatches: 2 }) },
    );
    const results = await Promise.allSettled([cli.run(CALL), cli.run(CALL), cli.run(CALL)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(await thrownBy(() => cli.run(CALL))).toMatchObject({
      message: expect.stringContaining('budget (dispatches)'),
    });
    expect([asked.length, evaluations.length]).toEqual([2, 2]);
  });
});

const DOWN = fails({ kind: 'agent-error', said: 'down' });
