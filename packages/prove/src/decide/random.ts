/**
 * Returns a generator of random numbers from 0 up to but not including 1. They depend only on the seed (mulberry32
 * algorithm), so that a run of `onceover prove` can be repeated.
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let hash = Math.imul(state ^ (state >>> 15), state | 1);
    hash ^= hash + Math.imul(hash ^ (hash >>> 7), hash | 61);
    return ((hash ^ (hash >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns the items in a random order. */
export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  const list = [...items];
  for (let i = list.length - 1; i > 0; i--) {
    const swapIndex = Math.floor(random() * (i + 1));
    const [a, b] = [list[i], list[swapIndex]];
    if (a !== undefined && b !== undefined) [list[i], list[swapIndex]] = [b, a];
  }
  return list;
}
