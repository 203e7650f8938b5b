import { randomBytes } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Failure, InTheWay } from '../kernel/failure.ts';
import { err, ok, type Result } from '../kernel/result.ts';

/** Runs a file system call. If the call throws, returns a `disk` failure for `path`. */
export function tryDisk<T>(action: 'read' | 'write', path: string, call: () => T): Result<T> {
  try {
    return ok(call());
  } catch (error) {
    return err({ kind: 'disk', action, path, code: errorCode(error) });
  }
}

/** Returns the path without symlinks, or the full path if nothing is there. */
export function realPath(path: string): string {
  const real = tryDisk('read', path, () => realpathSync(path));
  return real.ok ? real.value : resolve(path);
}

/** Returns whether a folder below `top` exists. Fails if its path contains a symlink or a file. */
export function checkFolder(top: string, folder: string): Result<'there' | 'missing'> {
  let path = top;
  for (const part of folder.split('/')) {
    path = join(path, part);
    const stats = lstatAt(path);
    if (!stats.ok) return stats;
    if (stats.value === null) return ok('missing');
    if (!stats.value.isDirectory()) return err(inTheWay(path, stats.value));
  }
  return ok('there');
}

/** Makes a folder below `top`, with all its parents, and returns its path. Fails if the path contains a symlink. */
export function makeFolder(top: string, folder: string): Result<string> {
  let path = top;
  for (const part of folder.split('/')) {
    path = join(path, part);
    try {
      mkdirSync(path);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') return err({ kind: 'disk', action: 'write', path, code: errorCode(error) });
      const stats = lstatAt(path);
      if (!stats.ok) return stats;
      if (stats.value?.isDirectory() !== true) return err(inTheWay(path, stats.value));
    }
  }
  return ok(path);
}

/**
 * Makes a folder with all its parents, following symlinks. Throws if that is impossible. Node's own recursive `mkdir`
 * would never return for a path at which nothing can be created, for example in /proc.
 */
export function makeParents(folder: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let path = folder; statSync(path, { throwIfNoEntry: false }) === undefined; path = dirname(path)) {
    missing.unshift(path);
  }
  for (const path of missing) {
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      // Another process may have made the folder at the same time, which is fine.
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Replaces a file in one step, so that no process reads half of it. Fails if a symlink or a folder is at the path. */
export function writeAtomically(folder: string, name: string, data: string, permissions?: number): Result<void> {
  const path = join(folder, name);
  const stats = lstatAt(path);
  if (!stats.ok) return stats;
  if (stats.value !== null && !stats.value.isFile()) return err(inTheWay(path, stats.value));
  const temporary = temporaryPath(folder);
  // Give the new file the mode of the old one, so that no other user can suddenly read it.
  const mode = permissions ?? (stats.value === null ? 0o666 : stats.value.mode & 0o777);
  const writeResult = tryDisk('write', path, () => {
    writeFileSync(temporary, data, { flag: 'wx', mode });
    renameSync(temporary, path);
  });
  if (!writeResult.ok) rmSync(temporary, { force: true });
  return writeResult;
}

/** Returns an unused path for a temporary file. If the process is killed, `removeLeftovers` deletes the file later. */
export function temporaryPath(folder: string): string {
  return join(folder, `.onceover-${process.pid}-${randomBytes(6).toString('hex')}`);
}

/** Temporary files or folders that a killed process may leave behind, and the age at which they are deleted. */
export type Leftovers = { readonly kind: 'file' | 'folder'; readonly name: RegExp; readonly afterMs: number };

/** No process uses a temporary file or a copied index for longer than this (ten minutes). */
export const LEFTOVER_AFTER_MS = 10 * 60 * 1000;

const TEMPORARY_FILES: Leftovers = { kind: 'file', name: /^\.onceover-/, afterMs: LEFTOVER_AFTER_MS };

/** Deletes old temporary files or folders of killed processes, except those in `inUse`. Ignores errors. */
export function removeLeftovers(
  folder: string,
  now: number,
  { kind, name, afterMs }: Leftovers = TEMPORARY_FILES,
  inUse: ReadonlySet<string> = new Set(),
): void {
  const listing = listFolder(folder);
  for (const entry of listing.ok ? listing.value : []) {
    const path = join(folder, entry.name);
    if (entry.isFile !== (kind === 'file') || !name.test(entry.name) || inUse.has(path)) continue;
    const stats = statIfPresent(path);
    if (stats === null || now - stats.mtimeMs <= afterMs) continue;
    if (kind === 'file') removeFile(path);
    else if (stats.isDirectory() && stats.uid === process.getuid?.()) tryToRemoveFolder(path);
  }
}

/** Deletes a folder with its content. Does nothing if that is impossible. */
export function tryToRemoveFolder(path: string): void {
  tryDisk('write', path, () => rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 }));
}

