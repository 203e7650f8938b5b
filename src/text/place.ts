import { quoteName } from '../domain/quote-name.ts';

/** Where something is; null where no file is named. */
export function tellPlace({
  file,
  line,
}: {
  readonly file: string | null;
  readonly line: number | null;
}): string | null {
  if (file === null) return null;
  return `${quoteName(file)}${line === null ? '' : `:${line}`}`;
}

/** What is said of a finding that names no file. */
export const NO_PLACE = 'without a place';

/** The same as a part of a sentence. */
export function atPlace(finding: { readonly file: string | null; readonly line: number | null }): string {
  const place = tellPlace(finding);
  return place === null ? NO_PLACE : `at ${place}`;
}
