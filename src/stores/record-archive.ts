import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { done, failed, type Result } from '../domain/result.ts';
import { codeOf, listFolder, lookAt, makeFolder, removeFile, removeForgotten } from '../io/files.ts';
import { isRecordFile, numberIn } from './record-names.ts';

/** The folder for records that no longer count, inside that of the records. */
export const PREVIOUS = 'previous';

/**
 * Moves all records to the folder of previous ones, from where earlier ones go. What is no record stays where it is, and
 * so do those that are kept; `isKept` is told paths from the folder.
 */
export function archiveAll(folder: string, isKept: (path: string) => boolean): Result<void> {
  const records = recordsIn(folder);
  if (!records.ok) return records;
  const names = records.value.filter((name) => !isKept(name));
  // Nothing to put away: then what was put away before stays.
  if (names.length === 0) return done(undefined);
  const earlier = recordsIn(join(folder, PREVIOUS));
  if (!earlier.ok) return earlier;
  for (const name of earlier.value.filter((one) => !isKept(`${PREVIOUS}/${one}`))) {
    const removed = removeFile(join(folder, PREVIOUS, name));
    if (!removed.ok) return removed;
  }
  removeForgotten(folder, Date.now());
  return archiveFiles(folder, names, isKept);
}

/** Moves records to the folder of previous ones, where they take the place of those with the same names. */
export function archiveFiles(
  folder: string,
  names: readonly string[],
  isKept: (path: string) => boolean,
): Result<void> {
  const moving = names.filter((name) => !isKept(`${PREVIOUS}/${name}`) && !isFolder(join(folder, name)));
  if (moving.length === 0) return done(undefined);
  const previous = makeFolder(folder, PREVIOUS);
  if (!previous.ok) return previous;
  // The oldest first: if it ends midway, an old pass does not become the latest word.
  for (const name of moving.sort((a, b) => numberIn(a) - numberIn(b))) {
    const moved = move(join(folder, name), join(previous.value, name));
    if (!moved.ok) return moved;
  }
  return done(undefined);
}

/** Names of what stands in a folder in place of records; folders do not. */
function recordsIn(folder: string): Result<readonly string[]> {
  const listed = listFolder(folder);
  if (!listed.ok) return listed;
  const names = listed.value.map(({ name }) => name);
  return done(names.filter((name) => isRecordFile(name) && !isFolder(join(folder, name))));
}

function isFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() === true;
}

function move(from: string, to: string): Result<void> {
  try {
    renameSync(from, to);
    return done(undefined);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return done(undefined);
    return failed({ kind: 'disk', action: 'write', path: to, code: codeOf(error) });
  }
}
