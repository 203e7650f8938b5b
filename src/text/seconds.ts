/** A number of seconds in words. */
export function secondsOf(count: number): string {
  return `${count} ${count === 1 ? 'second' : 'seconds'}`;
}

/** How long something took. */
export function secondsTaken(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
