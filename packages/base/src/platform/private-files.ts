import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../kernel/ids.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import {
  checkFolder,
  errorCode,
  listFolder,
  makeFolder,
  removeFile,
  temporaryPath,
  tryDisk,
  writeAtomically,
} from './files.ts';

/** The first bytes of a file, or the operating system's error code. `cut` is true if the file is longer. */
type PlainFile =
  | { readonly ok: true; readonly bytes: Buffer; readonly cut: boolean }
  | { readonly ok: false; readonly code: string };

/** Reads the first `limit` bytes of a plain file. It does not follow symlinks and does not wait for a pipe. */
export function readPlainFile(path: string, limit: number): PlainFile {
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isFile()) return { ok: false, code: 'not a file' };
    const bytes = Buffer.allocUnsafe(Math.min(stats.size, limit));
    return { ok: true, bytes: bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)), cut: stats.size > limit };
  } catch (error) {
    return { ok: false, code: errorCode(error) };
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** A decoded text, and the number of bytes from which it was decoded. */
type Decoded = { readonly text: string; readonly bytes: number };

type DecodeOptions = {
  /** Whether the bytes are only the beginning of a text. Their last character may then be incomplete. */
  readonly isCut?: boolean;
  /** Whether a byte order mark stays in the text. It stays in reviewed content, but not in settings and prompts. */
  readonly keepsMark?: boolean;
};

const WITH_MARK = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const WITHOUT_MARK = new TextDecoder('utf-8', { fatal: true });

/** Returns the bytes decoded as UTF-8; `null` if they are not UTF-8. */
export function decodeUtf8(bytes: Buffer, { isCut = false, keepsMark = false }: DecodeOptions = {}): Decoded | null {
  const decoder = keepsMark ? WITH_MARK : WITHOUT_MARK;
  // The bytes may end inside the last character, of which up to three bytes can be left.
  for (let incomplete = 0; incomplete <= (isCut ? 3 : 0); incomplete++) {
    try {
      const length = Math.max(0, bytes.length - incomplete);
      return { text: decoder.decode(bytes.subarray(0, length)), bytes: length };
    } catch {
      // Ignore the error and try again with one byte less.
    }
  }
  return null;
}

/** Returns the JSON value in a plain file; `undefined` if it is missing, not JSON, or longer than `limit` bytes. */
export function readJsonFile(path: string, limit: number): unknown {
  const file = readPlainFile(path, limit);
  return file.ok && !file.cut ? parseJson(decodeUtf8(file.bytes)?.text ?? '') : undefined;
}

/** Returns the parsed JSON; `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Reads a cache file. Its first line is the checksum of all other lines.
function readCacheFile(path: string, limit: number): unknown {
  const file = readPlainFile(path, limit);
  if (!file.ok || file.cut) return undefined;
  const text = file.bytes.toString('utf8');
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  return text.slice(0, Math.max(0, end)) === sha256(body) ? parseJson(body) : undefined;
}

const LARGEST_BYTES = 64 * 1024 * 1024;

/** A folder with files that onceover writes. */
export type Folder = ReturnType<typeof openFolder>;

/**
 * Opens a folder below `top` for onceover's own files. Every access fails if the path of the folder contains a symlink.
 * For JSON and cache files, this is checked only until the folder has been found, because a run reads many of them.
 */
export function openFolder(top: string, folder: string) {
  const path = join(top, folder);
  let isChecked = false;
  const canRead = () => {
    if (!isChecked) {
      const there = checkFolder(top, folder);
      isChecked = there.ok && there.value === 'there';
    }
    return isChecked;
  };
  const ifReal = <T>(use: () => Result<T>): Result<T> => {
    const there = checkFolder(top, folder);
    return there.ok ? use() : there;
  };
  /**
   * Replaces a file in one step. Makes the folder if it is missing. `permissions` is the mode of a file that contains
   * secrets.
   */
  function write(name: string, text: string, permissions?: number): Result<void> {
    // First check whether the folder exists, which is faster than trying to make it. Every run waits for this call.
    const folderState = checkFolder(top, folder);
    const folderResult = folderState.ok && folderState.value === 'missing' ? makeFolder(top, folder) : folderState;
    return folderResult.ok ? writeAtomically(path, name, text, permissions) : folderResult;
  }
  return {
    path,
    /** Returns the entries of the folder; an empty list if it is missing. */
    list: () => ifReal(() => listFolder(path)),
    /** Returns the text of a file; `null` if it is missing. */
    text: (name: string) => ifReal(() => readPrivateFile(join(path, name))),
    /** Returns the JSON value in a file; `undefined` if the file is missing, not JSON, or longer than `limit` bytes. */
    json: (name: string, limit = LARGEST_BYTES) => (canRead() ? readJsonFile(join(path, name), limit) : undefined),
    /**
     * Returns the value that `writeCache` stored; `undefined` if the file is missing, damaged or longer than `limit`
     * bytes.
     */
    cache: (name: string, limit: number) => (canRead() ? readCacheFile(join(path, name), limit) : undefined),
    /** Stores a JSON value with its checksum, so that `cache` notices if the file is damaged. */
    writeCache(name: string, value: unknown): Result<void> {
      const text = JSON.stringify(value);
      return write(name, `${sha256(text)}\n${text}`);
    },
    write,
    remove: (name: string) => ifReal(() => removeFile(join(path, name))),
  };
}

const LARGEST_LIST_BYTES = 4 * 1024 * 1024;

/** Opens a JSON file that contains a short list, in the git folder that all working trees of the clone share. */
export function openListFile(commonDir: string, name: string) {
  const folder = openFolder(commonDir, 'onceover');
  return {
    /** Returns the items of the list, whose types are not checked; an empty list if the file cannot be read. */
    read(): readonly unknown[] {
      const list = folder.json(name, LARGEST_LIST_BYTES);
      return Array.isArray(list) ? list : [];
    },
    /** Replaces the whole list. */
    write: (list: readonly unknown[]) => folder.write(name, `${JSON.stringify(list, null, 2)}\n`),
  };
}

/** Returns the text of a plain file; `null` if it is missing. Does not follow symlinks or wait for a pipe. */
export function readPrivateFile(path: string): Result<string | null> {
  const bytes = readPrivateBytes(path);
  return bytes.ok ? ok(bytes.value?.toString('utf8') ?? null) : bytes;
}

/** Returns the bytes of a plain file; `null` if it is missing. Fails if it is larger than 64 MiB. */
export function readPrivateBytes(path: string): Result<Buffer | null> {
  const file = readPlainFile(path, LARGEST_BYTES);
  if (file.ok && !file.cut) return ok(file.bytes);
  const code = file.ok ? 'EFBIG' : file.code;
  return code === 'ENOENT' ? ok(null) : err({ kind: 'disk', action: 'read', path, code });
}

/**
 * Creates a file that is complete as soon as its name exists. Returns 'taken', and writes nothing, if the name is in
 * use. `permissions` is the mode of a file that contains secrets.
 */
export function writeNew(folder: string, name: string, data: string, permissions = 0o666): Result<'written' | 'taken'> {
  const path = join(folder, name);
  return withComplete(path, data, permissions, (temporary) => {
    try {
      linkSync(temporary, path);
      return 'written';
    } catch (error) {
      if (!WITHOUT_LINKS.has(errorCode(error))) throw error;
      return renameUnclaimed(temporary, path);
    }
  });
}

// The error codes of file systems that have no hard links, such as exFAT.
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);

