import { appendFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Failure } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { folderOf } from '@onceover/base/kernel/paths';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { errorCode, makeFolder, makeParents, writeAtomically } from '@onceover/base/platform/files';
import { userPath } from '@onceover/base/platform/user-paths';
import { findRepository } from '@onceover/repo/git/locate';
import { openRepository } from '@onceover/repo/git/repository';

/** A report, and its file name relative to the working directory. */
type ReportFile = { readonly name: string; readonly text: string };

/**
 * Writes each report atomically, and creates missing folders. Returns the failures, and in `seen` the reports that git
 * does not ignore: git will treat them as part of the next change.
 */
export async function writeReports(cwd: string, files: readonly ReportFile[]) {
  const lookup = await findRepository(cwd);
  const repository = lookup.ok ? lookup.value : null;
  const failures: Failure[] = [];
  const visiblePaths: RepoPath[] = [];
  for (const file of files) {
    const path = repository === null ? null : userPath(repository, file.name, 'arguments');
    const writeResult =
      repository === null || path === null ? writeOutside(cwd, file) : writeInside(repository, path, file.text);
    if (!writeResult.ok) failures.push(writeResult.failure);
    else if (repository !== null && path !== null) {
      const ignores = await openRepository(repository).ignores(path);
      if (!ignores.ok || !ignores.value) visiblePaths.push(path);
    }
  }
  return { failures, seen: visiblePaths };
}

/** Appends text to a file to which other programs also append, such as GitHub's job summary. */
export function appendReport(path: string, text: string): Result<void> {
  try {
    appendFileSync(path, text);
    return ok(undefined);
  } catch (error) {
    return err({ kind: 'disk', action: 'write', path, code: errorCode(error) });
  }
}

/**
 * Writes a report inside the repository. Does not follow symlinks: the change under review may have replaced a folder
 * with a symlink to another place.
 */
function writeInside(repository: RepositoryPaths, path: RepoPath, text: string): Result<void> {
  const folder = makeFolder(repository.root, folderOf(path) || '.');
  return folder.ok ? writeAtomically(folder.value, basename(path), text) : folder;
}

function writeOutside(cwd: string, { name, text }: ReportFile): Result<void> {
  try {
    const path = resolve(cwd, name);
    makeParents(dirname(path));
    return writeAtomically(dirname(path), basename(path), text);
  } catch (error) {
    return err({ kind: 'disk', action: 'write', path: name, code: errorCode(error) });
  }
}
