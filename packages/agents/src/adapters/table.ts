import type { Agent } from './agent.ts';

/** The built-in agents, in order of preference. Their code is loaded when `loadAgents` is called. */
const AGENTS = {
  claude: async () => (await import('./claude.ts')).claude,
  codex: async () => (await import('./codex.ts')).codex,
  gemini: async () => (await import('./gemini.ts')).gemini,
  opencode: async () => (await import('./opencode.ts')).opencode,
  pi: async () => (await import('./pi.ts')).pi,
} satisfies Record<string, () => Promise<Agent>>;

/** The names of the built-in agents, in order of preference. */
export const AGENT_NAMES = Object.keys(AGENTS) as readonly (keyof typeof AGENTS)[];

/** Returns the built-in agents, in order of preference. */
export function loadAgents(): Promise<readonly Agent[]> {
  return Promise.all(Object.values(AGENTS).map((load) => load()));
}
