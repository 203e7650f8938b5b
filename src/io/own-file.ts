import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, linkSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { done, failed, type Result } from '../domain/result.ts';
import { codeOf, removeFile } from './files.ts';

const LARGEST_BYTES = 64 * 1024 * 1024;

/** The text of a plain file of ours, null where there is none: never through a symlink, never held up by a pipe. */
export function readOwn(path: string): Result<string | null> {
  const unreadable = (code: string) => failed({ kind: 'disk', action: 'read', path, code });
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isFile()) return unreadable('not a file');
    return stats.size > LARGEST_BYTES ? unreadable('EFBIG') : done(readFileSync(fd, 'utf8'));
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? done(null) : unreadable(codeOf(error));
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Puts a new file there, whole from the first moment; where the name is taken, nothing is written. */
export function writeNew(folder: string, name: string, data: string): Result<'written' | 'taken'> {
  const path = join(folder, name);
  // The beginning by which `removeForgotten` knows it.
  const temporary = join(folder, `.onceover-${process.pid}-${randomBytes(6).toString('hex')}`);
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
