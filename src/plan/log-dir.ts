import type { RepoPath } from '../domain/brand.ts';
import { isInside } from '../domain/generated.ts';

/** What onceover itself writes to log_dir, and what may have been committed of it. */
const OWN = /^(?:previous\/.*|\.gitignore|(?:check|review|rule)_[^/]+\.\d+\.(?:log|json))$/;

/** Files that git tracks in log_dir and that are no records: nobody would look at changes to them. */
export function hiddenByLogDir(tracked: Iterable<RepoPath>, logDir: RepoPath): readonly RepoPath[] {
  return [...tracked].filter((path) => isInside(path, logDir) && !OWN.test(path.slice(logDir.length + 1)));
}
