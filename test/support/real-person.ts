import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { programOf, REAL_AGENTS, type RealAgent, settle } from './agent-clis.ts';

/** The real agents of the tests of runs and phases. */
export type AgentName = 'claude' | 'codex';

/** A user with both agents, each with its own base URL. */
export type RealPerson = {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder with copies of the system prompt files that Claude Code received. */
  readonly seen: string;
};

/** Sets up a user in a folder; `claudeVersion` replaces the version that Claude Code reports. */
export function realPerson(folder: string, baseUrl: (agent: AgentName) => string, claudeVersion?: string): RealPerson {
  const [claude, codex] = [realAgent('claude'), realAgent('codex')];
  const { env: settled } = settle(claude, folder, baseUrl('claude'));
  const { ONCEOVER_ACTIVE: _, ...own } = settled;
  const home = own['HOME'] ?? '';
  const seen = join(folder, 'seen');
  mkdirSync(seen);
  writeFileSync(join(folder, 'claude'), watched(programOf(claude), seen, claudeVersion));
  chmodSync(join(folder, 'claude'), 0o755);
  return {
    home,
    seen,
    env: {
      ...own,
      ...codex.configure(home, baseUrl('codex')),
      PATH: [folder, dirname(programOf(codex)), process.env['PATH']].join(delimiter),
    },
  };
}

/** The agents in `onceover.yml`: their models, and settings that send nothing but prompts from this machine. */
export function agentSettings(agents: readonly AgentName[]): string {
  const quiet =
    '{ DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" }';
  return `agents: [${agents.join(', ')}]
agent:
  claude: { model: ${realAgent('claude').model}, env: ${quiet} }
  codex: { model: ${realAgent('codex').model} }
`;
}

export function realAgent(name: AgentName): RealAgent {
  const found = REAL_AGENTS.find(({ agent }) => agent.name === name);
  if (found === undefined) throw new Error(`${name} is not an agent that the tests know`);
  return found;
}

/** Starts the real program, and keeps a copy of its system prompt file. */
function watched(program: string, folder: string, version: string | undefined): string {
  const tell = version === undefined ? '' : `[ "$1" = --version ] && echo '${version} (Claude Code)' && exit 0\n`;
  return `#!/bin/sh
${tell}before=
for one; do
  [ "$before" = --system-prompt-file ] && cp "$one" "${folder}/$(date +%s).$$"
  before=$one
done
exec "${program}" "$@"
`;
}
