import { dirname } from 'node:path';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { CLI } from './cli.ts';
import { cleanEnvironment } from './repo.ts';

type Tool = { name: string; inputSchema: object; outputSchema?: object | undefined };
export type Answer = { text: string; structured: unknown; isError: boolean };
/** Returns a client with its own server; both are closed when the test ends. */
export type Connection = {
  tools(): Promise<Tool[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
  /** The environment of the server. */
  readonly pid: number | null;
};

/** The client information that the clients send. */
export const ABOUT = { name: 'test', version: '1' };

/** Returns a client of each generation, each with its own server. */
export const clients: [string, (cwd: string, args?: readonly string[]) => Promise<Connection>][] = [
  [
    'v1 client',
    async (cwd, args = []) => {
      const client = new OldClient(ABOUT);
      const transport = new OldTransport(server(cwd, args));
      await client.connect(transport);
      onTestFinished(() => client.close());
      return {
        pid: transport.pid,
        tools: async () => (await client.listTools()).tools,
        call: async (name, input = {}) => answerOf(await client.callTool({ name, arguments: input })),
        close: () => client.close(),
      };
    },
  ],
  ['v2 client', (cwd, args) => connectNew(cwd, args, 'legacy')],
  ['v2 client, newest protocol', (cwd, args) => connectNew(cwd, args, 'auto')],
];

export async function connectNew(
  cwd: string,
  args: readonly string[] = [],
  mode: 'legacy' | 'auto' = 'legacy',
): Promise<Connection> {
  const client = new NewClient(ABOUT, { versionNegotiation: { mode } });
  const transport = new NewTransport(server(cwd, args));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    pid: transport.pid,
    tools: async () => (await client.listTools()).tools,
    call: async (name, input = {}) => answerOf(await client.callTool({ name, arguments: input })),
    close: () => client.close(),
  };
}

function server(cwd: string, args: readonly string[]) {
  const env = Object.fromEntries(
    Object.entries(cleanEnvironment(dirname(cwd))).filter((one): one is [string, string] => one[1] !== undefined),
  );
  return { command: process.execPath, args: [CLI, 'mcp', ...args], cwd, env, stderr: 'ignore' as const };
}

const answerSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

function answerOf(result: unknown): Answer {
  const { content, structuredContent, isError } = answerSchema.parse(result);
  return { text: content.map((one) => one.text).join('\n'), structured: structuredContent, isError: isError === true };
}
