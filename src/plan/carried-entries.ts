import type { CarriedCheck, CarriedEntry, CarriedReview } from '../domain/carry-over.ts';
import { repoPath } from '../domain/repo-path.ts';
import { firstFree } from './gate-name.ts';

type Row = {
  readonly path: string;
  readonly exclude: readonly string[];
  checks: CarriedCheck[];
  reviews: CarriedReview[];
};

/** Collects gates by entry point; no two of one name where one path covers the other. */
export function openTable() {
  const rows: Row[] = [];
  const used: { readonly kind: string; readonly path: string; readonly name: string }[] = [];

  function rowOf(path: string, exclude: readonly string[]): Row {
    const same = rows.find((row) => row.path === path && row.exclude.join('\0') === exclude.join('\0'));
    if (same !== undefined) return same;
    const row: Row = { path, exclude, checks: [], reviews: [] };
    rows.push(row);
    return row;
  }

  function named<T extends { readonly name: string }>(kind: string, path: string, gate: T): T {
    const isFree = (name: string) =>
      !used.some((one) => one.kind === kind && one.name === name && canMeet(one.path, path));
    const name = firstFree(gate.name, isFree);
    used.push({ kind, path, name });
    return { ...gate, name };
  }

  return {
    addCheck(path: string, exclude: readonly string[], check: CarriedCheck): void {
      const row = rowOf(path, exclude);
      const isThere = row.checks.some(({ run }) => run === check.run);
      if (!isThere) row.checks.push(named('check', path, check));
    },
    addReview(path: string, exclude: readonly string[], review: CarriedReview): void {
      const row = rowOf(path, exclude);
      const isThere = row.reviews.some(({ prompt }) => prompt === review.prompt);
      if (!isThere) row.reviews.push(named('review', path, review));
    },
    entries: (): readonly CarriedEntry[] => rows.filter(({ checks, reviews }) => checks.length + reviews.length > 0),
  };
}

/** Whether two entry points can give a gate of the same id: `packages/*` is one for every folder there. */
function canMeet(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => repoPath(path) ?? path) as [string, string];
  const isOf = (each: string, folder: string) =>
    each.endsWith('/*') && folder.startsWith(each.slice(0, -1)) && !folder.slice(each.length - 1).includes('/');
  return one === other || isOf(one, other) || isOf(other, one);
}
