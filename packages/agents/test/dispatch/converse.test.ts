import type { AgentFailure } from '@onceover/base/kernel/agent';
import type { AskEnd } from '@onceover/base/kernel/ports';
import { memoryCoolings } from '@onceover/testing/memory/coolings.ts';
import { answers, fails, memoryReviewers, type ScriptedAgent } from '@onceover/testing/memory/reviewers.ts';
import { describe, expect, test } from 'vitest';
import { answerSchema } from '../../src/dispatch/answer-schemas.ts';
import { type ConverseRequest, converse } from '../../src/dispatch/converse.ts';
import { openBudget } from '../../src/dispatch/limits.ts';

const PASS = { status: 'pass', violations: [] };
const GARBAGE = (text = 'All is well.') => answers({}, { text, structured: undefined });
const LIMIT: AgentFailure = { kind: 'limit', said: 'enough', resetAt: new Date(60_000) };
const OPTIONS: ConverseRequest<'gate'>['options'] = {
  schema: answerSchema('gate'),
  cacheTtl: '5m',
  timeoutSeconds: 60,
  idleSeconds: 30,
};
const RESUMED = {
  prompt: { stable: 'Opening.', dynamic: 'The change since.' },
  session: { id: 's1', usedBefore: null },
};

/** Converses with ann, who answers by `replies`; ben takes over and passes. Each question takes so many seconds. */
async function talk(
  replies: readonly AskEnd[],
  setup: {
    readonly request?: Partial<ConverseRequest<'gate'>>;
    readonly ann?: Partial<ScriptedAgent>;
    readonly calls?: number;
    readonly secondsEach?: number;
  } = {},
) {
  let now = 0;
  const reviewers = memoryReviewers({
    ann: {
      model: 'm1',
      answer: (_, n) => replies[n - 1] ?? fails({ kind: 'agent-error', said: 'down' }),
      ...setup.ann,
    },
    ben: { answer: () => answers(PASS) },
  });
  const budget = openBudget({ usd: null, dispatches: setup.calls ?? null });
  const cooldowns = memoryCoolings();
  const again: string[] = [];
  const end = await converse(
    {
      ...{ reviewers, budget, cooldowns, clock: { now: () => new Date(now) } },
      async send(agent, question) {
        now += (setup.secondsEach ?? 0) * 1000;
        return reviewers.ask(agent, question, { stop: null, watch() {} });
      },
      askingAgain: ({ agent, mode, because }) => again.push(`${mode} ${agent}: ${because.kind}`),
    },
    {
      ...{ kind: 'gate', agent: 'ann', others: ['ben'], resumed: null, options: OPTIONS },
      fresh: { stable: 'Review.', dynamic: 'The change.' },
      ...setup.request,
    },
  );
  return { end, again, asked: reviewers.asked, budget, cooldowns };
}

test('returns the answer with the session to keep', async () => {
  const { end, asked, again } = await talk([answers(PASS)]);
  expect(end).toMatchObject({ agent: 'ann', model: 'm1', dispatch: 'fresh', answer: PASS, trouble: null });
  expect(end.last?.sessionId).toBe('ann-1');
  expect([asked.length, again]).toEqual([1, []]);
});

describe('a repair question', () => {
  test('continues the session with the stable part that opened it', async () => {
    const { end, asked, again } = await talk([GARBAGE(), answers(PASS)], { request: { resumed: RESUMED } });
    expect(end).toMatchObject({ dispatch: 'resumed', answer: PASS });
    expect(asked.map(({ stable, sessionId }) => [stable, sessionId])).toEqual([
      ['Opening.', 's1'],
      ['Opening.', 's1'],
    ]);
    expect(asked[1]?.dynamic).toMatch(/^Your last answer could not be read/);
    expect(again).toEqual(['repair ann: unreadable-answer']);
    expect(end.exchanges.map(({ mode, failure }) => [mode, failure?.kind ?? null])).toEqual([
      ['resumed', 'unreadable-answer'],
      ['repair', null],
    ]);
  });

  test('repeats the whole question to an agent that cannot be resumed', async () => {
    const { asked } = await talk([GARBAGE(), answers(PASS)], { ann: { canResume: async () => false } });
    expect(asked[1]).toMatchObject({ stable: 'Review.', sessionId: null });
    expect(asked[1]?.dynamic).toMatch(/^The change\.\n\nYour last answer could not be read/);
  });

  test('cannot turn a refusal into a pass', async () => {
    const { end } = await talk([GARBAGE('{"status":"fail", "violations": 7'), answers(PASS)]);
    expect(end.answer).toMatchObject({ status: 'fail', violations: [{ priority: 'critical' }] });
  });
});

