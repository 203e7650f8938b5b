import type { RepoPath } from './brand.ts';

/** Where onceover keeps what it generates in the working tree. */
export const GENERATED_FOLDER = '.deepwork/tmp' as RepoPath;

/** Generated files are never a change and never sent to a reviewer. */
export function isGenerated(path: string, logDir: string): boolean {
  return inside(path, GENERATED_FOLDER) || inside(path, logDir);
}

function inside(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === '/');
}
