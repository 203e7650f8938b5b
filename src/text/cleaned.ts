import { count } from './count.ts';

/** What `clean` put away, after how much is open. */
export function tellCleaned(cleaned: {
  readonly iterations: number;
  readonly next: number;
  readonly open: readonly string[];
}): string {
  const open =
    cleaned.open.length === 0
      ? []
      : [
          `${count(cleaned.open.length, 'finding is', 'findings are')} open: ${cleaned.open.join(', ')}. Each stays open while its file is unchanged.`,
        ];
  const archived =
    cleaned.iterations === 0
      ? 'There are no records to archive.'
      : `Archived the records of ${count(cleaned.iterations, 'iteration')}. The next run counts from ${tellNext(cleaned.next)}.`;
  return [...open, archived].join('\n');
}

function tellNext(next: number): string {
  return next === 1 ? '1' : `${next}: files that are no records, or that git tracks, stay with the numbers before`;
}