describe('a refusal that could not be read', () => {
  const REFUSAL = '{"status":"fail","violations":[]}';
  const BOTH = GARBAGE('{"status":"fail","violations":[]} {"status":"pass","violations":[]}');
  const expectedRefusal = {
    status: 'fail',
    violations: [{ priority: 'critical', issue: expect.stringContaining('"fail"') }],
  };

  test('counts although the reviewer passes when asked again', async () => {
    const { end, asked } = await talk([BOTH, answers(PASS)]);
    expect([asked.length, end.answer]).toMatchObject([2, expectedRefusal]);
    expect(asked[1]?.dynamic).toContain('more than one JSON object');
  });

  test('counts although another agent passes', async () => {
    const { end, again } = await talk([BOTH, BOTH]);
    expect([end.agent, end.answer]).toMatchObject(['ben', expectedRefusal]);
    expect(again).toEqual(['repair ann: unreadable-answer', 'other-agent ben: unreadable-answer']);
  });

  test('counts although a new session passes', async () => {
    const { end } = await talk([BOTH, BOTH, answers(PASS)], { request: { resumed: RESUMED } });
    expect([end.agent, end.dispatch, end.answer]).toMatchObject(['ann', 'fresh', expectedRefusal]);
  });

  test.each<[string, AskEnd]>([
    ['of an agent that then fails', { ...fails({ kind: 'agent-error', said: 'exit code 1' }), draft: REFUSAL }],
    ['that is cut off by a timeout', { ...fails({ kind: 'timeout', seconds: 9 }), draft: REFUSAL.slice(0, -2) }],
    ['before a tool call, if the answer cannot be read', { ...GARBAGE(), draft: REFUSAL }],
  ])('%s counts although another agent passes', async (_title, first) => {
    const { end } = await talk([first, GARBAGE()]);
    expect([end.agent, end.answer]).toMatchObject(['ben', expectedRefusal]);
  });

  test('before a tool call does not count if the answer is a pass', async () => {
    const { end } = await talk([{ ...answers(PASS), draft: REFUSAL }]);
    expect(end.answer).toEqual(PASS);
  });

  test('is an error if no agent can replace the one that failed', async () => {
    const failure: AgentFailure = { kind: 'agent-error', said: 'exit code 1' };
    const { end } = await talk([{ ...fails(failure), draft: REFUSAL }], { request: { others: [] } });
    expect(end).toMatchObject({ answer: null, trouble: { failure } });
  });

  test('is not seen in the error message of a service', async () => {
    const { end } = await talk([{ ...fails(LIMIT), draft: '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}' }]);
    expect(end).toMatchObject({ agent: 'ben', answer: PASS });
  });

  test('is an error if it is repeated and no agent is left', async () => {
    const { end, asked } = await talk([BOTH, BOTH], { request: { others: [] } });
    expect(end).toMatchObject({ answer: null, trouble: { failure: { why: 'several-answers' } } });
    expect(asked).toHaveLength(2);
  });
});

test('starts a new session with the whole prompt after a failed resume', async () => {
  const sessionLost = fails({ kind: 'session-lost', said: 'gone' });
  const { end, asked, again } = await talk([sessionLost, answers(PASS)], { request: { resumed: RESUMED } });
  expect(end).toMatchObject({ agent: 'ann', dispatch: 'fresh', answer: PASS });
  expect(asked[1]).toMatchObject({ stable: 'Review.', dynamic: 'The change.', sessionId: null });
  expect(again).toEqual(['fresh ann: session-lost']);
});

