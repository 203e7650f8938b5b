import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { UnusableFile } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { isInside } from '@onceover/base/kernel/paths';
import { type Contents, type FileDigest, type FileText, MISSING } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { errorCode, isSymlink, makeParents, statIfPresent, tryDisk } from '@onceover/base/platform/files';
import { decodeUtf8 } from '@onceover/base/platform/private-files';
import { asResult, git, readNulList } from './git.ts';

/**
 * Copies the files that git tracks or would track to the folder `into`. It leaves out those in `without`, and those
 * that a sparse checkout leaves out.
 */
export async function copyWorkingTree(
  root: string,
  into: string,
  without: readonly string[],
  isLeftOut: (name: string) => boolean = () => false,
): Promise<Result<void>> {
  const listed = await asResult(git(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']));
  if (!listed.ok) return listed;
  makeParents(into);
  for (const name of new Set(readNulList(listed.value.stdout).names)) {
    if (isLeftOut(name) || without.some((folder) => isInside(name, folder))) continue;
    const copied = copyOne(join(root, name), join(into, name));
    if (!copied.ok) return copied;
  }
  return ok(undefined);
}

/**
 * Returns the files in subfolders of `root` that have one of these names, in upper or lower case. It finds only files
 * that git tracks (also in submodules) or would track. The list is empty if `root` is not a repository.
 */
export async function filesNamed(root: string, names: readonly string[]): Promise<Result<readonly string[]>> {
  if (names.length === 0 || statIfPresent(join(root, '.git')) === null) return ok([]);
  const wanted = names.map((name) => name.toLowerCase());
  const found: string[] = [];
  for (const kind of [
    ['--cached', '--recurse-submodules'],
    ['--others', '--exclude-standard'],
  ]) {
    const listed = await asResult(git(root, ['ls-files', '-z', ...kind]));
    if (!listed.ok) return listed;
    found.push(...readNulList(listed.value.stdout).names);
  }
  return ok([...new Set(found)].filter((path) => isNamed(path.toLowerCase(), wanted)));
}

function isNamed(path: string, names: readonly string[]): boolean {
  return names.some((name) => path.endsWith(`/${name}`));
}

function copyOne(from: string, to: string): Result<void> {
  const stats = statIfPresent(from);
  return tryDisk('write', to, () => {
    makeParents(dirname(to));
    if (stats?.isSymbolicLink() === true) symlinkSync(readlinkSync(from), to);
    else if (stats?.isFile() === true) copyFileSync(from, to, constants.COPYFILE_FICLONE);
  });
}

const WHOLE_UP_TO = 4 * 1024 * 1024;

const CACHE_UP_TO = 64 * 1024 * 1024;

/** Returns an object that reads plain files inside `root`. It caches their bytes for later digests. */
export function openContents(root: string): Contents {
  const realRoot = realpathSync(root);
  const cache = new Map<string, { bytes: Buffer; sha256: string }>();
  let cachedBytes = 0;

  function addTo(hash: Hash, path: RepoPath): { hash: Hash; sha256: string | null } {
    const known = cache.get(path);
    if (known !== undefined) return { hash: hash.update(known.bytes), sha256: known.sha256 };
    const found = openInside(realRoot, path);
    if (found.kind === 'unusable') return { hash: hash.update(MISSING), sha256: null };
    try {
      if (found.size > WHOLE_UP_TO) return addInChunks(hash, found.fd);
      const bytes = readFileSync(found.fd);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      cachedBytes += bytes.length;
      if (cachedBytes <= CACHE_UP_TO) cache.set(path, { bytes, sha256 });
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
        const added = addTo(hash, path);
        hash = added.hash;
        files.push({ path, sha256: added.sha256, link: linkText(root, path) });
      }
      return { hash: hash.digest('hex'), files };
    },
    async text(path, limit) {
      return readText(realRoot, path, limit);
    },
    async exists(path) {
      const stats = statIfPresent(join(root, path));
      return stats === null ? 'missing' : stats.isDirectory() ? 'folder' : 'file';
    },
  };
}

/**
 * Returns the text of a file inside `root`. If the file is longer than `limit` bytes, returns the beginning, without an
 * incomplete last character.
 */
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

/** Decodes the bytes of a file. If `cut` is true, they are only the beginning of the file. */
export function textOf(bytes: Buffer, cut: boolean): FileText {
  if (bytes.includes(0)) return { kind: 'unusable', why: 'binary' };
  const decoded = decodeUtf8(bytes, { isCut: cut });
  return decoded === null ? { kind: 'unusable', why: 'not-utf8' } : { kind: 'text', cut, ...decoded };
}

type Opened =
  | { readonly kind: 'opened'; readonly fd: number; readonly size: number }
  | { readonly kind: 'unusable'; readonly why: UnusableFile };

// Without O_NONBLOCK, opening a named pipe would wait for a writer.
function openInside(realRoot: string, path: string): Opened {
  try {
    const real = realpathSync.native(join(realRoot, path));
    const inside = relative(realRoot, real).split(sep);
    // `.git` is not part of the working tree and may contain credentials.
    if (inside[0] === '..' || inside[0] === '' || inside.includes('.git')) return { kind: 'unusable', why: 'outside' };
    const fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (stats.isFile()) return { kind: 'opened', fd, size: stats.size };
    closeSync(fd);
    return { kind: 'unusable', why: 'not-a-file' };
  } catch (error) {
    return { kind: 'unusable', why: errorCode(error) === 'ENOENT' ? 'missing' : 'unreadable' };
  }
}

// Adds the bytes of a file to a copy of the hash, so that the original stays clean if reading fails halfway.
function addInChunks(hash: Hash, fd: number): { hash: Hash; sha256: string } {
  const own = createHash('sha256');
  const shared = hash.copy();
  const chunk = Buffer.allocUnsafe(1024 * 1024);
  for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
    own.update(chunk.subarray(0, read));
    shared.update(chunk.subarray(0, read));
  }
  return { hash: shared, sha256: own.digest('hex') };
}

function linkText(root: string, path: string): string | null {
  const full = join(root, path);
  return isSymlink(full) ? readlinkSync(full) : null;
}
