/** A number of seconds in words. */
export function secondsOf(count: number): string {
  return `${count} ${count === 1 ? 'second' : 'seconds'}`;
}
