import { join } from 'node:path';
import type { Result } from '../domain/result.ts';
import { checkFolder, makeFolder, writeWhole } from './files.ts';
import { readJsonFile } from './json-file.ts';

const FOLDER = 'onceover';
const LARGEST_BYTES = 4 * 1024 * 1024;

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
      const list = there.ok ? readJsonFile(join(commonDir, FOLDER, name), LARGEST_BYTES) : [];
      return Array.isArray(list) ? list : [];
    },
    write(list) {
      const folder = makeFolder(commonDir, FOLDER);
      return folder.ok ? writeWhole(folder.value, name, `${JSON.stringify(list, null, 2)}\n`) : folder;
    },
  };
}
