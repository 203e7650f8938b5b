import { join } from 'node:path';
import { sha256 } from '../domain/digest.ts';
import type { Openings } from '../domain/ports.ts';
import { done } from '../domain/result.ts';
import { checkFolder, listFolder, lookAt, makeFolder, removeFile, removeForgotten, writeWhole } from '../io/files.ts';
import { readOwn } from '../io/own-file.ts';

const FOLDER = 'onceover/openings';
const NAME = /^([0-9a-f]{64})\.md$/;

/** Texts that opened sessions, in the folder that all working trees of the clone share. */
export function openOpenings(commonDir: string): Openings {
  const path = join(commonDir, FOLDER);
  return {
    async read(digest) {
      if (!NAME.test(nameOf(digest))) return null;
      const text = readOwn(join(path, nameOf(digest)));
      return text.ok && text.value !== null && sha256(text.value) === digest ? text.value : null;
    },
    async keep(text) {
      const folder = makeFolder(commonDir, FOLDER);
      if (!folder.ok) return folder;
      const digest = sha256(text);
      // Also where it is there already: it has to be young, or another working tree may remove it.
      const written = writeWhole(folder.value, nameOf(digest), text);
      return written.ok ? done(digest) : written;
    },
    async prune(keep) {
      const there = checkFolder(commonDir, FOLDER);
      if (!there.ok) return there;
      const listed = listFolder(path);
      if (!listed.ok) return listed;
      const now = Date.now();
      removeForgotten(path, now);
      for (const { name } of listed.value) {
        const digest = NAME.exec(name)?.[1];
        // Another working tree may need it: only what no session can still be about goes.
        if (digest === undefined || keep.has(digest) || !isOld(join(path, name), now)) continue;
        const removed = removeFile(join(path, name));
        if (!removed.ok) return removed;
      }
      return done(undefined);
    },
  };
}

const SESSIONS_LAST_MS = 14 * 24 * 3600 * 1000;

function isOld(path: string, now: number): boolean {
  const stats = lookAt(path);
  return stats !== null && now - stats.mtimeMs > SESSIONS_LAST_MS;
}

function nameOf(digest: string): string {
  return `${digest}.md`;
}
