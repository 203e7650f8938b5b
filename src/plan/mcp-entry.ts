import { isRecord } from '../domain/is-record.ts';
import { editJson, type JsonChange, takeOut, withoutEmpty } from './json-config.ts';

const SERVER = 'onceover';
const ENTRY = { command: 'npx', args: ['-y', 'onceover', 'mcp'] } as const;

/** What becomes of an `.mcp.json`: an entry that is there stays as it is. */
export function addMcpEntry(present: string | null): JsonChange {
  return editJson(present, (config) => {
    const servers = config['mcpServers'] ?? {};
    if (!isRecord(servers)) return { wrong: '"mcpServers" is no object' };
    if (Object.hasOwn(servers, SERVER)) return 'leave';
    return { config: { ...config, mcpServers: { ...servers, [SERVER]: ENTRY } }, added: { [SERVER]: ENTRY } };
  });
}

/** What becomes of an `.mcp.json` without the server of our name, however it is called. */
export function takeMcpEntry(present: string) {
  return takeOut(present, (config) => {
    const servers = config['mcpServers'];
    if (!isRecord(servers) || !Object.hasOwn(servers, SERVER)) return 'leave';
    const { [SERVER]: _, ...others } = servers;
    return withoutEmpty(config, 'mcpServers', others);
  });
}
