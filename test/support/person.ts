import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { CLI } from './cli.ts';
import type { GateRepo } from './gates.ts';
import { cleanEnvironment } from './repo.ts';

/** Runs onceover with a terminal as its standard input, as a person does. Needs the program `script` of Linux. */
export function inTerminal({ root }: GateRepo, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return new Promise<{ readonly code: number | null; readonly text: string }>((resolve, reject) => {
    const words = [process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    const child = spawn('script', ['-qec', words.join(' '), '/dev/null'], {
      cwd: root,
      env: { ...cleanEnvironment(dirname(root)), SHELL: '/bin/sh', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, text }));
  });
}
