import type { ProjectFiles } from '../../../src/domain/ports.ts';
import { folderOf } from '../../../src/domain/repo-path.ts';
import { done, failed } from '../../../src/domain/result.ts';

/** The user's files in memory; null: there is something that cannot be read. */
export function memoryProjectFiles(files: Readonly<Record<string, string | null>>): ProjectFiles {
  const texts = new Map(Object.entries(files));
  return {
    async read(path) {
      const text = texts.get(path);
      return text === null ? failed({ kind: 'disk', action: 'read', path, code: 'not-utf8' }) : done(text ?? null);
    },
    async list(folder) {
      const inside = [...texts.keys()].filter((path) => folderOf(path) === folder);
      return done(inside.map((path) => path.slice(folder === '' ? 0 : folder.length + 1)).sort());
    },
    async remove(path) {
      texts.delete(path);
      return done(undefined);
    },
    async write(path, text) {
      texts.set(path, text);
      return done(undefined);
    },
  };
}
