import { shellWord } from '@onceover/base/kernel/escape';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import type { HookAgent } from './types.ts';

type JsonObject = Record<string, unknown>;

/**
 * The result of editing a file: its new text ('' if nothing is left) and the added part; `leave` if the file needs no
 * change; or the reason why it cannot be edited.
 */
export type TextChange =
  | { readonly kind: 'write'; readonly text: string; readonly added: string }
  | { readonly kind: 'leave' }
  | { readonly kind: 'unreadable'; readonly said: string };

/** The edited object and the added part, 'leave' if it needs no change, or the problem that prevents the edit. */
type JsonEdit = { readonly config: JsonObject; readonly added?: unknown } | 'leave' | { readonly wrong: string };

/** Applies `edit` to the object in a JSON file. `present` is the text of the file; null if the file does not exist. */
export function editJson(present: string | null, edit: (config: JsonObject) => JsonEdit): TextChange {
  const config = parseObject(present ?? '');
  const jsonEdit = typeof config === 'string' ? { wrong: config } : edit(config);
  if (jsonEdit === 'leave') return { kind: 'leave' };
  if ('wrong' in jsonEdit) return { kind: 'unreadable', said: jsonEdit.wrong };
  const addition = jsonEdit.added === undefined ? '' : JSON.stringify(jsonEdit.added);
  if (Object.keys(jsonEdit.config).length === 0) return { kind: 'write', text: '', added: addition };
  // The file keeps its own indentation, so that a diff shows only the new lines.
  const indent = /^([ \t]+)"/m.exec(present ?? '')?.[1] ?? '  ';
  return { kind: 'write', text: `${JSON.stringify(jsonEdit.config, null, indent)}\n`, added: addition };
}

/** Returns the object in a JSON text: {} for an empty text, or an error message if the text has no object. */
function parseObject(text: string): JsonObject | string {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : 'it does not contain an object';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns a copy of the record with `value` at `key`. If `value` is empty, the copy has no such key. */
function withValue(record: JsonObject, key: string, value: JsonObject | readonly unknown[]): JsonObject {
  const { [key]: _, ...others } = record;
  return Object.keys(value).length === 0 ? others : { ...record, [key]: value };
}

/** The command that starts onceover, as a list of words. */
type Program = readonly string[];

/**
 * For each agent: the settings file with its hooks, its name for the stop event, and a timeout of ten minutes in the
 * unit that it uses. `onceover hook stop` always answers earlier than that.
 */
const HOOKS = {
  claude: { file: '.claude/settings.json' as RepoPath, event: 'Stop', timeout: 600 },
  codex: { file: '.codex/hooks.json' as RepoPath, event: 'Stop', timeout: 600 },
  gemini: { file: '.gemini/settings.json' as RepoPath, event: 'AfterAgent', timeout: 600_000 },
} as const;

const HOOK_CALL = 'onceover hook stop';

/** Returns the settings file in which an agent's program finds its hooks. */
export function hookFile(agent: HookAgent): RepoPath {
  return HOOKS[agent].file;
}

/** Adds the stop hook to the settings of an agent. Other hooks and an existing hook of onceover stay as they are. */
export function addHookEntry(agent: HookAgent, present: string | null, program: Program = ['onceover']): TextChange {
  const { event, timeout } = HOOKS[agent];
  return editJson(present, (config) => {
    const hooks = config['hooks'] ?? {};
    if (!isRecord(hooks)) return { wrong: '"hooks" is not an object' };
    const entries = hooks[event] ?? [];
    if (!Array.isArray(entries)) return { wrong: `"hooks.${event}" is not a list` };
    if (isOurs(entries)) return 'leave';
    const entry = { hooks: [{ type: 'command', command: hookCommand(program), timeout }] };
    return { config: { ...config, hooks: { ...hooks, [event]: [...entries, entry] } }, added: { [event]: [entry] } };
  });
}

// The settings file may be committed, but a path is valid only on this machine. So the hook uses the onceover on PATH,
// if there is one.
function hookCommand(program: Program): string {
  const call = `${program.map(shellWord).join(' ')} hook stop`;
  return call.endsWith(HOOK_CALL)
    ? call
    : `if command -v onceover >/dev/null 2>&1; then ${HOOK_CALL}; else ${call}; fi`;
}

/** Removes the stop hook from the settings of an agent. Other hooks stay, even if they are in the same list element. */
export function removeHookEntry(agent: HookAgent, present: string): TextChange {
  const { event } = HOOKS[agent];
  return editJson(present, (config) => {
    const hooks = config['hooks'];
    const entries = isRecord(hooks) ? hooks[event] : null;
    if (!isRecord(hooks) || !Array.isArray(entries) || !isOurs(entries)) return 'leave';
    const otherEntries = entries.flatMap((entry) => {
      const inside = isRecord(entry) && Array.isArray(entry['hooks']) ? entry['hooks'] : [];
      const otherHooks = inside.filter((hook) => !isOurs(hook));
      if (otherHooks.length === inside.length) return [entry];
      return otherHooks.length === 0 ? [] : [{ ...entry, hooks: otherHooks }];
    });
    return { config: withValue(config, 'hooks', withValue(hooks, event, otherEntries)) };
  });
}

function isOurs(hooks: unknown): boolean {
  return JSON.stringify(hooks).includes(HOOK_CALL);
}

const SERVER = 'onceover';

/** Adds the MCP server "onceover" to an `.mcp.json`. An existing server of that name stays as it is. */
export function addMcpEntry(present: string | null, program: Program = ['onceover']): TextChange {
  const [command, ...args] = program;
  const entry = { command, args: [...args, 'mcp'] };
  return editJson(present, (config) => {
    const servers = config['mcpServers'] ?? {};
    if (!isRecord(servers)) return { wrong: '"mcpServers" is not an object' };
    if (Object.hasOwn(servers, SERVER)) return 'leave';
    return { config: { ...config, mcpServers: { ...servers, [SERVER]: entry } }, added: { [SERVER]: entry } };
  });
}

/** Removes the MCP server named "onceover", whatever command it has. */
export function removeMcpEntry(present: string): TextChange {
  return editJson(present, (config) => {
    const servers = config['mcpServers'];
    if (!isRecord(servers) || !Object.hasOwn(servers, SERVER)) return 'leave';
    return { config: withValue(config, 'mcpServers', withValue(servers, SERVER, [])) };
  });
}
