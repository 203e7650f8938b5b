/** Lets one work at a time be done for each key, in the order in which they came. */
export type Turns = {
  /** Waits for its turn; once `stop` is aborted it no longer waits, and the work must see that for itself. */
  take<T>(key: string, stop: AbortSignal | null, work: () => Promise<T>): Promise<T>;
};

export function openTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  return {
    async take(key, stop, work) {
      const before = last.get(key) ?? null;
      let leave = () => {};
      const left = new Promise<void>((resolve) => {
        leave = resolve;
      });
      // Whoever gives up waiting must not let the next one overtake the first.
      const mine = Promise.all([before, left]).then(() => {
        if (last.get(key) === mine) last.delete(key);
      });
      last.set(key, mine);
      try {
        if (before !== null) await either(before, stop);
        return await work();
      } finally {
        leave();
      }
    },
  };
}

async function either(before: Promise<void>, stop: AbortSignal | null): Promise<void> {
  if (stop === null) return before;
  const over = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener('abort', () => resolve(), { once: true, signal: over.signal });
  });
  await Promise.race([before, stopped]);
  over.abort();
}
