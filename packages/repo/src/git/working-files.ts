import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { UnusableFile } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { type Contents, type FileDigest, type FileText, MISSING } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { isInsideAnySpelling, nameKey } from '@onceover/base/kernel/same-name';
import { errorCode, isSymlink, makeParents, statIfPresent, tryDisk } from '@onceover/base/platform/files';
import { decodeUtf8 } from '@onceover/base/platform/private-files';
import { asResult, git, readNulList } from './git.ts';

/**
 * Copies the files that git tracks or would track to the folder `into`. It leaves out those in `without`, in any
 * spelling of their names, and those that `isLeftOut` names.
 */
export async function copyWorkingTree(
  root: string,
  into: string,
  without: readonly string[],
  isLeftOut: (name: string) => boolean = () => false,
): Promise<Result<void>> {
  const listing = await asResult(git(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']));
  if (!listing.ok) return listing;
  makeParents(into);
  for (const name of new Set(readNulList(listing.value.stdout).names)) {
    if (isLeftOut(name) || without.some((folder) => isInsideAnySpelling(name, folder))) continue;
    const copyResult = copyOne(join(root, name), join(into, name));
    if (!copyResult.ok) return copyResult;
  }
  return ok(undefined);
}

/**
 * Returns the files in subfolders of `root` that have one of these names, in any spelling. It finds only files
 * that git tracks (also in submodules) or would track. The list is empty if `root` is not a repository.
 */
export async function filesNamed(root: string, names: readonly string[]): Promise<Result<readonly string[]>> {
  if (names.length === 0 || statIfPresent(join(root, '.git')) === null) return ok([]);
  const keys = new Set(names.map(nameKey));
  const paths: string[] = [];
  for (const kind of [
    ['--cached', '--recurse-submodules'],
    ['--others', '--exclude-standard'],
  ]) {
    const listing = await asResult(git(root, ['ls-files', '-z', ...kind]));
    if (!listing.ok) return listing;
    paths.push(...readNulList(listing.value.stdout).names);
  }
  return ok([...new Set(paths)].filter((path) => isNamed(path, keys)));
}

function isNamed(path: string, keys: ReadonlySet<string>): boolean {
  const slash = path.lastIndexOf('/');
  return slash !== -1 && keys.has(nameKey(path.slice(slash + 1)));
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
    const cachedContent = cache.get(path);
    if (cachedContent !== undefined) return { hash: hash.update(cachedContent.bytes), sha256: cachedContent.sha256 };
    const file = openInside(realRoot, path);
    if (file.kind === 'unusable') return { hash: hash.update(MISSING), sha256: null };
    try {
      if (file.size > WHOLE_UP_TO) return addInChunks(hash, file.fd);
      const bytes = readFileSync(file.fd);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      cachedBytes += bytes.length;
      if (cachedBytes <= CACHE_UP_TO) cache.set(path, { bytes, sha256 });
      return { hash: hash.update(bytes), sha256 };
    } catch {
      return { hash: hash.update(MISSING), sha256: null };
    } finally {
      closeSync(file.fd);
    }
  }

  return {
    async digest(paths) {
      let hash = createHash('sha256');
      const files: FileDigest[] = [];
      for (const path of paths) {
        const addition = addTo(hash, path);
        hash = addition.hash;
        files.push({ path, sha256: addition.sha256, link: linkText(root, path) });
      }
      return { hash: hash.digest('hex'), files };
    },
    async text(path, limit) {
      return readText(realRoot, path, limit);
    },
    async exists(path) {
      const stats = statIfPresent(join(root, path));
      return stats === null || !isSpelledSo(root, path) ? 'missing' : stats.isDirectory() ? 'folder' : 'file';
    },
  };
}

/**
 * Whether the folders on disk list each part of a path in this spelling. Some disks find files in other spellings too,
 * but git has only one, so another spelling selects nothing.
 */
export function isSpelledSo(
  root: string,
  path: string,
  list: (folder: string) => readonly string[] = readdirSync,
): boolean {
  let folder = root;
  for (const name of path.split('/').filter((part) => part !== '')) {
    const listing = tryDisk('read', folder, () => list(folder));
    // A folder that may be entered but not listed says nothing about spelling.
    if (listing.ok && !listing.value.includes(name)) return false;
    folder = join(folder, name);
  }
  return true;
}

/**
 * Returns the text of a file inside `root`. If the file is longer than `limit` bytes, returns the beginning, without an
 * incomplete last character.
 */
export function readText(root: string, path: string, limit: number): FileText {
  const file = openInside(root, path);
  if (file.kind === 'unusable') return file;
  try {
    const buffer = Buffer.alloc(Math.min(file.size, limit));
    const bytes = buffer.subarray(0, readSync(file.fd, buffer, 0, buffer.length, 0));
    return textOf(bytes, file.size > limit);
  } catch {
    return { kind: 'unusable', why: 'unreadable' };
  } finally {
    closeSync(file.fd);
  }
}

/** Decodes the bytes of a file. If `cut` is true, they are only the beginning of the file. */
export function textOf(bytes: Buffer, cut: boolean): FileText {
  if (bytes.includes(0)) return { kind: 'unusable', why: 'binary' };
  const content = decodeUtf8(bytes, { isCut: cut });
  return content === null ? { kind: 'unusable', why: 'not-utf8' } : { kind: 'text', cut, ...content };
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
  const fileHash = createHash('sha256');
  const sharedHash = hash.copy();
  const chunk = Buffer.allocUnsafe(1024 * 1024);
  for (let byteCount = readSync(fd, chunk); byteCount > 0; byteCount = readSync(fd, chunk)) {
    fileHash.update(chunk.subarray(0, byteCount));
    sharedHash.update(chunk.subarray(0, byteCount));
  }
  return { hash: sharedHash, sha256: fileHash.digest('hex') };
}

function linkText(root: string, path: string): string | null {
  const full = join(root, path);
  return isSymlink(full) ? readlinkSync(full) : null;
}
