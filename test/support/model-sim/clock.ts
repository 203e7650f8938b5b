/** The simulator's time, which a test can move forward. */
export type SimClock = {
  now(): number;
  advance(ms: number): void;
};

/** A clock that shows `base` plus everything it was advanced by. */
export function movableClock(base: () => number = Date.now): SimClock {
  let offset = 0;
  return {
    now: () => base() + offset,
    advance: (ms) => {
      offset += ms;
    },
  };
}
