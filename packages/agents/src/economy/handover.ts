import { type CachePrices, USUAL_PRICES } from './cache-rules.ts';

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
  if (
    earlier.some(({ handed, opened }) =>
      handed.some((path) => opened.some((openedPath) => isSameFile(openedPath, path))),
    )
  )
    return 0;
  const telling = earlier.filter(({ handed }) => handed.length === 0);
  if (telling.length === 0) return isAdded ? 0 : USUALLY;
  return telling.filter(({ opened }) => opened.length > 0).length / telling.length;
}

/**
 * The files that an earlier review in a new session needed: those that it opened or was shown. `twice`: those that were
 * opened although the conversation contained them already.
 */
export type EarlierReads<Path extends string> = { readonly needed: readonly Path[]; readonly twice: readonly Path[] };

/**
 * Returns how likely a reviewer in a new session needs a file: the share of earlier reviews that needed it. Returns 0 if
 * a file was opened twice, because then putting it into the prompt saves nothing.
 */
export function needsFile<Path extends string>(earlier: readonly EarlierReads<Path>[], path: Path): number {
  if (earlier.length === 0 || earlier.some(({ twice }) => twice.includes(path))) return 0;
  return earlier.filter(({ needed }) => needed.includes(path)).length / earlier.length;
}

/** Whether an opened file is the one at this path of the repository. Agents may report absolute paths. */
export function isSameFile(openedPath: string, path: string): boolean {
  return openedPath === path || openedPath.endsWith(`/${path}`);
}

/** Returns the files that a forked session opened again although it is a copy of a session that had opened them. */
export function openedAgain(openedPaths: readonly string[], before: readonly string[]): readonly string[] {
  return [...new Set(openedPaths)].filter((path) =>
    before.some((earlierPath) => isSameFile(path, earlierPath) || isSameFile(earlierPath, path)),
  );
}

const CHARACTERS_PER_TOKEN = 4;

/**
 * The maximum number of characters of files in the prompt of a session. A new session may get more: it contains nothing
 * else yet, and its reviewers would open these files one by one.
 */
const MOST_CHARACTERS = { resumed: 60_000, fresh: 120_000 };

/**
 * Returns the files to show in full in the prompt of a session, the smallest first. `more` is the length that a file
 * adds to the prompt, and `likely` the chance that the reviewer would open it. Opening a file takes one more request,
 * which reads the whole context from the cache. A file in the prompt saves that request, but has to be paid for even if
 * the reviewer does not need it.
 */
export function filesToHandOver<F extends { readonly more: number; readonly likely: number }>(
  files: readonly F[],
  {
    kind,
    contextTokens,
    prices = USUAL_PRICES,
  }: { readonly kind: 'fresh' | 'resumed'; readonly contextTokens: number; readonly prices?: CachePrices },
): readonly F[] {
  const savingOf = ({ likely }: F) => likely * contextTokens * prices.read;
  const wasteOf = ({ more, likely }: F) => (1 - likely) * (more / CHARACTERS_PER_TOKEN) * prices.write;
  let charactersLeft = MOST_CHARACTERS[kind];
  return [...files]
    .sort((a, b) => a.more - b.more)
    .filter((file) => {
      if (file.more <= 0 || file.more > charactersLeft || wasteOf(file) >= savingOf(file)) return false;
      charactersLeft -= file.more;
      return true;
    });
}
