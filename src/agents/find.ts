import { isAbsolute, resolve } from 'node:path';
import { findOnPath, isProgram } from '../io/find-program.ts';
import { run } from '../io/runner.ts';

/** Where a program is: as named, if the name is a path, else the first on PATH that can be run. */
export function findProgram(name: string, path: string, cwd: string): string | null {
  if (!name.includes('/')) return findOnPath(name, path);
  const given = isAbsolute(name) ? name : resolve(cwd, name);
  return isProgram(given) ? given : null;
}

const VERSION_TIMEOUT_MS = 15_000;

/** The version that a program tells; null where it tells none. */
export async function programVersion(
  program: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string | null> {
  const end = await run({
    program,
    args: ['--version'],
    cwd,
    env,
    input: '',
    timeoutMs: VERSION_TIMEOUT_MS,
    idleMs: null,
    signal: null,
  });
  if (end.kind !== 'ended' || end.code !== 0) return null;
  return /\d+\.\d+\.\d+[-+.\w]*/.exec(`${end.stdout.text}\n${end.stderr.text}`)?.[0] ?? null;
}
