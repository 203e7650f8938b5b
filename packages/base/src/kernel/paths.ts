import type { RepoPath } from './ids.ts';

/** The folder in the working tree for files that onceover generates. */
export const GENERATED_FOLDER = '.deepwork/tmp' as RepoPath;

/** The default of the setting `log_dir`, the folder in which runs store their records. */
export const DEFAULT_LOG_DIR = '.deepwork/logs' as RepoPath;

/** The folder in `log_dir` for archived records. */
export const PREVIOUS = 'previous';

/**
 * Whether onceover generates the file at this path. Such files are never part of a change and never sent to a reviewer.
 */
export function isGenerated(path: string, logDir: string): boolean {
  return isInside(path, GENERATED_FOLDER) || isInside(path, logDir);
}

/** Whether a path is the folder itself or inside it. */
export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === '/');
}

/** Converts a path that is relative to `from` into one that is relative to the root; `null` if it leaves the root. */
export function repoPath(path: string, from = ''): RepoPath | null {
  if (path.startsWith('/') || path.includes('\0')) return null;
  const parts: string[] = from === '' ? [] : from.split('/').filter((part) => part !== '');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/') as RepoPath;
}

/** Returns the folder that contains a path; '' is the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/**
 * Matches the names of files that onceover itself writes to log_dir. Users may have committed some of them by mistake.
 */
const OWN = /^(?:previous\/.*|\.gitignore|(?:check|review|rule)_[^/]+\.\d+\.(?:log|json))$/;

/**
 * Returns the tracked files in log_dir that onceover did not write. They are a problem, because reviewers never see
 * changes in that folder.
 */
export function hiddenByLogDir(trackedPaths: Iterable<RepoPath>, logDir: RepoPath): readonly RepoPath[] {
  return [...trackedPaths].filter((path) => isInside(path, logDir) && !OWN.test(path.slice(logDir.length + 1)));
}

/**
 * Whether a file is one of the paths or inside one of them. A finding without a file (`null`) belongs only to '', the
 * root.
 */
export function isAtOrBelow(file: string | null, paths: readonly RepoPath[]): boolean {
  return paths.some((path) => path === '' || (file !== null && isInside(file, path)));
}

/** Returns the text with `_` for every character that is not safe in a file name. */
export function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/gu, '_');
}
