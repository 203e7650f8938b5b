import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { type HookedAgent, type RealHook, realHook, type Work } from '@onceover/testing/real-hook.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

const WRONG = 'export const a = 1;\nexport const b = 2;\nexport const c = 3;\n';
const RIGHT = 'export const a = 1;\nexport const d = 4;\n';
const TWO_FINDINGS = {
  status: 'fail',
  violations: [
    { file: 'src/a.ts', line: 2, code: 'export const b = 2;', issue: 'b is wrong', priority: 'high' },
    { file: 'src/a.ts', line: 3, code: 'export const c = 3;', issue: 'c is wrong', priority: 'high' },
  ],
} as const;

const says = (text: string) => ({ kind: 'text', text }) as const;

/** Returns all text that the model gets in a request. */
const heard = (work: Work, number: number) => JSON.stringify(work.sent.at(number)?.body);

const file = (user: RealHook) => readFileSync(join(user.root, 'src/a.ts'), 'utf8');

describe.each<HookedAgent>(['claude', 'codex', 'gemini'])('%s with the hook that init writes', (name) => {
  test('is blocked with two findings, fixes them, and may stop; a second stop runs no reviewer', async () => {
    const user = await realHook(sim, name);
    user.answers('one', TWO_FINDINGS);
    const work = await user.work([
      ...user.writing('src/a.ts', WRONG),
      says('Done.'),
      ...user.writing('src/a.ts', RIGHT),
      says('Fixed.'),
    ]);
    expect(work.code).toBe(0);
    const turns = user.writing('', '').length + 1;
    expect(work.sent).toHaveLength(2 * turns);
    expect(heard(work, turns - 1)).not.toContain('b is wrong');
    for (const issue of ['b is wrong', 'c is wrong']) expect(heard(work, turns)).toContain(issue);
    expect(file(user)).toBe(RIGHT);
    expect(user.calls()).toHaveLength(2);
    expect(user.calls()[1]?.prompt).toContain('F2');

    const again = await user.work([says('Nothing to do.')]);
    expect([again.code, again.sent.length]).toEqual([0, 1]);
    expect(user.calls()).toHaveLength(2);
  });

  test('may stop if the reviewer cannot run', async () => {
    const user = await realHook(sim, name);
    user.answers('one', { $exit: 1 }, { $exit: 1 }, { $exit: 1 });
    const work = await user.work([...user.writing('src/a.ts', WRONG), says('Done.')]);
    expect(work.code).toBe(0);
    expect(work.sent).toHaveLength(user.writing('', '').length + 1);
    expect(user.calls().length).toBeGreaterThan(0);
  });

  test('may stop after three blocks without progress', async () => {
    const user = await realHook(sim, name);
    user.answers('one', TWO_FINDINGS);
    const work = await user.work([...user.writing('src/a.ts', WRONG), ...Array.from({ length: 9 }, () => says('No.'))]);
    expect(work.code).toBe(0);
    expect(work.sent).toHaveLength(user.writing('', '').length + 4);
    expect(user.calls()).toHaveLength(1);
  });
});

describe('when the agent does not call the hook', () => {
  test('Codex skips a hook that the user has not allowed', async () => {
    const user = await realHook(sim, 'codex', { isAllowed: false });
    user.answers('one', TWO_FINDINGS);
    const work = await user.work([...user.writing('src/a.ts', WRONG), says('Done.')]);
    expect([work.code, work.sent.length, user.calls().length]).toEqual([0, 2, 0]);
  });

  test('Gemini CLI ignores the hooks of an untrusted folder', async () => {
    const user = await realHook(sim, 'gemini', { isAllowed: false });
    user.answers('one', TWO_FINDINGS);
    await user.work([...user.writing('src/a.ts', WRONG), says('Done.')]);
    expect(user.calls()).toHaveLength(0);
  });
});
