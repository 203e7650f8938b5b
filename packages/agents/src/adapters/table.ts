import { AGENT_NAMES } from '@onceover/base/kernel/agent-names';
import type { Agent } from './agent.ts';

/** The built-in agents. Their code is loaded when `loadAgents` is called. */
const AGENTS = {
  claude: async () => (await import('./claude.ts')).claude,
  codex: async () => (await import('./codex.ts')).codex,
  gemini: async () => (await import('./gemini.ts')).gemini,
  opencode: async () => (await import('./opencode.ts')).opencode,
  pi: async () => (await import('./pi.ts')).pi,
} satisfies Record<(typeof AGENT_NAMES)[number], () => Promise<Agent>>;

/** Returns the built-in agents, in order of preference. */
export function loadAgents(): Promise<readonly Agent[]> {
  return Promise.all(AGENT_NAMES.map((name) => AGENTS[name]()));
}
