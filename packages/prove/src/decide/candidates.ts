import type { ProofCase } from '../types.ts';

/** How many test cases were left out so far, by reason. */
export type DroppedCases = { caughtByChecks: number; checksFailAnyway: number; notPlayable: number; noVerdict: number };

/**
 * Yields test cases until `maxCases` of them were used. An unusable case is replaced by another one from the same
 * source, if there is one.
 */
export function* candidatesInOrder(
  candidates: readonly ProofCase[],
  maxCases: number,
  usedCases: readonly ProofCase[],
  droppedCases: Readonly<DroppedCases>,
): Generator<ProofCase> {
  const queue = candidates.slice(0, maxCases);
  const spare = [...candidates.slice(maxCases)];
  for (let next = queue.shift(); next !== undefined && usedCases.length < maxCases; next = queue.shift()) {
    const before = usedCases.length;
    yield next;
    const { source } = next;
    const spareIndex = usedCases.length === before ? spare.findIndex((candidate) => candidate.source === source) : -1;
    if (spareIndex !== -1 && mayReplace(droppedCases, maxCases)) queue.unshift(...spare.splice(spareIndex, 1));
  }
}

/**
 * Whether to try another test case instead of an unusable one. Good checks catch most bugs, so many tries are normal.
 * But if the checks fail without a bug or a case cannot be created, more tries would probably fail too.
 */
function mayReplace(
  { caughtByChecks, checksFailAnyway, notPlayable, noVerdict }: DroppedCases,
  maxCases: number,
): boolean {
  return caughtByChecks <= maxCases * 8 && checksFailAnyway + notPlayable + noVerdict <= maxCases;
}
