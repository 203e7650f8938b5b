import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { run } from '../io/runner.ts';

/** Where a program is: as named, if the name is a path, else the first on PATH that can be run. */
export function findProgram(name: string, path: string, cwd: string): string | null {
  if (name.includes('/')) {
    const given = isAbsolute(name) ? name : resolve(cwd, name);
    return canRun(given) ? given : null;
  }
  for (const folder of path.split(delimiter)) {
    if (folder !== '' && canRun(join(folder, name))) return join(folder, name);
  }
  return null;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
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
