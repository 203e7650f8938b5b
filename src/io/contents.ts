import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Contents, FileText } from '../domain/ports.ts';
import type { UnusableFile } from '../domain/problem.ts';
import { type FileDigest, MISSING } from '../domain/task.ts';
import { codeOf, isSymlink, lookAt } from './files.ts';
import { decodeUtf8 } from './utf8.ts';

const WHOLE_UP_TO = 4 * 1024 * 1024;
const KEEP_UP_TO = 64 * 1024 * 1024;

/** The working tree's files, each read once; only plain files inside `root` are ever opened for reading. */
export function openContents(root: string): Contents {
  const realRoot = realpathSync(root);
  const kept = new Map<string, { bytes: Buffer; sha256: string }>();
  let keptBytes = 0;

  async function addTo(hash: Hash, path: RepoPath): Promise<{ hash: Hash; sha256: string | null }> {
    const known = kept.get(path);
    if (known !== undefined) return { hash: hash.update(known.bytes), sha256: known.sha256 };
    const found = openInside(realRoot, path);
    if (found.kind === 'unusable') return { hash: hash.update(MISSING), sha256: null };
    try {
      if (found.size > WHOLE_UP_TO) return await addStream(hash, found.real);
      const bytes = readFileSync(found.fd);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      keptBytes += bytes.length;
      if (keptBytes <= KEEP_UP_TO) kept.set(path, { bytes, sha256 });
      return { hash: hash.update(bytes), sha256 };
    } catch {
      return { hash: hash.update(MISSING), sha256: null };
    } finally {
      closeSync(found.fd);
    }
  }

  return {
    async digest(paths) {
      let hash = createHash('sha256');
      const files: FileDigest[] = [];
      for (const path of paths) {
        const added = await addTo(hash, path);
        hash = added.hash;
        files.push({ path, sha256: added.sha256, link: linkText(root, path) });
      }
      return { hash: hash.digest('hex'), files };
    },
    async text(path, limit) {
      return readText(realRoot, path, limit);
    },
    async exists(path) {
      const stats = lookAt(join(root, path));
      return stats === null ? 'missing' : stats.isDirectory() ? 'folder' : 'file';
    },
  };
}

/** A file's text inside `root`, cut after `limit` bytes at a character's end. */
export function readText(root: string, path: string, limit: number): FileText {
  const found = openInside(root, path);
  if (found.kind === 'unusable') return found;
  try {
    const buffer = Buffer.alloc(Math.min(found.size, limit));
    const read = buffer.subarray(0, readSync(found.fd, buffer, 0, buffer.length, 0));
    return textOf(read, found.size > limit);
  } catch {
    return { kind: 'unusable', why: 'unreadable' };
  } finally {
    closeSync(found.fd);
  }
}

/** The text that these bytes are, which are all of a file or its beginning. */
export function textOf(bytes: Buffer, cut: boolean): FileText {
  if (bytes.includes(0)) return { kind: 'unusable', why: 'binary' };
  const decoded = decodeUtf8(bytes, { isCut: cut });
  return decoded === null ? { kind: 'unusable', why: 'not-utf8' } : { kind: 'text', cut, ...decoded };
}

type Opened =
  | { readonly kind: 'opened'; readonly fd: number; readonly size: number; readonly real: string }
  | { readonly kind: 'unusable'; readonly why: UnusableFile };

// Not blocking, so that a FIFO in a file's place cannot hold us.
function openInside(realRoot: string, path: string): Opened {
  try {
    const real = realpathSync.native(join(realRoot, path));
    const inside = relative(realRoot, real).split(sep);
    // What git keeps for itself is no part of the working tree: it may hold credentials.
    if (inside[0] === '..' || inside[0] === '' || inside.includes('.git')) return { kind: 'unusable', why: 'outside' };
    const fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (stats.isFile()) return { kind: 'opened', fd, size: stats.size, real };
    closeSync(fd);
    return { kind: 'unusable', why: 'not-a-file' };
  } catch (error) {
    return { kind: 'unusable', why: codeOf(error) === 'ENOENT' ? 'missing' : 'unreadable' };
  }
}

// Into a copy of the shared hash: a file that cannot be read to its end must leave nothing of itself there.
async function addStream(hash: Hash, path: string): Promise<{ hash: Hash; sha256: string }> {
  const own = createHash('sha256');
  const shared = hash.copy();
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return { hash: shared, sha256: own.digest('hex') };
      own.update(chunk.subarray(0, bytesRead));
      shared.update(chunk.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

function linkText(root: string, path: string): string | null {
  const full = join(root, path);
  return isSymlink(full) ? readlinkSync(full) : null;
}
