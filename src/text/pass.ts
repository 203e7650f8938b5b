import { quoteName } from '../domain/quote-name.ts';

/** Confirms a pass by its id. */
export function tellPass(marked: { readonly id: string; readonly vouched: boolean }): string {
  const sentence = `Marked as passed: ${quoteName(marked.id)}. It is skipped until one of its files changes.`;
  if (marked.vouched) return sentence;
  return `${sentence}\nNote: no instruction file with this id was written here, so check that the id is the one you were given.`;
}
