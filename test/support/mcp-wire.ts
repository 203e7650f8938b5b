import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { CLI } from './cli.ts';
import { ABOUT } from './mcp-clients.ts';
import { cleanEnvironment } from './repo.ts';

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: ABOUT },
};

/** A tool call; progress notifications have the same number. */
export const callOf = (id: number, name: string, input: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input, _meta: { progressToken: id } },
});

/** A server: its lines and its end. */
export type Wire = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: string[];
  readonly errors: string[];
  readonly ended: Promise<number | null>;
  send(message: object): void;
  sendRaw(text: string): void;
  answerTo(id: number): Promise<unknown>;
};

/** Starts the built program as a server, and kills it when the test ends if it is still running. */
export function openWire(repo: { readonly root: string }): Wire {
  const child = spawn(process.execPath, [CLI, 'mcp'], {
    cwd: repo.root,
    env: cleanEnvironment(dirname(repo.root)),
    timeout: 15_000,
    killSignal: 'SIGKILL',
  });
  const lines: string[] = [];
  const waiting = new Map<number, (message: unknown) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    const message = JSON.parse(line) as { id?: number };
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  const sendRaw = (text: string) => child.stdin.write(text);
  const found = (id: number) => lines.map((line) => JSON.parse(line) as { id?: number }).find((one) => one.id === id);
  return {
    child,
    lines,
    errors,
    ended: new Promise((resolve) => child.on('close', resolve)),
    send: (message) => sendRaw(`${JSON.stringify(message)}\n`),
    sendRaw,
    answerTo: (id) => new Promise((resolve) => (found(id) ? resolve(found(id)) : waiting.set(id, resolve))),
  };
}
