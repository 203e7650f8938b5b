import { count } from './count.ts';

/** What `clean` put away, after how much is open. */
export function tellCleaned(cleaned: { readonly iterations: number; readonly open: readonly string[] }): string {
  const open =
    cleaned.open.length === 0
      ? []
      : [
          `${count(cleaned.open.length, 'finding is', 'findings are')} open: ${cleaned.open.join(', ')}. Each stays open while its file is unchanged.`,
        ];
  const archived =
    cleaned.iterations === 0
      ? 'There are no records to archive.'
      : `Archived the records of ${count(cleaned.iterations, 'iteration')}. The next run counts from 1.`;
  return [...open, archived].join('\n');
}
