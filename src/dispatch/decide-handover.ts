/** An earlier review of a resumed reviewer: the changed files in its prompt, and those that it opened again. */
export type ResumedReview = {
  /** The files that the prompt contained, and the files that the reviewer opened. */
  readonly handed: readonly string[];
  readonly opened: readonly string[];
};

/** How likely a resumed reviewer opens a changed file again, if no earlier review shows it. */
const USUALLY = 0.65;

/**
 * Returns how likely a resumed reviewer opens a changed file that its prompt does not contain. A file that the first
 * prompt showed as a whole, because the change adds it, is expected only of a reviewer that has opened files again.
 */
export function opensAgain(earlier: readonly ResumedReview[], isAdded = false): number {
  // A reviewer that opens a file which its prompt contains pays for the file twice.
  if (earlier.some(({ handed, opened }) => handed.some((path) => opened.some((one) => isSameFile(one, path)))))
    return 0;
  const telling = earlier.filter(({ handed }) => handed.length === 0);
  if (telling.length === 0) return isAdded ? 0 : USUALLY;
  return telling.filter(({ opened }) => opened.length > 0).length / telling.length;
}

/** The files that an earlier review in a new session opened, and those that its prompt contained. */
export type EarlierReads<Path extends string> = { readonly opened: readonly Path[]; readonly handed: readonly Path[] };

/**
 * Returns how likely a reviewer in a new session opens a file: the share of earlier reviews that opened it or got it in
 * the prompt. A file that a reviewer opened although its prompt contained it is not worth a place in the prompt.
 */
export function opensFile<Path extends string>(earlier: readonly EarlierReads<Path>[], path: Path): number {
  if (earlier.length === 0) return 0;
  if (earlier.some(({ opened, handed }) => opened.includes(path) && handed.includes(path))) return 0;
  const needed = earlier.filter(({ opened, handed }) => opened.includes(path) || handed.includes(path));
  return needed.length / earlier.length;
}

/** Whether an opened file is the one at a path of the repository. An agent may report a file by its absolute path. */
export function isSameFile(opened: string, path: string): boolean {
  return opened === path || opened.endsWith(`/${path}`);
}

/** Returns the files that a fork opened although its reading had opened them. */
export function openedAgain(opened: readonly string[], before: readonly string[]): readonly string[] {
  return [...new Set(opened)].filter((path) => before.some((one) => isSameFile(path, one) || isSameFile(one, path)));
}

const WRITTEN = 1.25;
const READ = 0.1;
const CHARACTERS_PER_TOKEN = 4;

/** The most characters of files in a resumed prompt. */
const MOST_CHARACTERS = 60_000;

/**
 * Returns the changed files to show as a whole in the prompt of a resumed session, the smallest first. `more` is the
 * length by which the prompt grows, and `likely` the chance that the reviewer would open the file. Opening it takes one
 * more request, which reads the whole context from the cache. A file in the prompt saves that request, but is paid for
 * even if the reviewer does not need it.
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
