import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AskEnd, AskOptions, Question, Reviewers } from '@onceover/base/kernel/ports';
import { answers, fails, memoryReviewers } from '@onceover/testing/memory/reviewers.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { knownAgents } from '../../src/adapters/installed.ts';
import { openReviewers } from '../../src/adapters/reviewers.ts';

const QUESTION: Question = {
  stable: 'Rules.',
  dynamic: 'fast',
  schema: {},
  sessionId: null,
  usedBefore: null,
  cacheTtl: '5m',
  timeoutSeconds: 20,
  idleSeconds: 20,
};

/**
 * An agent called house that answers with the question's dynamic part; "slow" takes it a while, "endless" for ever, and at
 * "broken" it fails.
 */
type Opened = { readonly reviewers: Reviewers; begun(): readonly string[] };

reviewersContract('in memory', () => {
  const reviewers = memoryReviewers({
    house: {
      async answer({ dynamic }) {
        if (dynamic === 'slow') await after(1500);
        if (dynamic === 'endless') await after(20_000);
        return dynamic === 'broken' ? fails({ kind: 'agent-error', said: 'broken' }) : answers({ said: dynamic });
      },
    },
  });
  return { reviewers, begun: () => reviewers.asked.map(({ dynamic }) => dynamic) };
});

reviewersContract('of this machine', async () => {
  const folder = temporaryFolder();
  const script = `
    const said = require('node:fs').readFileSync(0, 'utf8').split('\\n').at(-1);
    require('node:fs').appendFileSync('begun', said + '\\n');
    const ms = { slow: 1500, endless: 20000 }[said] ?? 0;
    if (said === 'broken') { console.error(said); process.exit(1); }
    console.log('looking');
    setTimeout(() => console.log(JSON.stringify({ said, session_id: process.env.ONCEOVER_SESSION ?? 'new' })), ms);`;
  const command = [process.execPath, '-e', script];
  const house = { model: null, command, path: null, resume: true, env: {}, sandbox: false, timeoutSeconds: null };
  const agents = await knownAgents({ house }, { PATH: '' }, folder);
  const resumable = async () => ({ kind: 'unknown' }) as const;
  const folders = { root: folder, commonDir: folder, scratchBase: temporaryFolder() };
  const reviewers = openReviewers({ ...folders, known: agents, preference: null, resumable });
  return { reviewers, begun: () => readFileSync(join(folder, 'begun'), 'utf8').trim().split('\n') };
});

/** The contract of every implementation of Reviewers. */
function reviewersContract(name: string, open: () => Opened | Promise<Opened>): void {
  const ask = (reviewers: Reviewers, overrides: Partial<Question>, options: Partial<AskOptions> = {}) =>
    reviewers.ask('house', { ...QUESTION, ...overrides }, { stop: null, watch() {}, ...options });
  const messageOf = (end: AskEnd) => (end.ok ? JSON.parse(end.reply.text.trim().split('\n').at(-1) ?? '').said : null);

  describe(`reviewers ${name}`, () => {
    test('lists and describes the installed agents', async () => {
      const { reviewers } = await open();
      expect([reviewers.names, reviewers.found]).toEqual([['house'], ['house']]);
      const facts = await reviewers.describe('house');
      expect(facts).toMatchObject({ model: null, version: expect.stringMatching(/./), timeoutSeconds: null });
      expect(facts.diffLimit).toBeGreaterThan(100_000);
      expect(await facts.canResume()).toBe(true);
    });

    test('answers a question in a session that can be resumed', async () => {
      const { reviewers } = await open();
      const first = await ask(reviewers, {});
      expect(messageOf(first)).toBe('fast');
      const sessionId = first.ok ? first.reply.sessionId : null;
      expect(sessionId).not.toBeNull();
      expect(await ask(reviewers, { sessionId })).toMatchObject({ ok: true, reply: { sessionId } });
    });

    test('reports its activity', async () => {
      let reportCount = 0;
      await ask((await open()).reviewers, {}, { watch: () => reportCount++ });
      expect(reportCount).toBeGreaterThan(0);
    });

    test("a failed call has a reason and the agent's own message", async () => {
      const end = await ask((await open()).reviewers, { dynamic: 'broken' });
      expect(end).toMatchObject({ ok: false, failure: { kind: 'agent-error', said: 'broken' }, said: 'broken' });
    });

    test('an agent that is not installed is not found', async () => {
      const { reviewers } = await open();
      expect(await (await reviewers.describe('nobody')).canResume()).toBe(false);
      const end = await reviewers.ask('nobody', QUESTION, { stop: null, watch() {} });
      expect(end).toMatchObject({ ok: false, failure: { kind: 'not-found', program: 'nobody' }, usage: null });
    });

    test('questions in one session run one after the other, others at once', async () => {
      const { reviewers, begun } = await open();
      const order: string[] = [];
      const tell = (end: AskEnd) => order.push(messageOf(end));
      await Promise.all([
        ask(reviewers, { dynamic: 'slow', sessionId: 's1' }).then(tell),
        ask(reviewers, { dynamic: 'second', sessionId: 's1' }).then(tell),
        ask(reviewers, { dynamic: 'third', sessionId: 's1' }).then(tell),
        ask(reviewers, { dynamic: 'other', sessionId: 's2' }).then(tell),
        ask(reviewers, { dynamic: 'fresh' }).then(tell),
      ]);
      expect(order.filter((answer) => answer !== 'other' && answer !== 'fresh')).toEqual(['slow', 'second', 'third']);
      expect(order.slice(0, 2).sort()).toEqual(['fresh', 'other']);
      expect(begun().slice(-2)).toEqual(['second', 'third']);
    });

    test('a question that is aborted while waiting is never sent, and the order stays', async () => {
      const { reviewers, begun } = await open();
      const stop = new AbortController();
      const first = ask(reviewers, { dynamic: 'slow', sessionId: 's1' });
      let isFirstDone = false;
      const whenFirstDone = first.then(() => {
        isFirstDone = true;
      });
      const waiting = ask(reviewers, { dynamic: 'never', sessionId: 's1' }, { stop: stop.signal });
      stop.abort();
      expect(await waiting).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
      expect(isFirstDone).toBe(false);
      await ask(reviewers, { dynamic: 'third', sessionId: 's1' });
      expect(isFirstDone).toBe(true);
      await whenFirstDone;
      expect(begun()).toEqual(['slow', 'third']);
    });

    test('an aborted call is cancelled', async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 500);
      const end = await ask((await open()).reviewers, { dynamic: 'endless' }, { stop: stop.signal });
      expect(end).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
    });
  });
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
