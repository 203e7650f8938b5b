import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { REAL_AGENTS } from '@onceover/testing/agent-clis.ts';
import type { Answer } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { type AgentUser, agentUser } from '@onceover/testing/real-agents.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const STREAMS = resolve(import.meta.dirname, '../../../packages/agents/test/adapters/streams');
const ANSWER: Answer = { kind: 'structured', value: { status: 'pass', violations: [] } };

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

// Records the output of the agents for the stream tests, with ONCEOVER_RECORD=1.
describe.skipIf(process.env['ONCEOVER_RECORD'] === undefined)('the streams of', () => {
  test.each(REAL_AGENTS.map((real) => [real.agent.name, real] as const))('%s', async (name, real) => {
    const user = agentUser(real, sim.baseUrl(name));
    writeFileSync(join(user.project, 'add.js'), 'exports.add = (a, b) => a - b;\n');
    const call: Answer = { kind: 'tools', calls: [real.read(join(user.project, 'add.js'))], text: 'Reading.' };
    sim.script(name, [
      call,
      ANSWER,
      ANSWER,
      ...Array<Answer>(4).fill({ kind: 'error', status: 401, message: 'invalid api key' }),
    ]);
    const sessionId = await record(user, name, 'review', null);
    await record(user, name, 'resumed', sessionId);
    await record(user, name, 'refused', null);
  });
});

async function record(user: AgentUser, agent: string, name: string, sessionId: string | null): Promise<string | null> {
  const lines: string[] = [];
  const end = await user.ask({ sessionId }, { onLine: (line) => lines.push(line) });
  expect(lines.length).toBeGreaterThan(0);
  const text = lines
    .join('\n')
    .replaceAll(user.project, '/project')
    .replaceAll(/[^"\s]*onceover-test-[A-Za-z0-9]+/g, '/user');
  mkdirSync(join(STREAMS, agent), { recursive: true });
  writeFileSync(join(STREAMS, agent, `${name}.jsonl`), `${text}\n`);
  return end.ok ? end.reply.sessionId : null;
}
