import { appendFileSync, mkdirSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import type { Failure } from '../domain/failure.ts';
import { folderOf } from '../domain/repo-path.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { codeOf, makeFolder, writeWhole } from '../io/files.ts';
import { findPlace } from '../io/place.ts';
import { openRepository } from '../io/repository.ts';
import { userPath } from '../io/user-path.ts';

/** A report and where it goes; its name counts from the working directory. */
export type ReportFile = { readonly name: string; readonly text: string };

export type WrittenReports = {
  readonly failures: readonly Failure[];
  /** Reports that git sees: they are part of the next change. */
  readonly seen: readonly RepoPath[];
};

/** Writes reports, each whole or not at all, with the folders that they need. */
export async function writeReports(cwd: string, files: readonly ReportFile[]): Promise<WrittenReports> {
  const found = await findPlace(cwd);
  const place = found.ok ? found.value : null;
  const failures: Failure[] = [];
  const seen: RepoPath[] = [];
  for (const file of files) {
    const path = place === null ? null : userPath(place, file.name, 'arguments');
    const written = place === null || path === null ? writeOutside(cwd, file) : writeInside(place, path, file.text);
    if (!written.ok) failures.push(written.failure);
    else if (place !== null && path !== null && !(await isIgnored(place, path))) seen.push(path);
  }
  return { failures, seen };
}

/** Adds to a file that others add to as well. */
export function appendReport(path: string, text: string): Result<void> {
  try {
    appendFileSync(path, text);
    return done(undefined);
  } catch (error) {
    return failed({ kind: 'disk', action: 'write', path, code: codeOf(error) });
  }
}

/** Whoever wrote the change may have made a folder of it a symlink to elsewhere. */
function writeInside(place: Place, path: RepoPath, text: string): Result<void> {
  const folder = makeFolder(place.root, folderOf(path) || '.');
  return folder.ok ? writeWhole(folder.value, basename(path), text) : folder;
}

function writeOutside(cwd: string, { name, text }: ReportFile): Result<void> {
  try {
    const path = resolve(cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    return writeWhole(dirname(path), basename(path), text);
  } catch (error) {
    return failed({ kind: 'disk', action: 'write', path: name, code: codeOf(error) });
  }
}

async function isIgnored(place: Place, path: RepoPath): Promise<boolean> {
  const ignores = await openRepository(place).ignores(path);
  return ignores.ok && ignores.value;
}
