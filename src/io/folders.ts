import { rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { done, failed, type Result } from '../domain/result.ts';
import { checkFolder, codeOf, listFolder, lookAt } from './files.ts';

/** All files below a folder, by their paths from it; nothing behind a symlink. */
export function filesBelow(top: string, folder: string): Result<readonly string[]> {
  const there = checkFolder(top, folder);
  if (!there.ok) return there;
  const found: string[] = [];
  const open = [''];
  for (const inside of open) {
    const listed = listFolder(join(top, folder, inside));
    if (!listed.ok) return listed;
    for (const { name } of listed.value) {
      const path = inside === '' ? name : `${inside}/${name}`;
      if (lookAt(join(top, folder, path))?.isDirectory() === true) open.push(path);
      else found.push(path);
    }
  }
  return done(found);
}

/** Removes a folder with everything in it; one that a symlink leads to is refused. */
export function removeTree(top: string, folder: string): Result<void> {
  const there = checkFolder(top, folder);
  if (!there.ok) return there;
  const path = join(top, folder);
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    return done(undefined);
  } catch (error) {
    return failed({ kind: 'disk', action: 'write', path, code: codeOf(error) });
  }
}

/** Removes a folder below `top` that is empty, then the one above it, and so on. */
export function removeEmpty(top: string, folder: string): void {
  for (let path = folder; path !== '' && path !== '.'; path = dirname(path)) {
    try {
      rmdirSync(join(top, path));
    } catch {
      // Something is in it, or it is not there.
      if (lookAt(join(top, path)) !== null) return;
    }
  }
}
