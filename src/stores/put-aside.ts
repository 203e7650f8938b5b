import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { done, failed, type Result } from '../domain/result.ts';
import { codeOf, lookAt } from '../io/files.ts';

/** Gives a file that cannot be read another name, which nothing has, and tells it: what somebody wrote is not lost. */
export function putAside(folder: string, name: string, at: Date): Result<string> {
  const aside = freeName(folder, `${name}.unreadable-${at.toISOString().replace(/[-:.]/g, '')}`);
  try {
    renameSync(join(folder, name), join(folder, aside));
    return done(aside);
  } catch (error) {
    return failed({ kind: 'disk', action: 'write', path: join(folder, aside), code: codeOf(error) });
  }
}

function freeName(folder: string, name: string): string {
  let [free, number] = [name, 1];
  while (lookAt(join(folder, free)) !== null) free = `${name}-${++number}`;
  return free;
}
