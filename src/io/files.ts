import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure, InTheWay } from '../domain/failure.ts';
import { done, failed, type Result } from '../domain/result.ts';

/** What a folder of ours is before it is used: missing is fine, a symlink anywhere below `top` is not. */
export function checkFolder(top: string, folder: string): Result<'there' | 'missing'> {
  let path = top;
  for (const part of folder.split('/')) {
    path = join(path, part);
    const stats = look(path);
    if (!stats.ok) return stats;
    if (stats.value === null) return done('missing');
    if (!stats.value.isDirectory()) return failed(inTheWay(path, stats.value));
  }
  return done('there');
}

/** Makes the folder below `top`, part by part, never through a symlink. */
export function makeFolder(top: string, folder: string): Result<string> {
  let path = top;
  for (const part of folder.split('/')) {
    path = join(path, part);
    try {
      mkdirSync(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') return failed({ kind: 'disk', action: 'write', path, code: codeOf(error) });
      const stats = look(path);
      if (!stats.ok) return stats;
      if (stats.value?.isDirectory() !== true) return failed(inTheWay(path, stats.value));
    }
  }
  return done(path);
}

/** Writes a whole file or nothing: a reader never sees half of it, and a symlink in its place is refused. */
export function writeWhole(folder: string, name: string, data: string): Result<void> {
  const path = join(folder, name);
  const stats = look(path);
  if (!stats.ok) return stats;
  if (stats.value !== null && !stats.value.isFile()) return failed(inTheWay(path, stats.value));
  const temporary = join(folder, `${TEMPORARY}${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    // Whoever may not read the file now may not read it afterwards.
    writeFileSync(temporary, data, { flag: 'wx', mode: stats.value === null ? 0o666 : stats.value.mode & 0o777 });
    renameSync(temporary, path);
    return done(undefined);
  } catch (error) {
    rmSync(temporary, { force: true });
    return failed({ kind: 'disk', action: 'write', path, code: codeOf(error) });
  }
}

const TEMPORARY = '.onceover-';
const FORGOTTEN_AFTER_MS = 10 * 60 * 1000;

/** Removes temporary files that a killed process left in the folder; one that cannot be removed is left. */
export function removeForgotten(folder: string, now: number): void {
  const listed = listFolder(folder);
  for (const { name, isFile } of listed.ok ? listed.value : []) {
    if (!isFile || !name.startsWith(TEMPORARY)) continue;
    if (isForgotten(join(folder, name), now)) removeFile(join(folder, name));
  }
}

/** Whether something that lives for moments is so old that whoever made it must be gone. */
export function isForgotten(path: string, now: number): boolean {
  const stats = lookAt(path);
  return stats !== null && now - stats.mtimeMs > FORGOTTEN_AFTER_MS;
}

/** Keeps at most `most` files in a folder, and those named in any case: the oldest go first; one that cannot be removed is left. */
export function removeOldest(folder: string, most: number, keep: ReadonlySet<string>): void {
  const listed = listFolder(folder);
  if (!listed.ok || listed.value.length <= most) return;
  const byAge = listed.value
    .filter(({ name }) => !keep.has(name))
    .map(({ name }) => join(folder, name))
    .map((path) => ({ path, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => a.time - b.time);
  for (const { path } of byAge.slice(0, listed.value.length - most)) removeFile(path);
}

/** Names and types in a folder; none where it is missing. */
export function listFolder(path: string): Result<readonly { readonly name: string; readonly isFile: boolean }[]> {
  try {
    return done(readdirSync(path, { withFileTypes: true }).map((one) => ({ name: one.name, isFile: one.isFile() })));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return done([]);
    return failed({ kind: 'disk', action: 'read', path, code: codeOf(error) });
  }
}

/** Removes a file; that it is gone already is fine. */
export function removeFile(path: string): Result<void> {
  try {
    rmSync(path, { force: true });
    return done(undefined);
  } catch (error) {
    return failed({ kind: 'disk', action: 'write', path, code: codeOf(error) });
  }
}

/** What is at the path itself, symlinks not followed; null where nothing is, or nothing can be by that name. */
export function lookAt(path: string): Stats | null {
  const stats = look(path);
  return stats.ok ? stats.value : null;
}

/** Whether the path itself is a symlink, wherever it leads. */
export function isSymlink(path: string): boolean {
  return lookAt(path)?.isSymbolicLink() === true;
}

/** The system's code of an error, e.g. ENOSPC. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error);
}

function look(path: string): Result<Stats | null> {
  try {
    return done(lstatSync(path, { throwIfNoEntry: false }) ?? null);
  } catch (error) {
    return failed({ kind: 'disk', action: 'read', path, code: codeOf(error) });
  }
}

function inTheWay(path: string, stats: Stats | null): Failure {
  return { kind: 'path-in-the-way', path, found: stats === null ? 'other' : kindOf(stats) };
}

function kindOf(stats: Stats): InTheWay {
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isDirectory()) return 'folder';
  return stats.isFile() ? 'file' : 'other';
}
