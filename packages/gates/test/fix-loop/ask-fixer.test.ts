import { openBudget } from '@onceover/agents/dispatch/limits';
import type { AskEnd, Question } from '@onceover/base/kernel/ports';
import type { Settings } from '@onceover/repo/config/settings';
import { memoryCoolings } from '@onceover/testing/memory/coolings.ts';
import { answers, fails, memoryReviewers, type ScriptedAgent } from '@onceover/testing/memory/reviewers.ts';
import { settingsOf } from '@onceover/testing/run-model/setup.ts';
import { SETUP } from '@onceover/testing/run-model/setup-sample.ts';
import { CHECK_FAILED, failedCheck } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { askFixer, type FixerSession } from '../../src/fix-loop/fix-turn.ts';
import type { FixTask } from '../../src/fix-loop/prompt.ts';

const TASK: FixTask = {
  findings: [],
  checks: [{ ...CHECK_FAILED, check: { ...failedCheck, tail: 'no' } }],
};
const DONE = { summary: 'Mended.', dispositions: [{ id: 'F1', state: 'fixed', why: 'so' }] };
const GARBAGE = (text = 'I did it.') => answers({}, { text, structured: undefined });
const SESSION: FixerSession = { id: 's1', usedBefore: null };

/** Calls a fixer that gives these answers in order. */
async function ask(
  said: readonly AskEnd[],
  given: {
    readonly session?: FixerSession | null;
    readonly agent?: Partial<ScriptedAgent>;
    readonly settings?: Partial<Settings>;
    readonly stop?: AbortSignal;
  } = {},
) {
  const answer = (_: Question, n: number) => said[n - 1] ?? fails({ kind: 'agent-error', said: 'asked too often' });
  const reviewers = memoryReviewers({ fay: { answer, ...given.agent } });
  const settings = { ...settingsOf(SETUP), ...given.settings };
  const budget = openBudget(settings.budget);
  const cooldowns = memoryCoolings();
  const loop: Parameters<typeof askFixer>[0] = {
    ports: { reporter: { tell: () => {} }, cooldowns, clock: { now: () => new Date(0) } },
    request: { settings, stop: given.stop ?? null },
    reviewers,
    budget,
    fixer: 'fay',
  };
  const end = await askFixer(loop, TASK, given.session ?? null);
  return { end, asked: reviewers.asked, budget, cooldowns };
}

const sessions = (asked: readonly Question[]) => asked.map(({ sessionId }) => sessionId);

describe('a readable answer', () => {
  test('ends the turn, and its session is kept', async () => {
    const { end, asked, budget } = await ask([answers(DONE)]);
    expect(end).toMatchObject({ answer: DONE, trouble: null, dispatch: 'fresh', session: { id: 'fay-1' } });
    expect(asked).toMatchObject([{ writes: true, sessionId: null, timeoutSeconds: 60 }]);
    expect([end.exchanges.length, budget.dispatches()]).toEqual([1, 1]);
  });

  test('in a resumed session: only the new problems are sent', async () => {
    const { end, asked } = await ask([answers(DONE)], { session: SESSION });
    expect(end).toMatchObject({ dispatch: 'resumed', session: { id: 's1' } });
    expect(sessions(asked)).toEqual(['s1']);
    expect(end.exchanges[0]?.sent).not.toContain('# Fixing a change');
  });

  test('of an agent that cannot be resumed: no session is kept', async () => {
    const { end } = await ask([answers(DONE)], { agent: { canResume: async () => false } });
    expect(end).toMatchObject({ trouble: null, session: null });
  });

  test("has the timeout of the agent's settings", async () => {
    const { asked } = await ask([answers(DONE)], { agent: { timeoutSeconds: 7 } });
    expect(asked[0]?.timeoutSeconds).toBe(7);
  });
});

