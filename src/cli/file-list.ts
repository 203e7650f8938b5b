import { fstatSync } from 'node:fs';
import type { GivenFiles } from '../app.ts';
import { readFileList } from '../domain/file-list.ts';
import { done, type Result } from '../domain/result.ts';
import { readStdin } from './standard-input.ts';

const PATIENCE_MS = 300;

/**
 * The files that a command is about: its arguments; with "-", the list on standard input; without arguments, a list that
 * is piped in. Null where none was given: then the command looks at the change.
 */
export async function givenFiles(names: readonly string[]): Promise<Result<GivenFiles | null>> {
  if (names.includes('-')) {
    const read = await readStdin(null);
    if (!read.ok) return read;
    const listed = readFileList(read.value ?? '');
    return done({ names: [...names.filter((name) => name !== '-'), ...listed], source: 'list' });
  }
  if (names.length > 0) return done({ names, source: 'arguments' });
  if (!stdinIsPiped()) return done(null);
  // Many programs start others with an open pipe that never says anything: then there is no list.
  const read = await readStdin(PATIENCE_MS);
  if (!read.ok) return read;
  const listed = readFileList(read.value ?? '');
  return done(listed.length === 0 ? null : { names: listed, source: 'pipe' });
}

function stdinIsPiped(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isSocket() || stats.isFile();
  } catch {
    return false;
  }
}
