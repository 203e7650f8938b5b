/**
 * An earlier review in a resumed session: which changed files its prompt contained, and which files the reviewer opened
 * again.
 */
export type ResumedReview = {
  /** The paths of the files that the prompt contained. `opened` has the files that the reviewer opened. */
  readonly handed: readonly string[];
  readonly opened: readonly string[];
};

/** The assumed chance that a resumed reviewer opens a changed file again, if no earlier review shows it. */
const USUALLY = 0.65;

/**
 * Returns how likely a resumed reviewer opens a changed file that its prompt does not contain. If the change adds the
 * file (`isAdded`), the first prompt already showed all of it, so only a reviewer that has opened files again before is
 * expected to open it.
 */
export function opensAgain(earlier: readonly ResumedReview[], isAdded = false): number {
  // A reviewer that opens a file although its prompt contains it pays for the file twice, so do not put files into its
  // prompt.
  if (earlier.some(({ handed, opened }) => handed.some((path) => opened.some((one) => isSameFile(one, path)))))
    return 0;
  const telling = earlier.filter(({ handed }) => handed.length === 0);
  if (telling.length === 0) return isAdded ? 0 : USUALLY;
  return telling.filter(({ opened }) => opened.length > 0).length / telling.length;
}

/** The files that an earlier review in a new session opened, and those that its prompt contained. */
export type EarlierReads<Path extends string> = { readonly opened: readonly Path[]; readonly handed: readonly Path[] };

/**
 * Returns how likely a reviewer in a new session opens a file: the share of earlier reviews that opened it or found it
 * in the prompt. Returns 0 if a reviewer opened the file although its prompt contained it, because putting it there
 * saves nothing.
 */
export function opensFile<Path extends string>(earlier: readonly EarlierReads<Path>[], path: Path): number {
  if (earlier.length === 0) return 0;
  if (earlier.some(({ opened, handed }) => opened.includes(path) && handed.includes(path))) return 0;
  const needed = earlier.filter(({ opened, handed }) => opened.includes(path) || handed.includes(path));
  return needed.length / earlier.length;
}

/** Whether an opened file is the one at this path of the repository. Agents may report absolute paths. */
export function isSameFile(opened: string, path: string): boolean {
  return opened === path || opened.endsWith(`/${path}`);
}

/** Returns the files that a forked session opened again although it is a copy of a session that had opened them. */
export function openedAgain(opened: readonly string[], before: readonly string[]): readonly string[] {
  return [...new Set(opened)].filter((path) => before.some((one) => isSameFile(path, one) || isSameFile(one, path)));
}

const WRITTEN = 1.25;
const READ = 0.1;
const CHARACTERS_PER_TOKEN = 4;

/** The maximum number of characters of files in a resumed prompt. */
const MOST_CHARACTERS = 60_000;

/**
 * Returns the changed files to show in full in the prompt of a resumed session, the smallest first. `more` is the
 * length that a file adds to the prompt, and `likely` the chance that the reviewer would open it. Opening a file takes
 * one more request, which reads the whole context from the cache. A file in the prompt saves that request, but has to
 * be paid for even if the reviewer does not need it.
 */
export function filesToHandOver<F extends { readonly more: number; readonly likely: number }>(
  files: readonly F[],
  contextTokens: number,
): readonly F[] {
  const saved = ({ likely }: F) => likely * contextTokens * READ;
  const wasted = ({ more, likely }: F) => (1 - likely) * (more / CHARACTERS_PER_TOKEN) * WRITTEN;
  let left = MOST_CHARACTERS;
  return [...files]
    .sort((a, b) => a.more - b.more)
    .filter((file) => {
      if (file.more <= 0 || file.more > left || wasted(file) >= saved(file)) return false;
      left -= file.more;
      return true;
    });
}
