import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { callAgent } from '@onceover/agents/adapters/call-agent';
import { answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import type { Agent, AgentQuestion } from '@onceover/agents/src/adapters/agent.ts';
import type { AskEnd } from '@onceover/base/kernel/ports';
import { AGENTS_FOLDER, programOf, type RealAgent, settle, usersFolder } from './agent-clis.ts';
import { temporaryFolder } from './repo.ts';

/** A user with a home, a project and one real agent that talks to the simulator. */
export type AgentUser = {
  readonly project: string;
  /** The environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
  ask(
    given: Partial<AgentQuestion>,
    more?: { idleSeconds?: number; signal?: AbortSignal; onLine?(line: string): void },
  ): Promise<AskEnd>;
};

/** Makes a user whose files are all in a folder of the test. */
export function agentUser(real: RealAgent, baseUrl: string): AgentUser {
  const { project, env } = settle(real, temporaryFolder(usersFolder()), baseUrl);
  return {
    project,
    env,
    ask: (given, more = {}) =>
      callAgent({
        agent: more.onLine === undefined ? real.agent : listening(real.agent, more.onLine),
        program: programOf(real),
        cwd: project,
        env,
        question: { ...QUESTION, model: real.model, newSessionId: crypto.randomUUID(), ...given },
        idleSeconds: more.idleSeconds ?? 60,
        signal: more.signal ?? null,
        scratchBase: scratch(),
      }),
  };
}

function listening(agent: Agent, onLine: (line: string) => void): Agent {
  return {
    ...agent,
    hear(heard, line, now) {
      onLine(line);
      return agent.hear(heard, line, now);
    },
  };
}

// A folder that only its owner can write to: Gemini CLI reads settings from no other place.
export function scratch(): string {
  const folder = join(AGENTS_FOLDER, 'scratch');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

const QUESTION: AgentQuestion = {
  stable: 'You review code. Answer with JSON.',
  dynamic: 'Review the file.',
  schema: answerSchema('gate'),
  sessionId: null,
  newSessionId: '',
  usedBefore: null,
  model: null,
  cacheTtl: '5m',
  timeoutSeconds: 60,
};
