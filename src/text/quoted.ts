import { showUnseen } from '../domain/quote-name.ts';

/** A word that somebody gave, always in quotes: nobody knows whether it is a name of anything. */
export function quoted(given: string): string {
  return `"${showUnseen(given)}"`;
}
