import { quoteName } from '../domain/quote-name.ts';

const MOST_NAMES = 10;

/** Names of files or gates in a row; of many, the first and how many more there are. */
export function someNames(names: readonly string[], most = MOST_NAMES): string {
  const shown = names.slice(0, most).map(quoteName).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
