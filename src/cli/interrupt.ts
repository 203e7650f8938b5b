/** Does work that Ctrl-C ends in good order: what was started is ended, then the program exits with 130. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | 'interrupted'> {
  const stop = new AbortController();
  const onSignal = () => {
    // A second Ctrl-C does not wait.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    const result = await work(stop.signal);
    if (!stop.signal.aborted) return result;
    process.stderr.write('onceover: interrupted\n');
    process.exitCode = 130;
    return 'interrupted';
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
