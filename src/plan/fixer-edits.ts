import type { RepoPath } from '../domain/brand.ts';
import { isInside } from '../domain/generated.ts';
import type { EditRules } from '../domain/phase.ts';
import { isAt } from './select-gates.ts';

/** What a fixer changed and must not: what it is judged by, and in a document phase everything but the documents. */
export function forbiddenEdits(changed: readonly RepoPath[], rules: EditRules): readonly RepoPath[] {
  const { documents } = rules;
  return changed.filter((path) => isKept(path, rules) || (documents !== null && !documents.includes(path)));
}

/** What of a change is committed: nothing that is not under review. */
export function committedPaths(changed: readonly RepoPath[], rules: EditRules): readonly RepoPath[] {
  const forbidden = new Set(forbiddenEdits(changed, rules));
  return changed.filter((path) => !forbidden.has(path) && isUnderReview(path, rules));
}

/** What of a change nobody is asked to look at, because only some files are under review. */
export function unseenEdits(changed: readonly RepoPath[], rules: Pick<EditRules, 'only'>): readonly RepoPath[] {
  return changed.filter((path) => !isUnderReview(path, rules));
}

/** Whether a file is among those that are asked for. */
export function isUnderReview(path: string, { only }: Pick<EditRules, 'only'>): boolean {
  return only === null || isAt(path, only);
}

function isKept(path: RepoPath, { kept }: EditRules): boolean {
  return kept.some((one) => isInside(path, one));
}
