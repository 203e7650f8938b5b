import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { done, failed, type Result } from '../domain/result.ts';
import { codeOf, removeFile } from './files.ts';
import { readPlainFile } from './plain-file.ts';

const LARGEST_BYTES = 64 * 1024 * 1024;

/** The text of a plain file of ours, null where there is none: never through a symlink, never held up by a pipe. */
export function readOwn(path: string): Result<string | null> {
  const bytes = readOwnBytes(path);
  return bytes.ok ? done(bytes.value?.toString('utf8') ?? null) : bytes;
}

/** The same, as it is. */
export function readOwnBytes(path: string): Result<Buffer | null> {
  const read = readPlainFile(path, LARGEST_BYTES);
  if (read.ok && !read.cut) return done(read.bytes);
  const code = read.ok ? 'EFBIG' : read.code;
  return code === 'ENOENT' ? done(null) : failed({ kind: 'disk', action: 'read', path, code });
}

/** Puts a new file there, whole from the first moment; where the name is taken, nothing is written. */
export function writeNew(folder: string, name: string, data: string): Result<'written' | 'taken'> {
  const path = join(folder, name);
  const temporary = temporaryIn(folder);
  try {
    writeFileSync(temporary, data, { flag: 'wx' });
    linkSync(temporary, path);
    return done('written');
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return done('taken');
    return failed({ kind: 'disk', action: 'write', path, code: codeOf(error) });
  } finally {
    removeFile(temporary);
  }
}

/** Takes a file away and gives its text; null where there is none. Of several who try, one gets it. */
export function takeFile(folder: string, name: string): Result<string | null> {
  const path = join(folder, name);
  const own = temporaryIn(folder);
  try {
    renameSync(path, own);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return done(null);
    return failed({ kind: 'disk', action: 'write', path, code: codeOf(error) });
  }
  const text = readOwn(own);
  removeFile(own);
  return text;
}

// The beginning by which `removeForgotten` knows it.
function temporaryIn(folder: string): string {
  return join(folder, `.onceover-${process.pid}-${randomBytes(6).toString('hex')}`);
}
