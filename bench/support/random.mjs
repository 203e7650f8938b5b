/** Returns random numbers that are the same for the same seed. */
export function seeded(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low, high) => low + Math.floor(next() * (high - low + 1));
  const pick = (list) => list[between(0, list.length - 1)];
  return {
    next,
    between,
    pick,
    chance: (share) => next() < share,
    /** Picks one of the names by weight. */
    weighed(weights) {
      const entries = Object.entries(weights);
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return entries.at(-1)[0];
    },
  };
}
