import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProbe } from '../../../src/agents/probe-ports.ts';
import { TESTED } from '../../../src/agents/tested.ts';
import { probeResume } from '../../../src/execute/probe-resume.ts';
import { answerSchema, strictSchema } from '../../../src/prompt/answer-schema.ts';
import { asManyResponsesAsCalls } from '../../support/model-sim/rules/gemini.ts';
import type { Answer, RequestSummary } from '../../support/model-sim/script.ts';
import { type ModelSim, startModelSim } from '../../support/model-sim/server.ts';
import { agentUser, programOf, REAL_AGENTS, type RealAgent, scratch } from '../../support/real-agents.ts';

let sim: ModelSim;
beforeAll(async () => {
  // What the real service refuses: as many results of tools as there were calls.
  sim = await startModelSim({ moreRules: { gemini: [asManyResponsesAsCalls] } });
});
afterAll(() => sim.close());

/** A model that knows nothing but what it is sent: it remembers only what the agent sends again. */
function model(real: RealAgent): (request: RequestSummary) => Answer {
  return (request) => {
    const sent = JSON.stringify(request.body)
      .replaceAll('\\\\n', '\n')
      .replaceAll('\\n', '\n')
      .replaceAll('\\\\"', '"')
      .replaceAll('\\"', '"');
    const line = /# Export [0-9a-f]{16}/.exec(sent)?.[0] ?? 'nothing';
    const say = (reply: string, issues: number): Answer => ({
      kind: 'structured',
      value: { reply, issues: Array.from({ length: issues }, () => ({ description: 'It is unclear.' })) },
    });
    const asked = request.lastUserText;
    if (asked.includes('Repeat verbatim')) return say(line, 0);
    if (asked.includes('How many issues')) return say(String(sent.match(/It is unclear\./g)?.length ?? 0), 0);
    if (asked.includes('Confirm you can')) return say('Yes.', 0);
    const path = /Review this file: (\S+)\. List/.exec(sent)?.[1];
    if (line === 'nothing' && path !== undefined) return { kind: 'tools', calls: [real.read(path)] };
    return say(line, 3);
  };
}

describe('V1 to V4, as they are shipped', () => {
  test.each(REAL_AGENTS.map((real) => [real.agent.name, real] as const))('%s', async (name, real) => {
    const label = `probe-${name}`;
    sim.script(label, model(real));
    const user = agentUser(real, sim.baseUrl(label));
    const schema = answerSchema('probe');
    const settings = {
      model: real.model,
      command: null,
      path: null,
      resume: false,
      env: {},
      sandbox: false,
      timeoutSeconds: null,
    };
    const probe = openProbe(
      { agent: real.agent, settings, program: programOf(real), env: user.env },
      { schema, strictSchema: strictSchema(schema) },
      { signal: null, scratchBase: scratch() },
    );
    const outcome = await probeResume(name, real.agent.testedVersion ?? '', probe);
    probe.close();
    if (outcome.kind === 'not-tried') throw new Error(JSON.stringify(outcome.failure));
    const found = outcome.result;
    console.log(
      name,
      found.failed ?? 'V1 to V4 pass',
      `fresh ${found.freshMs?.toFixed(0)} ms, resumed ${found.resumedMs?.toFixed(0)} ms`,
    );
    const shipped = TESTED.find((one) => one.agent === name && one.version === real.agent.testedVersion);
    expect(found.failed?.test ?? 'pass').toBe(shipped === undefined ? 'not shipped' : (shipped.failed?.test ?? 'pass'));
  });
});
