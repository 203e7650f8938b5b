import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The beginning of a plain file; null where there is none. It follows no symlink and waits for nobody. */
export function readPlainFile(path: string, limit: number): { readonly bytes: Buffer; readonly cut: boolean } | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return null;
    const bytes = Buffer.allocUnsafe(Math.min(stats.size, limit));
    return { bytes: bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)), cut: stats.size > limit };
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

/** The document in a plain file; undefined where there is none, or not a whole one of at most `limit` bytes. */
export function readJsonFile(path: string, limit: number): unknown {
  const read = readPlainFile(path, limit);
  if (read === null || read.cut) return undefined;
  try {
    return JSON.parse(UTF8.decode(read.bytes));
  } catch {
    return undefined;
  }
}
