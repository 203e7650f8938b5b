import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { codeOf } from './files.ts';

/** The beginning of a file, or the system's word for why there is none. */
type PlainFile =
  | { readonly ok: true; readonly bytes: Buffer; readonly cut: boolean }
  | { readonly ok: false; readonly code: string };

/** The first `limit` bytes of a plain file: never through a symlink, never held up by a pipe. */
export function readPlainFile(path: string, limit: number): PlainFile {
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isFile()) return { ok: false, code: 'not a file' };
    const bytes = Buffer.allocUnsafe(Math.min(stats.size, limit));
    return { ok: true, bytes: bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)), cut: stats.size > limit };
  } catch (error) {
    return { ok: false, code: codeOf(error) };
  } finally {
    if (fd !== null) closeSync(fd);
  }
}
