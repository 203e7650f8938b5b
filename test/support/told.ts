import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { CLI, type CliEnd } from './cli.ts';
import { cleanEnvironment } from './repo.ts';

/** Checks the message of a command that failed: the cause and the next step, in sentences and without a stack trace. */
export function told(end: Pick<CliEnd, 'code' | 'stderr'>, code: number): string {
  expect.soft(end.code, end.stderr).toBe(code);
  const lines = end.stderr.trimEnd().split('\n');
  const first = lines.findIndex((line) => line.startsWith('onceover: '));
  expect.soft(first, end.stderr).toBeGreaterThanOrEqual(0);
  expect.soft(lines.length - first, 'what to do next').toBeGreaterThanOrEqual(2);
  expect.soft(end.stderr).not.toMatch(/^\s+at .+:\d+|Error:|undefined|\[object/m);
  return lines.slice(first).join('\n');
}

/** Returns the only document on stdout of a failed command with --json; its words match those on stderr. */
export function toldInJson(end: CliEnd, code: number): { kind: string; message: string; next: string } {
  const sentences = told(end, code);
  const { error } = JSON.parse(end.stdout) as { error: { kind: string; message: string; next: string } };
  expect.soft(sentences).toBe(`onceover: ${error.message}\n${error.next}`);
  return error;
}

/** The running program. */
export type Started = {
  readonly child: ChildProcess;
  /** Waits until stderr has this text; fails if the program ends first. */
  said(words: string): Promise<void>;
  readonly ended: Promise<CliEnd & { readonly signal: NodeJS.Signals | null }>;
};

/** Starts the built program; it is ended with the test. */
export function startOnceover(
  cwd: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Started {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { ...cleanEnvironment(dirname(cwd)), ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  const waiting = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
    for (const look of waiting) look();
  });
  const ended = new Promise<CliEnd & { signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    child,
    ended,
    said: (words) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!stderr.includes(words)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        void ended.then(() => reject(new Error(`it ended without saying ${words}: ${stderr}`)));
        look();
      }),
  };
}
