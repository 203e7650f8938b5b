import { folderOf } from '@onceover/base/kernel/paths';
import { err, ok } from '@onceover/base/kernel/result';
import type { ProjectFiles } from '@onceover/onceover/src/setup/project-files.ts';

/** The user's files in memory; null for a file that cannot be read. */
export function memoryProjectFiles(files: Readonly<Record<string, string | null>>): ProjectFiles {
  const texts = new Map(Object.entries(files));
  return {
    async read(path) {
      const text = texts.get(path);
      return text === null ? err({ kind: 'disk', action: 'read', path, code: 'not-utf8' }) : ok(text ?? null);
    },
    async list(folder) {
      const inside = [...texts.keys()].filter((path) => folderOf(path) === folder);
      return ok(inside.map((path) => path.slice(folder === '' ? 0 : folder.length + 1)).sort());
    },
    async remove(path) {
      texts.delete(path);
      return ok(undefined);
    },
    async write(path, text) {
      texts.set(path, text);
      return ok(undefined);
    },
  };
}
