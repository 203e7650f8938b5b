import { count } from './count.ts';

/** A number of seconds in words. */
export function secondsOf(seconds: number): string {
  return count(seconds, 'second');
}

/** How long something took. */
export function secondsTaken(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