test('fails over after a usage limit, with a cooldown for the first agent', async () => {
  const { end, again, cooldowns, budget } = await talk([fails(LIMIT)]);
  expect(end).toMatchObject({ agent: 'ben', model: null, answer: PASS });
  expect(again).toEqual(['other-agent ben: limit']);
  expect(await cooldowns.all(new Date(0))).toMatchObject([{ agent: 'ann', until: new Date(60_000) }]);
  expect(budget.dispatches()).toBe(2);
});

test('reports the last failure if no agent is left', async () => {
  const { end } = await talk([fails({ kind: 'idle', seconds: 9 })], { request: { others: [] } });
  expect(end).toMatchObject({ answer: null, trouble: { kind: 'agent', agent: 'ann', failure: { kind: 'idle' } } });
});

test('stops before a call that the budget does not allow', async () => {
  const { end, asked } = await talk([GARBAGE(), answers(PASS)], { calls: 1 });
  expect(end).toMatchObject({ answer: null, trouble: { kind: 'budget', what: 'dispatches' } });
  expect(asked).toHaveLength(1);
});

describe('requests that an agent repeats by itself', () => {
  const storm = (retries: number): AskEnd => ({ ...fails({ kind: 'agent-error', said: 'cut off' }), retries });

  test('count in the budget and in the result', async () => {
    const { end, budget } = await talk([{ ...answers(PASS), retries: 2 }]);
    expect([end.requests, budget.dispatches(), budget.retries()]).toEqual([3, 3, 2]);
    expect(end.exchanges).toMatchObject([{ retries: 2 }]);
  });

  test('use up the budget', async () => {
    const { end, asked } = await talk([storm(2)], { calls: 3, request: { resumed: RESUMED } });
    expect(end.trouble).toEqual({ kind: 'budget', what: 'dispatches' });
    expect(asked).toHaveLength(1);
  });

  test('leave fewer to each later call, and none after eight for one review', async () => {
    const { end, asked } = await talk([storm(2), storm(4)], { request: { resumed: RESUMED } });
    expect(asked.map(({ mostRetries }) => mostRetries)).toEqual([7, 4]);
    expect(end).toMatchObject({ answer: null, requests: 8, trouble: { kind: 'agent', agent: 'ann' } });
  });
});

describe('a fork whose request fails', () => {
  const forked = { resumed: { ...RESUMED, forks: true } };

  /** Refuses every request in a fork, and repeats each as often as it may, like the agents. */
  const refusing: Partial<ScriptedAgent> = {
    answer: ({ forkOf, mostRetries = 0 }) =>
      forkOf === undefined
        ? answers(PASS)
        : { ...fails({ kind: 'agent-error', said: 'HTTP status 400' }), retries: Math.min(2, mostRetries) },
  };

  test('is repeated once, and then one new session answers', async () => {
    const { end, asked, again } = await talk([], { request: forked, ann: refusing });
    expect(asked.map(({ forkOf, sessionId }) => [forkOf ?? null, sessionId])).toEqual([
      ['s1', null],
      [null, null],
    ]);
    expect(end).toMatchObject({ answer: PASS, dispatch: 'fresh', forked: false, requests: 3 });
    expect(again).toEqual(['fresh ann: agent-error']);
  });

  test('leaves the other repetitions to the new session', async () => {
    const { asked } = await talk([], { request: forked, ann: refusing });
    expect(asked.map(({ mostRetries }) => mostRetries)).toEqual([1, 5]);
  });
});

describe('a timeout for the whole conversation', () => {
  test('leaves the remaining time to the repair question', async () => {
    const { asked } = await talk([GARBAGE(), answers(PASS)], { request: { sharesTimeout: true }, secondsEach: 20.5 });
    expect(asked.map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([60, 40]);
  });

  test('ends the conversation, without another call, when it is used up', async () => {
    const { end, asked, budget } = await talk([GARBAGE()], { request: { sharesTimeout: true }, secondsEach: 60 });
    expect(end.trouble).toMatchObject({ kind: 'agent', failure: { kind: 'timeout', seconds: 60 } });
    expect([asked.length, budget.dispatches()]).toEqual([1, 1]);
  });
});
