/** What `clean` put away, after how much is open. */
export function tellCleaned(cleaned: { readonly iterations: number; readonly open: readonly string[] }): string {
  const open =
    cleaned.open.length === 0
      ? []
      : [
          `${cleaned.open.length === 1 ? 'One finding is' : `${cleaned.open.length} findings are`} open: ${cleaned.open.join(', ')}. Each stays open while its file is unchanged.`,
        ];
  const archived =
    cleaned.iterations === 0
      ? 'There are no records to archive.'
      : `Archived the records of ${cleaned.iterations === 1 ? 'one iteration' : `${cleaned.iterations} iterations`}. The next run counts from 1.`;
  return [...open, archived].join('\n');
}
