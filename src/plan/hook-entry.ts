import type { RepoPath } from '../domain/brand.ts';
import { isRecord } from '../domain/is-record.ts';
import type { HookAgent } from '../domain/set-up.ts';
import { editJson, type JsonChange, takeOut, withoutEmpty } from './json-config.ts';

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
    if (isOurs(own)) return 'leave';
    const entry = { hooks: [{ type: 'command', command: COMMAND, timeout: TIMEOUT_SECONDS * second }] };
    return { config: { ...config, hooks: { ...hooks, [event]: [...own, entry] } }, added: { [event]: [entry] } };
  });
}

/** What becomes of it without our hook: other hooks stay, also those beside ours in the same entry. */
export function takeHookEntry(agent: HookAgent, present: string) {
  const { event } = HOOKS[agent];
  return takeOut(present, (config) => {
    const hooks = config['hooks'];
    const own = isRecord(hooks) ? hooks[event] : null;
    if (!isRecord(hooks) || !Array.isArray(own) || !isOurs(own)) return 'leave';
    const entries = own.flatMap((entry) => {
      const inside = isRecord(entry) && Array.isArray(entry['hooks']) ? entry['hooks'] : null;
      const others = inside?.filter((hook) => !isOurs(hook)) ?? null;
      if (others === null || others.length === inside?.length) return [entry];
      return others.length === 0 ? [] : [{ ...entry, hooks: others }];
    });
    return withoutEmpty(config, 'hooks', withoutEmpty(hooks, event, entries));
  });
}

function isOurs(hooks: unknown): boolean {
  return JSON.stringify(hooks).includes(CALL);
}
