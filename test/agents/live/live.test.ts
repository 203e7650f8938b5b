import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callAgent } from '@onceover/agents/adapters/call-agent';
import { knownAgents } from '@onceover/agents/adapters/installed';
import { answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import { readAnswer } from '@onceover/agents/dispatch/read-answer';
import type { AgentQuestion } from '@onceover/agents/src/adapters/agent.ts';
import { answerObject } from '@onceover/agents/src/dispatch/answer-form.ts';
import type { Usage } from '@onceover/base/kernel/agent';
import type { AskEnd } from '@onceover/base/kernel/ports';
import { REAL_AGENTS } from '@onceover/testing/agent-clis.ts';
import { startModelSim } from '@onceover/testing/model-sim/server.ts';
import { agentUser } from '@onceover/testing/real-agents.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';

const MOST_USD = 1;
/** The assumed price of a token if the agent reports no cost: that of an expensive model. */
const USD_PER_TOKEN = { input: 15e-6, output: 75e-6 };
const STABLE = `You review code for mistakes.\n${'Judge what would go wrong in use, and say how to fix it. '.repeat(100)}`;
const QUESTION: AgentQuestion = {
  stable: STABLE,
  dynamic: 'Review add.js: add is to return the sum of its two arguments.',
  schema: answerSchema('gate'),
  sessionId: null,
  newSessionId: '',
  usedBefore: null,
  model: null,
  cacheTtl: '5m',
  timeoutSeconds: 180,
};

const AGAIN = 'add.js has changed. Review it again and answer.';

let spent = 0;

const known = await knownAgents({}, process.env, process.cwd());

// Uses your own login and your own money: the agents on PATH, one small review and one resume each.
describe.skipIf(process.env['ONCEOVER_LIVE'] === undefined)('live', () => {
  const agents = known.flatMap(({ agent, program, env }) =>
    program === null ? [] : [{ name: agent.name, agent, program, env }],
  );

  test.each(agents)('$name', async ({ name, agent, program, env }) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'add.js'), 'exports.add = (a, b) => a - b;\n');
    const ask = async (given: Partial<AgentQuestion>): Promise<AskEnd> => {
      if (spent >= MOST_USD) throw new Error(`$${spent.toFixed(2)} of $${MOST_USD} are spent`);
      const question = { ...QUESTION, newSessionId: randomUUID(), ...given };
      const end = await callAgent({ agent, program, cwd, env, question, idleSeconds: 120, signal: null });
      spent += cost(end.ok ? end.reply.usage : end.usage);
      return end;
    };
    const first = await ask({});
    if (!first.ok) throw new Error(JSON.stringify(first.failure));
    const { sessionId, sessionUsage } = first.reply;
    writeFileSync(join(cwd, 'add.js'), 'exports.add = (a, b) => a + b;\n');
    const second = await ask({ dynamic: AGAIN, sessionId, usedBefore: sessionUsage });
    if (!second.ok) throw new Error(JSON.stringify(second.failure));
    const simulated = await onSimulator(name);
    console.table([
      { who: `${name}: provider, fresh`, ...first.reply.usage },
      { who: `${name}: simulator, fresh`, ...simulated?.[0] },
      { who: `${name}: provider, resumed`, ...second.reply.usage },
      { who: `${name}: simulator, resumed`, ...simulated?.[1] },
    ]);
    const replies = [first.reply, second.reply];
    const accepted = replies.filter((reply) => readAnswer('gate', reply).ok).length;
    const exact = replies.filter((reply) => answerObject(reply).ok).length;
    console.log(`${name}: ${accepted} of ${replies.length} answers accepted at once, ${exact} in the exact form`);
    console.log(`about $${spent.toFixed(3)} of $${MOST_USD} spent`);
    const read = readAnswer('gate', first.reply);
    expect(read.ok && read.answer.status).toBe('fail');
  });
});

function cost(usage: Usage | null): number {
  if (usage === null) return 0;
  const input = usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens;
  return usage.costUsd ?? input * USD_PER_TOKEN.input + usage.outputTokens * USD_PER_TOKEN.output;
}

/** Sends the same two prompts to the pinned version of the agent, with simulated answers. */
async function onSimulator(name: string): Promise<[Usage | null, Usage | null] | null> {
  const real = REAL_AGENTS.find((one) => one.agent.name === name);
  if (real === undefined) return null;
  const sim = await startModelSim();
  try {
    const user = agentUser(real, sim.baseUrl(name));
    writeFileSync(join(user.project, 'add.js'), 'exports.add = (a, b) => a - b;\n');
    const value = {
      status: 'fail',
      violations: [{ file: 'add.js', line: 1, issue: 'It subtracts.', priority: 'high' }],
    };
    sim.script(name, [
      { kind: 'tools', calls: [real.read(join(user.project, 'add.js'))] },
      { kind: 'structured', value },
      { kind: 'structured', value },
    ]);
    const first = await user.ask({ stable: STABLE, dynamic: QUESTION.dynamic });
    if (!first.ok) return null;
    const { sessionId, sessionUsage } = first.reply;
    const second = await user.ask({
      stable: STABLE,
      dynamic: AGAIN,
      sessionId,
      usedBefore: sessionUsage,
    });
    return [first.reply.usage, second.ok ? second.reply.usage : null];
  } finally {
    await sim.close();
  }
}
