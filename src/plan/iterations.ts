/** What belongs to each iteration, the oldest first. */
export function byIteration<T extends { readonly iteration: number }>(
  all: readonly T[],
): readonly (readonly [iteration: number, own: readonly T[]])[] {
  const iterations = new Map<number, T[]>();
  for (const one of all) {
    const own = iterations.get(one.iteration);
    if (own === undefined) iterations.set(one.iteration, [one]);
    else own.push(one);
  }
  return [...iterations].sort(([a], [b]) => a - b);
}
