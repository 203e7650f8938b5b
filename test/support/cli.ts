import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { cleanEnvironment } from './repo.ts';

/** Path of the built program. */
export const CLI = process.env['ONCEOVER_TEST_CLI'] ?? resolve(import.meta.dirname, '../../dist/cli.cjs');

export type CliEnd = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type CliOptions = {
  /** Written to standard input, which is then closed; if absent, there is no standard input. */
  readonly input?: string | Uint8Array;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
};

/** Runs the built program until it ends. */
export function onceover(cwd: string, args: readonly string[], options: CliOptions = {}): Promise<CliEnd> {
  return new Promise((resolveEnd, reject) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd,
      env: { ...cleanEnvironment(dirname(cwd)), ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: options.timeoutMs ?? 20_000,
      killSignal: 'SIGKILL',
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      resolveEnd({ code, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') }),
    );
    child.stdin?.on('error', () => {});
    if (options.input !== undefined) child.stdin?.end(options.input);
  });
}

/** Runs a command with `--json`, expects it to succeed, and returns its document. */
export async function onceoverJson<T>(cwd: string, args: readonly string[], options: CliOptions = {}): Promise<T> {
  const end = await onceover(cwd, [...args, '--json'], options);
  if (end.code !== 0) throw new Error(`exit ${end.code}: ${end.stderr}`);
  return JSON.parse(end.stdout) as T;
}