/**
 * Deletes the oldest files until only `limit` are left, but never those in `keep`. Skips files that cannot be deleted.
 */
export function removeOldest(folder: string, limit: number, keep: ReadonlySet<string>): void {
  const listing = listFolder(folder);
  if (!listing.ok || listing.value.length <= limit) return;
  const byAge = listing.value
    .filter(({ name }) => !keep.has(name))
    .map(({ name }) => join(folder, name))
    .map((path) => ({ path, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => a.time - b.time);
  for (const { path } of byAge.slice(0, listing.value.length - limit)) removeFile(path);
}

/** Returns the names in a folder, each with whether it is a plain file. A missing folder counts as empty. */
export function listFolder(path: string): Result<readonly { readonly name: string; readonly isFile: boolean }[]> {
  const listing = tryDisk('read', path, () =>
    readdirSync(path, { withFileTypes: true }).map((entry) => ({ name: entry.name, isFile: entry.isFile() })),
  );
  return !listing.ok && listing.failure.kind === 'disk' && listing.failure.code === 'ENOENT' ? ok([]) : listing;
}

/** Deletes a file. A missing file is not a failure. */
export function removeFile(path: string): Result<void> {
  return tryDisk('write', path, () => rmSync(path, { force: true }));
}

/** Returns the metadata of a path without following a symlink; `null` if the path is missing or unreadable. */
export function statIfPresent(path: string): Stats | null {
  const stats = lstatAt(path);
  return stats.ok ? stats.value : null;
}

/** Whether the path is a symlink, even one to a missing file. */
export function isSymlink(path: string): boolean {
  return statIfPresent(path)?.isSymbolicLink() === true;
}

/**
 * Returns the operating system's code of an error, for example ENOSPC. For an error without a code, returns its text.
 */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error);
}

function lstatAt(path: string): Result<Stats | null> {
  return tryDisk('read', path, () => lstatSync(path, { throwIfNoEntry: false }) ?? null);
}

function inTheWay(path: string, stats: Stats | null): Failure {
  return { kind: 'path-in-the-way', path, found: stats === null ? 'other' : kindOf(stats) };
}

function kindOf(stats: Stats): InTheWay {
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isDirectory()) return 'folder';
  return stats.isFile() ? 'file' : 'other';
}

/** Returns the paths of all files below a folder, relative to the folder. It does not follow symlinks. */
export function filesBelow(top: string, folder: string): Result<readonly string[]> {
  const there = checkFolder(top, folder);
  if (!there.ok) return there;
  const paths: string[] = [];
  const open = [''];
  for (const inside of open) {
    const listing = listFolder(join(top, folder, inside));
    if (!listing.ok) return listing;
    for (const { name } of listing.value) {
      const path = inside === '' ? name : `${inside}/${name}`;
      if (statIfPresent(join(top, folder, path))?.isDirectory() === true) open.push(path);
      else paths.push(path);
    }
  }
  return ok(paths);
}

/** Deletes a folder with its content. Fails if its path contains a symlink. */
export function removeTree(top: string, folder: string): Result<void> {
  const there = checkFolder(top, folder);
  if (!there.ok) return there;
  const path = join(top, folder);
  return tryDisk('write', path, () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
}

/** Deletes a folder below `top` if it is empty, then its parent if that is empty, and so on up to `top`. */
export function removeEmpty(top: string, folder: string): void {
  for (let path = folder; path !== '' && path !== '.'; path = dirname(path)) {
    const removal = tryDisk('write', path, () => rmdirSync(join(top, path)));
    if (!removal.ok && statIfPresent(join(top, path)) !== null) return;
  }
}
