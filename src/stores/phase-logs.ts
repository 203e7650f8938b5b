import type { RepoPath } from '../domain/brand.ts';
import type { PhaseLogs } from '../domain/ports.ts';
import { makeFolder, writeWhole } from '../io/files.ts';
import { makeIgnoredFolder } from './generated-folder.ts';

/** What was sent and said in loops: a folder of its own in the log folder, one more for each playing of a phase. */
export function openPhaseLogs(root: string, logDir: RepoPath): PhaseLogs {
  return {
    async write({ id, phase }, name, log) {
      const top = makeIgnoredFolder(root, logDir);
      if (!top.ok) return top;
      const folder = makeFolder(top.value, `phases/${phase}_${id}`);
      return folder.ok ? writeWhole(folder.value, `${name.replace(/[^A-Za-z0-9._-]/g, '_')}.log`, log) : folder;
    },
  };
}
