import type { ProofCase } from '../types.ts';

/** How many test cases were left out so far, by reason. */
export type DroppedCases = { caughtByChecks: number; checksFailAnyway: number; notPlayable: number; noVerdict: number };

/**
 * Yields test cases until `most` of them were used. An unusable case is replaced by another one from the same source,
 * if there is one.
 */
export function* candidatesInOrder(
  candidates: readonly ProofCase[],
  most: number,
  used: readonly ProofCase[],
  dropped: Readonly<DroppedCases>,
): Generator<ProofCase> {
  const chosen = candidates.slice(0, most);
  const spare = [...candidates.slice(most)];
  for (let next = chosen.shift(); next !== undefined && used.length < most; next = chosen.shift()) {
    const before = used.length;
    yield next;
    const { source } = next;
    const other = used.length === before ? spare.findIndex((one) => one.source === source) : -1;
    if (other !== -1 && mayReplace(dropped, most)) chosen.unshift(...spare.splice(other, 1));
  }
}

/**
 * Whether to try another test case instead of an unusable one. Good checks catch most bugs, so many tries are normal.
 * But if the checks fail without a bug or a case cannot be created, more tries would probably fail too.
 */
function mayReplace({ caughtByChecks, checksFailAnyway, notPlayable, noVerdict }: DroppedCases, most: number): boolean {
  return caughtByChecks <= most * 8 && checksFailAnyway + notPlayable + noVerdict <= most;
}
