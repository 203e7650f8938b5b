import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { listFolder, lookAt } from './files.ts';

/** A folder of one dispatch, for texts that must not go into arguments; only its owner can look into it. */
export type Scratch = {
  readonly folder: string;
  /** Writes a file there and tells its path. */
  put(name: string, text: string): string;
  /** What cannot be removed is left for another time. */
  remove(): void;
};

const open = new Set<string>();

/** Makes the folder; it is removed by `remove`, and at the latest when this process ends, or a day after it was killed. */
export function makeScratch(base: string | null = null): Scratch {
  const folder = base === null ? makeUsual() : makeIn(base);
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
      removeFolder(folder);
      open.delete(folder);
      if (open.size === 0) process.removeListener('exit', removeAll);
    },
  };
}

// Not the temporary folder of the machine, where it can be helped: agents refuse settings that lie where everybody may
// write.
function makeUsual(): string {
  const base = usualBase();
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    return makeIn(base);
  } catch {
    return makeIn(tmpdir());
  }
}

function usualBase(): string {
  const given = process.env['XDG_CACHE_HOME'] ?? '';
  return join(isAbsolute(given) ? given : join(homedir(), '.cache'), 'onceover');
}

/** Removes the folder that scratch folders are usually in, where nobody uses it. */
export function removeEmptyScratch(): void {
  try {
    rmdirSync(usualBase());
  } catch {
    // Another repository's dispatch is in it, or it was never made.
  }
}

function makeIn(base: string): string {
  removeForgottenIn(base, Date.now());
  return mkdtempSync(join(base, PREFIX));
}

const PREFIX = 'onceover-';
// As long as the longest time that a dispatch may be given.
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000;

// A process that was killed in the middle leaves its folder behind; what only looks like one is not ours.
function removeForgottenIn(base: string, now: number): void {
  const listed = listFolder(base);
  for (const { name } of listed.ok ? listed.value : []) {
    const path = join(base, name);
    if (!/^onceover-[A-Za-z0-9]{6}$/.test(name) || open.has(path)) continue;
    const stats = lookAt(path);
    if (stats?.isDirectory() !== true || stats.uid !== process.getuid?.()) continue;
    if (now - stats.mtimeMs > FORGOTTEN_AFTER_MS) removeFolder(path);
  }
}

function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  } catch {
    // Somebody holds on to it, or took our right to remove it.
  }
}

function removeAll(): void {
  for (const folder of open) removeFolder(folder);
}
