import { isRecord } from '../domain/is-record.ts';

const SERVER = 'onceover';
const ENTRY = { command: 'npx', args: ['-y', 'onceover', 'mcp'] } as const;

/** What becomes of an `.mcp.json`: null is a file that is not there yet. */
export type McpChange =
  | { readonly kind: 'write'; readonly text: string; readonly added: string }
  | { readonly kind: 'leave' }
  | { readonly kind: 'unreadable'; readonly said: string };

/** Adds the server's entry and keeps everything else; an entry that is there stays as it is. */
export function addMcpEntry(present: string | null): McpChange {
  const config = present === null || present.trim() === '' ? {} : parse(present);
  if (config instanceof Error) return { kind: 'unreadable', said: config.message };
  if (!isRecord(config)) return { kind: 'unreadable', said: 'it holds no object' };
  const servers = config['mcpServers'] ?? {};
  if (!isRecord(servers)) return { kind: 'unreadable', said: '"mcpServers" is no object' };
  if (Object.hasOwn(servers, SERVER)) return { kind: 'leave' };
  const text = `${JSON.stringify({ ...config, mcpServers: { ...servers, [SERVER]: ENTRY } }, null, 2)}\n`;
  return { kind: 'write', text, added: JSON.stringify({ [SERVER]: ENTRY }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
