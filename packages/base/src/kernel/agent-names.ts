/** The names of the built-in agents, in order of preference. */
export const AGENT_NAMES = ['claude', 'codex', 'gemini', 'opencode', 'pi'] as const;
