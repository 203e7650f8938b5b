/** Runs jobs, at most so many at once, in the order in which they come. */
export function openQueue(atOnce: number): <T>(job: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  const next = () => {
    const first = waiting.shift();
    // Whoever waits takes the place over, so that nobody comes in between.
    if (first === undefined) running--;
    else first();
  };
  return async (job) => {
    if (running < atOnce) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await job();
    } finally {
      next();
    }
  };
}

/** Shares work between those who ask while it waits to begin: whoever asks gets a result that was begun afterwards. */
export function coalesce<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | null = null;
  let queued: Promise<T> | null = null;
  return () => {
    if (queued !== null) return queued;
    const before = running ?? Promise.resolve();
    const own = before.then(
      () => start(),
      () => start(),
    );
    const start = () => {
      queued = null;
      return work();
    };
    queued = own;
    running = own;
    return own;
  };
}
