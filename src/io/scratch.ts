import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of one dispatch, for texts that must not go into arguments; only its owner can look into it. */
export type Scratch = {
  readonly folder: string;
  /** Writes a file there and tells its path. */
  put(name: string, text: string): string;
  remove(): void;
};

const open = new Set<string>();

/** Makes the folder; it is removed by `remove`, and at the latest when this process ends. */
export function makeScratch(base: string | null = null): Scratch {
  if (open.size === 0) process.once('exit', removeAll);
  const folder = mkdtempSync(join(base ?? usualBase(), 'onceover-'));
  open.add(folder);
  return {
    folder,
    put(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    },
    remove() {
      rmSync(folder, { recursive: true, force: true });
      open.delete(folder);
      if (open.size === 0) process.removeListener('exit', removeAll);
    },
  };
}

// Not the temporary folder of the machine: agents refuse settings that lie where everybody may write.
function usualBase(): string {
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'onceover');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch {
    return tmpdir();
  }
}

function removeAll(): void {
  for (const folder of open) rmSync(folder, { recursive: true, force: true });
}
