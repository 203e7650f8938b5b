import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { resetTime } from '@onceover/agents/src/adapters/parse-output.ts';
import { GATE_ENGINE } from '@onceover/gates/src/run/do/prompt.ts';
import { compareRequests } from '@onceover/testing/model-sim/compare.ts';
import type { Answer } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { expectGoesOn, expectRecorded, idOf, slotsOf } from '@onceover/testing/real-expect.ts';
import { type AgentName, realAgent } from '@onceover/testing/real-person.ts';
import { answering, FINDINGS, GATE, MENDED, ONE_REVIEWER, reading } from '@onceover/testing/real-review.ts';
import { realRun } from '@onceover/testing/real-run.ts';
import { rememberingModel } from '@onceover/testing/remembering-model.ts';
import { addedText, sessionOf, stableText, usersText } from '@onceover/testing/wire.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
beforeEach(() => sim.forgetCache());
afterAll(() => sim.close());

const WHERE_SESSIONS_ARE = { claude: '.claude/projects', codex: '.codex/sessions' };
const CART_IS_FIXED = (id: string) => [{ id, state: 'fixed', why: 'It is added now.' }];

describe.each<AgentName>(['claude', 'codex'])('%s', (who) => {
  test('a lost session: a new session with its findings, then resumed again', async () => {
    const user = realRun(sim, { agents: [who], gates: ONE_REVIEWER });
    const first = await user.run({ [who]: [reading(user, who), answering(who, 'fail', [FINDINGS.cart])] });
    const id = idOf(first, 1);
    rmSync(join(user.home, WHERE_SESSIONS_ARE[who]), { recursive: true });

    user.write('src/tax.ts', MENDED.tax);
    const open = [{ id, state: 'open', why: 'It is as it was.' }];
    const second = await user.run({ [who]: [reading(user, who), answering(who, 'fail', [], open)] });
    expect(second.stderr).toContain(`RESUME-FALLBACK: calling ${who} in a new session`);
    expect(second).toMatchObject({ code: 1, dispatches: 2 });
    expect(slotsOf(second)).toMatchObject([{ agent: who, status: 'fail', dispatch: 'fresh', why: 'session-lost' }]);
    expect(user.record('@1.2.json')).toMatchObject({ dispatch: 'fresh', why: 'only-reviewer, session-lost' });
    const [asked] = second.sent(who);
    expect(sessionOf(asked)).not.toBe(sessionOf(first.sent(who)[0]));
    expect(stableText(asked).startsWith(GATE_ENGINE)).toBe(true);
    expect(stableText(asked)).toContain('+  return amount * rate;');
    expect(usersText(asked)).toContain(`id: ${id}\n`);
    expectRecorded(user, '@1.2.json', who, second);

    user.write('src/cart.ts', MENDED.cart);
    const third = await user.run({ [who]: [answering(who, 'pass', [], CART_IS_FIXED(id))] });
    expect(third).toMatchObject({ code: 0, status: 'passed', dispatches: 1 });
    expect(slotsOf(third)).toMatchObject([{ agent: who, status: 'pass', dispatch: 'resumed', why: 'delta' }]);
    expectGoesOn(who, second, third);
    expectRecorded(user, '@1.3.json', who, third);
  });

  test('an answer without JSON: requested again in the same session, and both calls are counted', async () => {
    const user = realRun(sim, { agents: [who], gates: ONE_REVIEWER });
    const prose: Answer = { kind: 'text', text: 'The total goes down.' };
    // Claude Code repeats the request to its model by itself.
    const unreadable = who === 'claude' ? [prose, prose] : [prose];
    const first = await user.run({ [who]: [...unreadable, answering(who, 'fail', [FINDINGS.cart])] });
    expect(first.stderr).toContain(`asking ${who} to repeat its answer`);
    expect(first).toMatchObject({ code: 1, status: 'failed', dispatches: 2 });
    const [before, repair] = first.sent(who).slice(-2);
    if (before === undefined || repair === undefined) throw new Error('requests are missing');
    expect(sessionOf(repair)).toBe(sessionOf(before));
    expect(compareRequests(before, repair)).toMatchObject({ systemIdentical: true, messagesPrefixIdentical: true });
    expect(addedText(before, repair)).toMatch(/^Your last answer could not be read: /);
    expectRecorded(user, '@1.1.json', who, first);
    // The cost of a new session includes the repair call.
    expect(user.record('@1.1.json').session?.freshTokens).toBeGreaterThanOrEqual(first.sent(who)[0]?.use?.total ?? 0);

    user.write('src/cart.ts', MENDED.cart);
    const second = await user.run({ [who]: [answering(who, 'pass', [], CART_IS_FIXED(idOf(first, 1)))] });
    expect(second).toMatchObject({ code: 0, status: 'passed', dispatches: 1 });
    expect(second.saved.session).toBeGreaterThan(0);
    expectGoesOn(who, first, second);
    expectRecorded(user, '@1.2.json', who, second);
  });
});

