import { join } from 'node:path';
import type { Result } from '../domain/result.ts';
import { checkFolder, makeFolder, writeWhole } from '../io/files.ts';
import { readOwn } from '../io/own-file.ts';

const FOLDER = 'onceover';

/** A short list in the clone's own folder. */
type ListFile = {
  /** What is in it, unchecked; nothing where it cannot be read. */
  read(): readonly unknown[];
  write(list: readonly unknown[]): Result<void>;
};

/** The list of that name, which is always replaced as a whole. */
export function openListFile(commonDir: string, name: string): ListFile {
  return {
    read() {
      const there = checkFolder(commonDir, FOLDER);
      const text = there.ok ? readOwn(join(commonDir, FOLDER, name)) : there;
      return text.ok ? parseList(text.value ?? '[]') : [];
    },
    write(list) {
      const folder = makeFolder(commonDir, FOLDER);
      return folder.ok ? writeWhole(folder.value, name, `${JSON.stringify(list, null, 2)}\n`) : folder;
    },
  };
}

function parseList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
