/** An earlier review of a resumed reviewer: the changed files in its prompt, and those that it opened again. */
export type ResumedReview = {
  /** The files that the prompt contained, and the files that the reviewer opened. */
  readonly handed: readonly string[];
  readonly opened: readonly string[];
};

/** How likely a resumed reviewer opens a changed file again, if no earlier review shows it. */
const USUALLY = 0.65;

/** Returns how likely a resumed reviewer opens a changed file that its prompt does not contain. */
export function opensAgain(earlier: readonly ResumedReview[]): number {
  // A reviewer that opens a file which its prompt contains pays for the file twice.
  if (earlier.some(({ handed, opened }) => handed.some((path) => opened.some((one) => isSameFile(one, path)))))
    return 0;
  const telling = earlier.filter(({ handed }) => handed.length === 0);
  if (telling.length === 0) return USUALLY;
  return telling.filter(({ opened }) => opened.length > 0).length / telling.length;
}

/** Whether an opened file is the one at a path of the repository. An agent may report a file by its absolute path. */
export function isSameFile(opened: string, path: string): boolean {
  return opened === path || opened.endsWith(`/${path}`);
}

const WRITTEN = 1.25;
const READ = 0.1;
const CHARACTERS_PER_TOKEN = 4;

/** The most characters of files in a resumed prompt. */
const MOST_CHARACTERS = 60_000;

/**
 * Returns the changed files to show as a whole in the prompt of a resumed session, the smallest first. `more` is the
 * length by which the prompt grows. A reviewer that opens a file makes one more request, which reads the whole context
 * from the cache. A file in the prompt saves that request, but is paid for even if the reviewer does not need it.
 */
export function filesToHandOver<F extends { readonly more: number }>(
  files: readonly F[],
  { contextTokens, likely, room }: { readonly contextTokens: number; readonly likely: number; readonly room: number },
): readonly F[] {
  const saved = likely * contextTokens * READ;
  const wasted = ({ more }: F) => (1 - likely) * (more / CHARACTERS_PER_TOKEN) * WRITTEN;
  let left = Math.min(room, MOST_CHARACTERS);
  return [...files]
    .sort((a, b) => a.more - b.more)
    .filter((file) => {
      if (file.more <= 0 || file.more > left || wasted(file) >= saved) return false;
      left -= file.more;
      return true;
    });
}
