import { dirname } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { CLI } from './cli.ts';
import { cleanEnvironment } from './repo.ts';

export type ToolAnswer = { readonly text: string; readonly structured: unknown; readonly isError: boolean };

/** A client with its own server. */
export type McpConnection = {
  /** Returns the names of the tools. */
  tools(): Promise<readonly string[]>;
  /** Returns the schema that a tool declares for its structured content. */
  outputSchema(tool: string): Promise<z.ZodType>;
  /** `heard`: the progress lines of the call. */
  call(tool: string, input?: Record<string, unknown>, heard?: string[]): Promise<ToolAnswer>;
  close(): Promise<void>;
};

const answerSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

/** Starts the built program as a server in a folder; both are closed when the test ends. */
export async function connectMcp(cwd: string): Promise<McpConnection> {
  const client = new Client({ name: 'test', version: '1' });
  const env = Object.fromEntries(
    Object.entries(cleanEnvironment(dirname(cwd))).filter((one): one is [string, string] => one[1] !== undefined),
  );
  const args = [CLI, 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }));
  onTestFinished(() => client.close());
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async outputSchema(name) {
      const { tools } = await client.listTools();
      const schema: object | undefined = tools.find((tool) => tool.name === name)?.outputSchema;
      return z.fromJSONSchema({ ...schema });
    },
    async call(name, input = {}, heard) {
      const onprogress = ({ message }: { message?: string | undefined }) => heard?.push(message ?? '');
      const { content, structuredContent, isError } = answerSchema.parse(
        await client.callTool({ name, arguments: input }, heard === undefined ? {} : { onprogress }),
      );
      const text = content.map((one) => one.text).join('\n');
      return { text, structured: structuredContent, isError: isError === true };
    },
    close: () => client.close(),
  };
}
