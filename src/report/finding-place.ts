import type { Finding } from '../domain/finding.ts';

/** Where a finding is, for readers that show it beside the code. */
export type FindingPlace = {
  readonly file: string;
  /** Null: no line is known, or there is no such line. */
  readonly line: number | null;
  readonly lastLine: number | null;
};

/** What is about no file is shown at the settings: most readers refuse or drop what has no place at all. */
export const NO_FILE = 'onceover.yml';

const HIGHEST_LINE = 2 ** 31 - 1;

export function placeOf(finding: Finding): FindingPlace {
  const { file, line, mark } = finding;
  const isKnown =
    file !== null &&
    line !== null &&
    Number.isInteger(line) &&
    line > 0 &&
    line <= HIGHEST_LINE &&
    mark !== 'no-such-line';
  if (!isKnown) return { file: file ?? NO_FILE, line: null, lastLine: null };
  const lines = isQuoted(finding) ? (finding.anchor?.text.split('\n').length ?? 1) : 1;
  return { file, line, lastLine: line + lines - 1 };
}

/** Whether the code that the finding quotes is what stands at its line. */
export function isQuoted({ code, anchor, mark }: Finding): boolean {
  return code !== null && anchor !== null && mark !== 'code-not-found' && mark !== 'no-such-line';
}
