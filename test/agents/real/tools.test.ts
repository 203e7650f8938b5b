import { programOf, REAL_AGENTS, type RealAgent } from '@onceover/testing/agent-clis.ts';
import { objectsIn } from '@onceover/testing/model-sim/json.ts';
import { conversationOf, type LoggedRequest } from '@onceover/testing/model-sim/log.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { agentUser } from '@onceover/testing/real-agents.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  for (const real of REAL_AGENTS) programOf(real);
  sim = await startModelSim();
});
afterAll(() => sim.close());

const real = (name: string): RealAgent => {
  const found = REAL_AGENTS.find(({ agent }) => agent.name === name);
  if (found === undefined) throw new Error(`${name} is not an agent that the tests know`);
  return found;
};

/** The tools of a reviewer, and the most tokens that the agent may add to a prompt by itself. */
test.each([
  // The placeholder is of Claude Code itself and does nothing.
  ['claude', 'claude-sonnet-5-5', ['DeferredToolPlaceholder', 'Glob', 'Grep', 'Read', 'StructuredOutput'], 3500],
  // The sandbox of Codex refuses patches. No setting takes the tool away.
  ['codex', 'gpt-5.5', ['apply_patch', 'exec_command', 'write_stdin'], 1900],
  ['codex', 'gpt-5.6-sol', ['exec', 'wait'], 3900],
  ['codex', 'gpt-6.1-sol', ['exec', 'wait'], 4500],
  ['gemini', 'gemini-2.5-pro', ['glob', 'grep_search', 'list_directory', 'read_file'], 6500],
  ['opencode', 'sim/claude-sonnet-5-5', ['glob', 'grep', 'read'], 1300],
])('%s with %s: a reviewer has no tool that it does not need', async (name, model, tools, most) => {
  const label = `${name}-${model.replaceAll('/', '-')}`;
  const more = name === 'codex' ? { previous: null, message: null } : {};
  sim.script(label, { kind: 'structured', value: { status: 'pass', violations: [], ...more } });
  const end = await agentUser(real(name), sim.baseUrl(label)).ask({ model });
  expect(end.ok ? 'answered' : end.failure).toBe('answered');
  const [first] = conversationOf(sim.requests(), label);
  expect(toolsOf(first)).toEqual(tools);
  expect(first?.use?.total).toBeLessThan(most);
});

/** Returns the names of the tools that a request offers. Newer models of Codex get their tools in a message. */
function toolsOf(request: LoggedRequest | undefined): readonly string[] {
  const body = request?.body ?? {};
  const named = objectsIn(body['tools']).concat(
    objectsIn(body['input']).flatMap(({ tools }) => objectsIn(tools ?? [])),
  );
  return named
    .flatMap((one) => [one, ...objectsIn(one['tools'] ?? []), ...objectsIn(one['functionDeclarations'] ?? [])])
    .filter((one) => one['tools'] === undefined && one['functionDeclarations'] === undefined)
    .map((one) => String(one['name'] ?? one['type']))
    .sort();
}
