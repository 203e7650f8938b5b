import { SUBMODULE, SYMLINK } from '../domain/change.ts';
import type { Entry } from '../domain/gate.ts';

const FILE = '100644';

/** Whether there is something at the path that whoever reviews with instructions can read. */
export function isReadable({ headBlob, mode }: Entry): boolean {
  return headBlob !== null && mode !== SUBMODULE;
}

/**
 * Whether a mark can vouch for all that differs at the path. It speaks of contents: of a file that is gone, of a mode that changed and of
 * where a repository inside stands it says nothing.
 */
export function isMarkable(entry: Entry): boolean {
  const hasUsualMode =
    entry.baseBlob === null ? entry.mode === FILE || entry.mode === SYMLINK : entry.baseMode === undefined;
  return isReadable(entry) && hasUsualMode;
}
