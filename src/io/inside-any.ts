import { folderOf } from '../domain/repo-path.ts';

/** Tells of a path, or of the bytes of a name that is not UTF-8, whether it is one of the paths or below one. */
export type InsideAny = { path(path: string): boolean; bytes(name: string): boolean };

/** Files and folders to ask about; '' is the root, and everything is below it. */
export function insideAny(paths: readonly string[]): InsideAny {
  return { path: lookUp(paths), bytes: lookUp(paths.map((path) => Buffer.from(path, 'utf8').toString('latin1'))) };
}

function lookUp(paths: readonly string[]): (path: string) => boolean {
  const known = new Set(paths);
  return (path) => {
    for (let at = path; ; at = folderOf(at)) {
      if (known.has(at)) return true;
      if (at === '') return false;
    }
  };
}
