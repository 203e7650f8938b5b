import { mkdtempSync, realpathSync, rmdirSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isInside } from '../kernel/paths.ts';
import { err, type Result } from '../kernel/result.ts';
import { type Leftovers, makeParents, removeLeftovers, tryDisk, tryToRemoveFolder } from './files.ts';

/** A temporary folder for the files of one call to an agent. Other users cannot read it. */
export type Scratch = {
  readonly folder: string;
  /** Writes a file to the folder and returns its path. */
  put(name: string, text: string): string;
  /** Deletes the folder. If that fails, a later process deletes it. */
  remove(): void;
};

const open = new Set<string>();

/**
 * Makes a temporary folder that exists until `remove` is called or this process exits. After a crash, a later process
 * deletes it.
 */
export function makeScratch(base: string | null = null): Scratch {
  return openScratch(base === null ? makeInDefault() : makeIn(base));
}

/**
 * Makes a temporary folder outside `root`. Fails if both the cache folder and the system's temporary folder are inside
 * `root`.
 */
export function makeScratchOutside(root: string): Result<Scratch> {
  for (const base of [defaultBase(), tmpdir()]) {
    const folderResult = tryDisk('write', base, () => {
      makeParents(base, 0o700);
      return isInside(realpathSync(base), root) ? null : makeIn(base);
    });
    if (folderResult.ok && folderResult.value !== null) return { ok: true, value: openScratch(folderResult.value) };
  }
  return err({ kind: 'disk', action: 'write', path: tmpdir(), code: 'EPERM' });
}

/** Returns the path of a folder with a fixed name outside `root`, so that later work finds the same folder. */
export function namedScratchPath(root: string, name: string): Result<string> {
  for (const base of [defaultBase(), tmpdir()]) {
    const pathResult = tryDisk('write', base, () => {
      makeParents(base, 0o700);
      const folder = join(realpathSync(base), name);
      return isInside(folder, root) ? null : folder;
    });
    if (pathResult.ok && pathResult.value !== null) return { ok: true, value: pathResult.value };
  }
  return err({ kind: 'disk', action: 'write', path: tmpdir(), code: 'EPERM' });
}

/** Makes an empty folder at this path. It deletes what a killed process left there, so the caller must hold a lock. */
export function makeNamedScratch(folder: string): Result<Scratch> {
  return tryDisk('write', folder, () => {
    tryToRemoveFolder(folder);
    makeParents(folder, 0o700);
    return openScratch(folder);
  });
}

function openScratch(folder: string): Scratch {
  if (open.size === 0) process.once('exit', removeAll);
  open.add(folder);
  return {
    folder,
    put(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    },
    remove() {
      tryToRemoveFolder(folder);
      open.delete(folder);
      if (open.size === 0) process.removeListener('exit', removeAll);
    },
  };
}

// Prefer the user's cache folder, because agents refuse settings in a folder to which everyone can write.
function makeInDefault(): string {
  const base = defaultBase();
  try {
    makeParents(base, 0o700);
    return makeIn(base);
  } catch {
    return makeIn(tmpdir());
  }
}

function defaultBase(): string {
  const cacheHome = process.env['XDG_CACHE_HOME'] ?? '';
  return join(isAbsolute(cacheHome) ? cacheHome : join(homedir(), '.cache'), 'onceover');
}

/** Deletes the folder in which temporary folders are made by default, if it is empty. */
export function removeEmptyScratch(): void {
  const base = defaultBase();
  tryDisk('write', base, () => rmdirSync(base));
}

// A call to an agent takes at most a day, so an older folder is not in use.
const FORGOTTEN: Leftovers = {
  kind: 'folder',
  name: /^(?:onceover-[A-Za-z0-9]{6}|acp-[0-9a-f]{12})$/,
  afterMs: 24 * 60 * 60 * 1000,
};

function makeIn(base: string): string {
  removeLeftovers(base, Date.now(), FORGOTTEN, open);
  return mkdtempSync(join(base, 'onceover-'));
}

function removeAll(): void {
  for (const folder of open) tryToRemoveFolder(folder);
}
