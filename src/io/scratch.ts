import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
export function makeScratch(): Scratch {
  if (open.size === 0) process.once('exit', removeAll);
  const folder = mkdtempSync(join(tmpdir(), 'onceover-'));
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

function removeAll(): void {
  for (const folder of open) rmSync(folder, { recursive: true, force: true });
}
