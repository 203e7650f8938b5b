import type { RepoPath } from '../domain/brand.ts';
import type { Entry } from '../domain/gate.ts';
import type { Comparison } from '../domain/ports.ts';

/** Whether a change is still measured from the same place, and on the same branch. Commits on it make no difference. */
export function isSameMeasure(before: Comparison, now: Comparison): boolean {
  return (
    before.baseTree === now.baseTree &&
    before.scope.key === now.scope.key &&
    before.where.branch === now.where.branch &&
    before.where.mergeBase === now.where.mergeBase
  );
}

/** New files that were part of the change and are no more: if they are still there, somebody has hidden them. */
export function droppedFiles(before: readonly Entry[], now: readonly Entry[]): readonly RepoPath[] {
  const isThere = new Set(now.map(({ path }) => path));
  return before.filter(({ path, baseBlob }) => baseBlob === null && !isThere.has(path)).map(({ path }) => path);
}
