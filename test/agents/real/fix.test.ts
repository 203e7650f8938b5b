import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DispatchEnd } from '../../../src/agents/dispatch.ts';
import { answerSchema, strictSchema } from '../../../src/prompt/answer-schema.ts';
import { readAnswer } from '../../../src/prompt/read-answer.ts';
import type { Answer } from '../../support/model-sim/script.ts';
import { type ModelSim, startModelSim } from '../../support/model-sim/server.ts';
import { type AgentUser, agentUser, programOf, REAL_AGENTS } from '../../support/real-agents.ts';

const ANSWER: Answer = { kind: 'structured', value: { summary: 'Mended.', dispositions: [] } };
const FIXER = {
  writes: true,
  schema: answerSchema('fixer'),
  strictSchema: strictSchema(answerSchema('fixer')),
  stable: 'You mend code. Answer with JSON.',
  dynamic: 'Mend the file.',
} as const;

let sim: ModelSim;
/** What was measured, by where it writes and agent. */
const measured: Record<string, Record<string, string>> = {};

beforeAll(async () => {
  for (const real of REAL_AGENTS) programOf(real);
  sim = await startModelSim();
});
afterAll(async () => {
  await sim.close();
  console.table(measured);
});

describe.each(REAL_AGENTS.map((real) => [real.agent.name, real] as const))('%s as a fixer', (name, real) => {
  let n = 0;

  /** Asks the fixer to write a file, as a model would try it; tells whether the file is there. */
  async function writes(
    where: (user: AgentUser) => string,
  ): Promise<{ readonly isThere: boolean; readonly end: DispatchEnd }> {
    const label = `fix-${name}-${++n}`;
    const user = agentUser(real, sim.baseUrl(label));
    execFileSync('git', ['init', '-q'], { cwd: user.project });
    const path = where(user);
    sim.script(label, [{ kind: 'tools', calls: [real.write(path)] }, ANSWER, ANSWER]);
    const end = await user.ask({ ...FIXER, timeoutSeconds: 40 });
    return { isThere: existsSync(path), end };
  }

  const note = (what: string, isThere: boolean) => {
    measured[what] = {
      ...measured[what],
      [`${name} ${real.agent.testedVersion}`]: isThere ? 'written' : 'not written',
    };
  };

  test('edits a file of the working tree, and says so', async () => {
    const { isThere, end } = await writes(({ project }) => join(project, 'mended.txt'));
    note('in the working tree', isThere);
    expect(isThere).toBe(true);
    expect(end.ok ? readAnswer('fixer', end.reply) : end).toMatchObject({ ok: true, answer: { summary: 'Mended.' } });
  });

  test.each([
    ['beside the working tree', ({ project }: AgentUser) => join(dirname(project), 'outside.txt')],
    ['in the home', ({ env }: AgentUser) => join(env['HOME'] ?? '', '.profile')],
    [
      'through a link out of the working tree',
      ({ project }: AgentUser) => {
        mkdirSync(join(dirname(project), 'linked'));
        symlinkSync(join(dirname(project), 'linked'), join(project, 'link'));
        return join(project, 'link/outside.txt');
      },
    ],
  ])('cannot write %s', async (where, path) => {
    const { isThere } = await writes(path);
    note(where, isThere);
    expect(isThere).toBe(false);
  });

  test('in the git folder', async () => {
    const { isThere } = await writes(({ project }) => join(project, '.git/onceover.txt'));
    note('in the git folder', isThere);
  });
});
