import type { RepoPath } from './brand.ts';

/** Where onceover keeps what it generates in the working tree. */
export const GENERATED_FOLDER = '.deepwork/tmp' as RepoPath;

/** Where records are, unless the settings say otherwise. */
export const USUAL_LOG_DIR = '.deepwork/logs' as RepoPath;

/** Generated files are never a change and never sent to a reviewer. */
export function isGenerated(path: string, logDir: string): boolean {
  return isInside(path, GENERATED_FOLDER) || isInside(path, logDir);
}

/** Whether a path is the folder or below it. */
export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === '/');
}
