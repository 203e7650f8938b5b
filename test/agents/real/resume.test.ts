import { testedVersions } from '@onceover/agents/adapters/installed';
import { probeInstalled } from '@onceover/agents/dispatch/resume-probe';
import { programOf, REAL_AGENTS, versionUnderTest } from '@onceover/testing/agent-clis.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { agentUser, scratch } from '@onceover/testing/real-agents.ts';
import { rememberingModel } from '@onceover/testing/remembering-model.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

describe('V1 to V5, as they are shipped', () => {
  test.each(REAL_AGENTS.map((real) => [real.agent.name, real] as const))(
    '%s',
    async (name, real) => {
      const label = `probe-${name}`;
      sim.script(label, rememberingModel(real));
      const user = agentUser(real, sim.baseUrl(label));
      const settings = {
        model: real.model,
        command: null,
        path: null,
        resume: false,
        env: {},
        sandbox: false,
        timeoutSeconds: null,
      };
      const outcome = await probeInstalled(
        { agent: real.agent, settings, program: programOf(real), env: user.env },
        versionUnderTest(real),
        { signal: null, scratchBase: scratch() },
      );
      if (outcome.kind === 'not-tried') throw new Error(JSON.stringify(outcome.failure));
      const found = outcome.result;
      console.log(
        name,
        found.failed ?? 'V1 to V5 pass',
        `fresh ${found.freshMs?.toFixed(0)} ms, resumed ${found.resumedMs?.toFixed(0)} ms`,
      );
      const [shipped] = testedVersions([real.agent]);
      expect(found.failed?.test ?? 'pass').toBe(
        shipped === undefined ? 'not shipped' : (shipped.failed?.test ?? 'pass'),
      );
      // V5 runs only for agents whose forks the provider caches; the others are never forked.
      const isForked = real.agent.abilities.fork === 'cached';
      expect(found.forkFailed).toBe(isForked ? (shipped?.forkFailed ?? null) : undefined);
      // Each test of an agent starts it four times, which takes minutes on a slow machine.
    },
    600_000,
  );
});
