import type { AgentReport } from '../domain/doctor.ts';
import type { AgentSettings } from '../domain/settings.ts';
import type { Agent } from './agent.ts';
import { commandAgent } from './command.ts';
import { agentEnvironment } from './environment.ts';
import { findProgram, programVersion } from './find.ts';
import { AGENTS } from './table.ts';

/** An agent with what this machine and the user's settings say of it. */
export type KnownAgent = {
  readonly agent: Agent;
  readonly settings: AgentSettings | null;
  /** Where it is; null: not found. */
  readonly program: string | null;
  readonly env: Readonly<Record<string, string>>;
};

/** The known agents and those that the settings define. */
export function knownAgents(
  settings: Readonly<Record<string, AgentSettings>>,
  own: Readonly<Record<string, string | undefined>>,
  root: string,
): readonly KnownAgent[] {
  const defined = Object.entries(settings).flatMap(([name, { command, resume }]) => {
    const [program, ...args] = command ?? [];
    return program === undefined ? [] : [commandAgent({ name, command: [program, ...args], resume })];
  });
  return [...AGENTS.filter((agent) => !defined.some((one) => one.name === agent.name)), ...defined].map((agent) => {
    const mine = settings[agent.name] ?? null;
    return {
      agent,
      settings: mine,
      program: findProgram(mine?.path ?? agent.program, own['PATH'] ?? '', root),
      env: { ...agentEnvironment(own, agent.variables), ...mine?.env },
    };
  });
}

/** Whether it is a command of the user's own. */
export function isOwn({ settings }: Pick<KnownAgent, 'settings'>): boolean {
  return settings?.command != null;
}

/** What is to be said of an agent; a command of the user's own is never started to find out. */
export async function reportAgent(
  known: KnownAgent,
  root: string,
  resume: (name: string, version: string | null) => AgentReport['resume'],
): Promise<AgentReport> {
  const { agent, program, settings } = known;
  const version = program === null || isOwn(known) ? null : await programVersion(program, known.env, root);
  return {
    name: agent.name,
    program,
    version,
    testedVersion: agent.testedVersion,
    abilities: agent.abilities,
    resume: isOwn(known) ? ownWord(settings?.resume === true) : resume(agent.name, version),
    install: agent.install,
  };
}

function ownWord(resume: boolean): AgentReport['resume'] {
  return resume ? { kind: 'yes', from: 'config' } : { kind: 'no', from: 'config', why: '"resume: true" is not set' };
}
