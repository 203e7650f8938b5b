import type { RepoPath } from '../domain/brand.ts';
import { isRecord } from '../domain/is-record.ts';
import type { HookAgent } from '../domain/set-up.ts';
import { editJson, type JsonChange } from './json-config.ts';

/** Where an agent's program looks for hooks of a project, what it calls a stop, and in which unit it counts time. */
const HOOKS: Readonly<Record<HookAgent, { readonly file: RepoPath; readonly event: string; readonly second: number }>> =
  {
    claude: { file: '.claude/settings.json' as RepoPath, event: 'Stop', second: 1 },
    codex: { file: '.codex/hooks.json' as RepoPath, event: 'Stop', second: 1 },
    gemini: { file: '.gemini/settings.json' as RepoPath, event: 'AfterAgent', second: 1000 },
  };

// The hook answers before this is over.
const TIMEOUT_SECONDS = 600;
const CALL = 'onceover hook stop';
// Whoever has it installed does not wait for npx.
const COMMAND = `if command -v onceover >/dev/null 2>&1; then ${CALL}; else npx -y ${CALL}; fi`;

/** The file with the hooks of an agent's program. */
export function hookFile(agent: HookAgent): RepoPath {
  return HOOKS[agent].file;
}

/** What becomes of it: other hooks stay, and one of ours that is there stays as it is. */
export function addHookEntry(agent: HookAgent, present: string | null): JsonChange {
  const { event, second } = HOOKS[agent];
  return editJson(present, (config) => {
    const hooks = config['hooks'] ?? {};
    if (!isRecord(hooks)) return { wrong: '"hooks" is no object' };
    const own = hooks[event] ?? [];
    if (!Array.isArray(own)) return { wrong: `"hooks.${event}" is no list` };
    if (JSON.stringify(own).includes(CALL)) return 'leave';
    const entry = { hooks: [{ type: 'command', command: COMMAND, timeout: TIMEOUT_SECONDS * second }] };
    return { config: { ...config, hooks: { ...hooks, [event]: [...own, entry] } }, added: { [event]: [entry] } };
  });
}