describe('an unreadable answer', () => {
  test('is requested again in the same session', async () => {
    const { end, asked } = await ask([GARBAGE(), answers(DONE)]);
    expect(end).toMatchObject({ answer: DONE, trouble: null, dispatch: 'fresh' });
    expect(sessions(asked)).toEqual([null, 'fay-1']);
    expect(asked[1]?.dynamic).not.toContain('npm run lint');
  });

  test('twice: the edits count, without claims about findings', async () => {
    const { end, asked } = await ask([GARBAGE(), GARBAGE('Again.')]);
    expect(end).toMatchObject({ answer: { summary: 'I did it.' }, trouble: null });
    expect(end.answer?.dispositions).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  test('is not requested again if the agent cannot be resumed', async () => {
    const { end, asked } = await ask([GARBAGE()], { agent: { canResume: async () => false } });
    expect(end).toMatchObject({ answer: { summary: 'I did it.' }, trouble: null });
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['fresh', null],
    ['resumed', SESSION],
  ] as const)('and then a failed agent, %s: the edits count', async (_title, session) => {
    const { end, asked } = await ask([GARBAGE(), fails({ kind: 'agent-error', said: 'down' })], { session });
    expect(end).toMatchObject({ answer: { summary: 'I did it.' }, trouble: null });
    expect(asked).toHaveLength(2);
  });

  test('and then no budget: the edits count', async () => {
    const { end, asked } = await ask([GARBAGE()], { settings: { budget: { usd: null, dispatches: 1 } } });
    expect(end).toMatchObject({ answer: { summary: 'I did it.' }, trouble: null });
    expect(asked).toHaveLength(1);
  });

  test('is cut to 1,000 characters', async () => {
    const { end } = await ask([GARBAGE('x'.repeat(5000)), GARBAGE()]);
    expect(end.answer?.summary).toHaveLength(1000);
  });
});

describe('a session that cannot be resumed', () => {
  test.each([
    { kind: 'session-lost', said: 'no such session' },
    { kind: 'wrong-session', asked: 's1', got: 's2' },
    { kind: 'no-tokens' },
    { kind: 'agent-error', said: 'down' },
    { kind: 'idle', seconds: 9 },
  ] as const)('$kind: starts a new session with the whole prompt', async (failure) => {
    const { end, asked, budget } = await ask([fails(failure), answers(DONE)], { session: SESSION });
    expect(end).toMatchObject({ answer: DONE, dispatch: 'fresh', session: { id: 'fay-2' } });
    expect(sessions(asked)).toEqual(['s1', null]);
    expect(end.exchanges[1]?.sent).toContain('# Fixing a change');
    expect(budget.dispatches()).toBe(2);
  });

  test('ends the turn if the new session fails, too', async () => {
    const failure = { kind: 'agent-error', said: 'down' } as const;
    const { end, asked } = await ask([fails(failure), fails(failure)], { session: SESSION });
    expect(end).toMatchObject({ answer: null, trouble: { kind: 'agent', failure }, session: null });
    expect(asked).toHaveLength(2);
  });

  test('does not call a fixer again that ran out of time', async () => {
    const failure = { kind: 'timeout', seconds: 60 } as const;
    const { end, asked } = await ask([fails(failure)], { session: SESSION });
    expect(end.trouble).toMatchObject({ kind: 'agent', failure });
    expect(asked).toHaveLength(1);
  });
});

describe('no answer', () => {
  test('calls no agent without budget', async () => {
    const { end, asked } = await ask([], { settings: { budget: { usd: null, dispatches: 0 } } });
    expect([end.trouble, asked.length]).toEqual([{ kind: 'budget', what: 'dispatches' }, 0]);
  });

  test('stops when a failed call uses up the money', async () => {
    const paid = { ...fails({ kind: 'agent-error', said: 'down' }), usage: USED };
    const { end, asked } = await ask([paid], { session: SESSION, settings: { budget: { usd: 1, dispatches: null } } });
    expect([end.trouble, end.usage, asked.length]).toEqual([{ kind: 'budget', what: 'usd' }, USED, 1]);
  });

  test('starts a cooldown after a usage limit', async () => {
    const resetAt = new Date(60_000);
    const { end, cooldowns } = await ask([fails({ kind: 'limit', said: 'enough', resetAt })]);
    expect(end.trouble).toMatchObject({ kind: 'agent', failure: { kind: 'limit' } });
    expect(await cooldowns.all(new Date(0))).toMatchObject([{ agent: 'fay', until: resetAt }]);
  });

  test('makes no call after an abort', async () => {
    const stop = AbortSignal.abort();
    const { end, asked } = await ask([answers(DONE)], { stop });
    expect([end.trouble, asked.length]).toEqual([{ kind: 'agent', agent: 'fay', failure: { kind: 'cancelled' } }, 0]);
  });
});

const USED = { inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1, costUsd: 2 };