/** Creates a file like `writeNew`, on a disk without hard links. */
export function writeNewWithoutLinks(folder: string, name: string, data: string): Result<'written' | 'taken'> {
  const path = join(folder, name);
  return withComplete(path, data, 0o666, (temporary) => renameUnclaimed(temporary, path));
}

function withComplete(
  path: string,
  data: string,
  permissions: number,
  publish: (temporary: string) => 'written' | 'taken',
): Result<'written' | 'taken'> {
  const temporary = temporaryPath(dirname(path));
  const writeResult = tryDisk('write', path, () => {
    writeFileSync(temporary, data, { flag: 'wx', mode: permissions });
    return publish(temporary);
  });
  removeFile(temporary);
  return hasCode(writeResult, 'EEXIST') ? ok('taken') : writeResult;
}

// A claim lasts for one rename, so an older one was left by a killed process.
const CLAIM_MS = 10_000;

// `rename` would replace a file, so a folder next to it, which only one process can make, says who may rename.
function renameUnclaimed(temporary: string, path: string): 'written' | 'taken' {
  const claim = `${path}.claim`;
  const age = Date.now() - (lstatSync(claim, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > CLAIM_MS) rmdirSync(claim);
  mkdirSync(claim);
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return 'taken';
    renameSync(temporary, path);
    return 'written';
  } finally {
    tryDisk('write', claim, () => rmdirSync(claim));
  }
}

/**
 * Deletes a file and returns its text; `null` if it is missing. If several processes try this at once, only one gets
 * the text.
 */
export function claimFile(folder: string, name: string): Result<string | null> {
  const path = join(folder, name);
  const claimedPath = temporaryPath(folder);
  const renameResult = tryDisk('write', path, () => renameSync(path, claimedPath));
  if (!renameResult.ok) return hasCode(renameResult, 'ENOENT') ? ok(null) : renameResult;
  const text = readPrivateFile(claimedPath);
  removeFile(claimedPath);
  return text;
}

function hasCode(result: Result<unknown>, code: string): boolean {
  return !result.ok && result.failure.kind === 'disk' && result.failure.code === code;
}
