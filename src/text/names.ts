import { quoteName } from '../domain/quote-name.ts';

const MOST_NAMES = 10;

/** Names of files or gates in a row; of many, the first and how many more there are. */
export function someNames(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map(quoteName).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}
