import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REAL_AGENTS, type RealAgent } from '@onceover/testing/agent-clis.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { type AgentUser, agentUser } from '@onceover/testing/real-agents.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

/** A user whose Codex repeats requests as often as it does by default. */
function userOf(real: RealAgent, baseUrl: string): AgentUser {
  const user = agentUser(real, baseUrl);
  const folder = user.env['CODEX_HOME'];
  if (real.agent.name !== 'codex' || folder === undefined) return user;
  const config = join(folder, 'config.toml');
  writeFileSync(config, readFileSync(config, 'utf8').replace(/.*_max_retries = 0\n/g, ''));
  return user;
}

const AGENTS = REAL_AGENTS.map((real) => [real.agent.name, real] as const);

describe.each([
  ['the connection is refused', 'http://127.0.0.1:1', 30],
  // The time in which a name server does not answer is not ours to set.
  ['the name cannot be resolved', 'http://nowhere.invalid', 45],
])('%s', (_, url, seconds) => {
  test.each(AGENTS)('%s names the cause in time', async (_name, real) => {
    const end = await userOf(real, url).ask({ timeoutSeconds: 120 }, { idleSeconds: 120 });
    expect(end).toMatchObject({ ok: false, failure: { kind: 'unreachable' } });
    expect(end.durationMs).toBeLessThan(seconds * 1000);
  });
});

describe('a service that fails again and again', () => {
  test.each([
    ['claude', 'cut', 3],
    ['codex', 'cut', 4],
    ['claude', 'overloaded', 3],
    ['opencode', 'overloaded', 4],
  ])('%s sends few requests (%s)', async (name, how, most) => {
    const real = REAL_AGENTS.find(({ agent }) => agent.name === name);
    if (real === undefined) throw new Error(name);
    const label = `storm-${name}-${how}`;
    sim.script(label, () =>
      how === 'cut' ? { kind: 'cut', text: 'A long answer. '.repeat(50) } : { kind: 'error', status: 529 },
    );
    const end = await userOf(real, sim.baseUrl(label)).ask({ timeoutSeconds: 120 }, { idleSeconds: 120 });
    expect(end).toMatchObject({ ok: false });
    expect(end.retries).toBeGreaterThanOrEqual(2);
    expect(sim.requests(label).filter(({ target }) => target.kind === 'generate').length).toBeLessThanOrEqual(most);
  });
});
