import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { programOf, REAL_AGENTS, type RealAgent, settle } from './agent-clis.ts';

/** The real agents that runs and phases are tried with. */
export type AgentName = 'claude' | 'codex';

/** A person with both agents, each of which talks to a base URL of its own. */
export type RealPerson = {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where the system prompt files are kept that Claude Code was started with. */
  readonly seen: string;
};

/** Settles a person in a folder; `claudeVersion` is what Claude Code tells, where it is not to tell its own. */
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

/** What `onceover.yml` says of these agents: their models, and what a person sets who wants nothing to leave the machine but questions. */
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
  if (found === undefined) throw new Error(`${name} is no agent that tests know`);
  return found;
}

/** Starts the program as it is, and keeps a copy of the system prompt file that it is given. */
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
