import { constants, copyFileSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '../domain/generated.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { codeOf, lookAt } from './files.ts';
import { git } from './git.ts';
import { readNulList } from './nul-list.ts';

/** Copies the files that git tracks or would track, as they are now, but for those in the folders left out. */
export async function copyWorkingTree(root: string, into: string, without: readonly string[]): Promise<Result<void>> {
  const listed = await git(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  if (!listed.ok) return listed;
  mkdirSync(into, { recursive: true });
  for (const name of new Set(readNulList(listed.value.stdout).names)) {
    if (without.some((folder) => isInside(name, folder))) continue;
    const copied = copyOne(join(root, name), join(into, name));
    if (!copied.ok) return copied;
  }
  return done(undefined);
}

function copyOne(from: string, to: string): Result<void> {
  const stats = lookAt(from);
  try {
    mkdirSync(dirname(to), { recursive: true });
    if (stats?.isSymbolicLink() === true) symlinkSync(readlinkSync(from), to);
    // A copy on write where the file system can make one.
    else if (stats?.isFile() === true) copyFileSync(from, to, constants.COPYFILE_FICLONE);
    return done(undefined);
  } catch (error) {
    return failed({ kind: 'disk', action: 'write', path: to, code: codeOf(error) });
  }
}
