import type { RepoPath } from '../domain/brand.ts';
import type { EditRules } from '../domain/phase.ts';

/** What a fixer changed and must not: what it is judged by, and in a document phase everything but the documents. */
export function forbiddenEdits(changed: readonly RepoPath[], rules: EditRules): readonly RepoPath[] {
  const { documents } = rules;
  return changed.filter((path) => isKept(path, rules) || (documents !== null && !documents.includes(path)));
}

/** What of a change is committed: nothing that is not under review. */
export function committedPaths(changed: readonly RepoPath[], rules: EditRules): readonly RepoPath[] {
  const forbidden = new Set(forbiddenEdits(changed, rules));
  return changed.filter((path) => !forbidden.has(path));
}

function isKept(path: RepoPath, { kept }: EditRules): boolean {
  return kept.some((one) => path === one || path.startsWith(`${one}/`));
}
