import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The first program of that name on PATH; folders that depend on where one is count for nothing: that may be a repository under review. */
export function findOnPath(name: string, path: string): string | null {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

let git: string | null = null;

/** Looked for once: the system would look through PATH each time, which takes as long as git's shorter answers. */
export function gitProgram(): string {
  git ??= findOnPath('git', process.env['PATH'] ?? '') ?? 'git';
  return git;
}

/** Whether there is a file that may be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
