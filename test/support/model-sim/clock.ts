/** The simulator's clock, which a test can advance. */
export type SimClock = {
  now(): number;
  advance(ms: number): void;
};

/** Returns a clock that shows `base` plus all advances. */
export function movableClock(base: () => number = Date.now): SimClock {
  let offset = 0;
  return {
    now: () => base() + offset,
    advance: (ms) => {
      offset += ms;
    },
  };
}
