import { opendirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '../kernel/ids.ts';
import { GENERATED_FOLDER } from '../kernel/paths.ts';
import { ok, type Result } from '../kernel/result.ts';
import { makeFolder, statIfPresent, tryDisk, writeAtomically } from './files.ts';

/** Makes the folder `name` in `.deepwork/tmp`, which git ignores. Returns its absolute path. */
export function makeGeneratedFolder(root: string, name: string): Result<string> {
  const top = makeIgnoredFolder(root, GENERATED_FOLDER);
  return top.ok ? makeFolder(top.value, name) : top;
}

/**
 * Makes a folder that contains a `.gitignore`, so that git ignores the folder. If the `.gitignore` is missing, writes
 * it again.
 */
export function makeIgnoredFolder(root: string, folder: RepoPath): Result<string> {
  const top = makeFolder(root, folder);
  if (!top.ok) return top;
  // Fail if the folder cannot be listed. Opening it is enough to find that out, and faster than listing thousands of
  // files.
  const listable = tryDisk('read', top.value, () => opendirSync(top.value).closeSync());
  if (!listable.ok) return listable;
  if (statIfPresent(join(top.value, '.gitignore')) !== null) return top;
  const writeResult = writeAtomically(top.value, '.gitignore', '*\n');
  return writeResult.ok ? top : writeResult;
}

/** Returns the path of a generated file, relative to the root. */
export function generatedPath(folder: string, name: string): RepoPath {
  return `${GENERATED_FOLDER}/${folder}/${name}` as RepoPath;
}

/** Renames an unreadable file to an unused name, so that its content is not lost. Returns the new name. */
export function renameUnreadable(folder: string, name: string, at: Date): Result<string> {
  const newName = `${name}.unreadable-${at.toISOString().replace(/[-:.]/g, '')}`;
  let free = newName;
  for (let number = 2; statIfPresent(join(folder, free)) !== null; number++) free = `${newName}-${number}`;
  const renameResult = tryDisk('write', join(folder, free), () => renameSync(join(folder, name), join(folder, free)));
  return renameResult.ok ? ok(free) : renameResult;
}
