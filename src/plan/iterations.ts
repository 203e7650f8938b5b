import { grouped } from '../domain/grouped.ts';

/** What belongs to each iteration, the oldest first. */
export function byIteration<T extends { readonly iteration: number }>(
  all: readonly T[],
): readonly (readonly [iteration: number, own: readonly T[]])[] {
  return [...grouped(all, ({ iteration }) => iteration)].sort(([a], [b]) => a - b);
}