describe('a usage limit', () => {
  test('another agent takes the slot, and the limited agent is not called until the limit ends', async () => {
    const user = realRun(sim, { agents: ['codex', 'claude'], gates: GATE });
    const limit: Answer = {
      kind: 'error',
      status: 429,
      type: 'usage_limit_reached',
      message: 'The usage limit has been reached',
      resetsAt: Date.now() + 2 * 3_600_000,
    };
    const first = await user.run({ codex: limit, claude: answering('claude', 'fail', [FINDINGS.cart]) });
    expect(first.sent('codex')).toHaveLength(1);
    expect(first.stderr).toContain('reviewer 1 (claude): calling claude instead (has reached a limit');
    expect(slotsOf(first)).toMatchObject([
      { agent: 'claude', status: 'fail', dispatch: 'fresh' },
      { agent: 'claude', status: 'fail', dispatch: 'fresh' },
    ]);
    const sessions = first.sent('claude').map(sessionOf);
    const recorded = ['code_claude@1.1.json', 'code_claude@2.1.json'].map((name) => user.record(name).session?.id);
    expect(new Set(recorded)).toEqual(new Set(sessions));
    const cooling = JSON.parse(readFileSync(join(user.root, '.git/onceover/cooling.json'), 'utf8'));
    expect(cooling).toMatchObject([{ agent: 'codex', said: expect.stringContaining('usage limit') }]);

    user.write('src/cart.ts', MENDED.cart);
    const second = await user.run({
      codex: limit,
      // Each slot closes its own findings.
      claude: ({ lastUserText }) =>
        answering('claude', 'pass', [], CART_IS_FIXED(/^id: (F\d+)$/m.exec(lastUserText)?.[1] ?? 'none')),
    });
    expect(second).toMatchObject({ code: 0, status: 'passed', dispatches: 2 });
    expect(second.sent('codex')).toEqual([]);
    expect(slotsOf(second)).toMatchObject([
      { agent: 'claude', status: 'pass', dispatch: 'resumed' },
      { agent: 'claude', status: 'pass', dispatch: 'resumed' },
    ]);
    expect(new Set(second.sent('claude').map(sessionOf))).toEqual(new Set(sessions));
  });

  test('a limit of several days, as Codex reports it', () => {
    const said = 'You’ve hit your usage limit. Try again at Nov 19th, 2026 1:31 AM.';
    expect(resetTime(said, new Date(2026, 10, 16))).toEqual(new Date(2026, 10, 19, 1, 31));
  });
});

test('the first prompt of a session is lost: the log names the fallback', async () => {
  const user = realRun(sim, { agents: ['codex'], gates: ONE_REVIEWER });
  await user.run({ codex: answering('codex', 'fail', [FINDINGS.cart]) });
  rmSync(join(user.root, '.git/onceover/openings'), { recursive: true });
  user.write('src/cart.ts', MENDED.cart);
  const second = await user.run({ codex: answering('codex', 'pass', []) });
  expect(slotsOf(second)).toMatchObject([{ dispatch: 'fresh', why: 'session-lost' }]);
  expect(second.stderr).toContain('RESUME-FALLBACK');
});

test('an unprobed version is probed once, before its first resume', async () => {
  const user = realRun(sim, { agents: ['claude'], gates: ONE_REVIEWER, claudeVersion: '99.0.0' });
  const first = await user.run({ claude: [answering('claude', 'fail', [FINDINGS.cart])] });
  expect(first.sent('claude')).toHaveLength(1);

  const open = [{ id: idOf(first, 1), state: 'open', why: 'It is as it was.' }];
  const isOfReview = (text: string) => text.startsWith('The change is ');
  const remembers = rememberingModel(realAgent('claude'));
  user.write('src/tax.ts', MENDED.tax);
  const second = await user.run({
    claude: (request) =>
      isOfReview(request.lastUserText) ? answering('claude', 'fail', [], open) : remembers(request),
  });
  expect(slotsOf(second)).toMatchObject([{ status: 'fail', dispatch: 'resumed', why: 'delta' }]);
  const probe = second.sent('claude').filter((one) => sessionOf(one) !== sessionOf(first.sent('claude')[0]));
  // V1 with one tool call, V2, V3, V4, and three calls of V5.
  expect(probe).toHaveLength(8);
  expect(second.sent('claude')).toHaveLength(9);
  const kept = JSON.parse(readFileSync(join(user.root, '.git/onceover/capabilities.json'), 'utf8'));
  expect(kept).toMatchObject([{ agent: 'claude', version: '99.0.0', failed: null }]);

  user.write('src/cart.ts', MENDED.cart);
  const third = await user.run({ claude: [answering('claude', 'pass', [], CART_IS_FIXED(idOf(first, 1)))] });
  expect(third).toMatchObject({ code: 0, status: 'passed' });
  expect(third.sent('claude')).toHaveLength(1);
  expect(slotsOf(third)).toMatchObject([{ status: 'pass', dispatch: 'resumed', why: 'delta' }]);
});
