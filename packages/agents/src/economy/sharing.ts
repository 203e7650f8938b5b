import { grouped } from '@onceover/base/kernel/collections';
import type { SeenReads } from './cache-life.ts';
import { type CachePrices, USUAL_PRICES } from './cache-rules.ts';

/**
 * A reviewer that needs a new session, with the facts that decide which other reviewers can share with it one session
 * that reads the files.
 */
export type Reader = {
  /**
   * A key that is the same for reviewers that can share a session: same agent, model, version, tools, schema and start
   * of the prompt.
   */
  readonly key: string;
  /**
   * The review that the reviewer belongs to. With the setting `share_reading: reviews`, only reviewers of different
   * reviews share a session.
   */
  readonly review: string;
};

/**
 * Returns groups, each of at least two reviewers, that can share a session that reads the files. With the setting
 * `reviews`, the first reviewers of all reviews form one group and the second reviewers another, so that the reviewers
 * of one review stay independent.
 */
export function groupReaders<R extends Reader>(
  readers: readonly R[],
  setting: 'reviews' | 'all' | 'off',
): readonly (readonly R[])[] {
  if (setting === 'off') return [];
  const slotCounts = new Map<string, number>();
  const placements = readers.map((reader) => {
    const slot = JSON.stringify([reader.key, reader.review]);
    const place = setting === 'all' ? 0 : (slotCounts.get(slot) ?? 0);
    slotCounts.set(slot, place + 1);
    return { reader, group: JSON.stringify([reader.key, place]) };
  });
  const groups = [...grouped(placements, ({ group }) => group).values()];
  return groups.map((group) => group.map(({ reader }) => reader)).filter((group) => group.length > 1);
}

/** The files that reviewers in new sessions will probably open. */
export type ExpectedReads = {
  /** The number of files that a reviewer alone, or one session for several reviewers, opens; `tokens` is their size. */
  readonly files: number;
  readonly tokens: number;
  /** How many files a forked session opens again although it is a copy of a session that had opened them. */
  readonly again: number;
};

/** The assumption for an agent that has no review in the ledger (the log of all calls) yet. */
const UNKNOWN_READS = { files: 2, again: 0 };

const TOKENS_PER_FILE = 1000;

/** Tokens that an agent adds to a prompt: its tools and its own instructions. */
export const AGENT_TOKENS = 2500;

/** The number of earlier reviews from which the next ones are estimated. */
const MOST_REVIEWS = 12;

/** Returns what reviewers of an agent will probably open, from what its last reviewers in new sessions opened. */
export function expectedReads(reviews: readonly SeenReads[], agent: string): ExpectedReads {
  const agentReviews = reviews.filter((review) => review.agent === agent);
  const forks = agentReviews.filter(({ reading }) => reading !== null).slice(-MOST_REVIEWS);
  const files =
    average(agentReviews.slice(-MOST_REVIEWS).map(({ opened, reading }) => reading ?? opened)) ?? UNKNOWN_READS.files;
  const again = average(forks.map(({ again }) => again)) ?? UNKNOWN_READS.again;
  return { files, tokens: files * TOKENS_PER_FILE, again };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, addend) => sum + addend, 0);
}

function average(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : sumOf(numbers) / numbers.length;
}

/** Tokens of the prompt and answer of a session that only reads files. Reviewers that work alone do not need these. */
const READING_TOKENS = 450;

/**
 * Whether it is cheaper that one session reads the files for all reviewers than that each reviewer reads them. Cost is
 * in input tokens, weighted by the prices of the cache. Each opened file costs a request that reads the context so far.
 * If one session reads for all, only that session makes these requests, but there is one request more, and each
 * reviewer reads all opened files from the cache. Files that a reviewer opens again are paid for twice. Files that only
 * one reviewer needs cost the same both ways.
 */
export function sharingPays(
  readers: number,
  stableTokens: number,
  { files, tokens, again }: ExpectedReads,
  { write, read }: CachePrices = USUAL_PRICES,
): boolean {
  const opening = tokens * write + files * (stableTokens + tokens / 2) * read;
  const alone = readers * opening + readers * stableTokens * read;
  const context = stableTokens + tokens;
  const reopening = again * (TOKENS_PER_FILE * write + (context + (again * TOKENS_PER_FILE) / 2) * read);
  const sharedCost = opening + stableTokens * read + readers * (context * read + reopening);
  return sharedCost + READING_TOKENS * (write + readers * read) < alone;
}

/**
 * The facts from which onceover estimates whether reviewers should start from an earlier session that read files for
 * all of them, instead of from their own sessions.
 */
export type ContinuedReaders = {
  /** The tokens of the earlier session that read the files, and whether they have expired from the provider's cache. */
  readonly contextTokens: number;
  readonly isExpired: boolean;
  readonly deltaTokens: number;
  /**
   * How many of the files from the earlier session a reviewer will probably open again. `fileTokens` has the tokens of
   * one file.
   */
  readonly again: number;
  readonly fileTokens: number;
  readonly prices: CachePrices;
  /**
   * For each reviewer: the cost of its call without the earlier session, and the tokens of its own prompt in a copy of
   * that session.
   */
  readonly readers: readonly { readonly alone: number; readonly ownTokens: number }[];
  /**
   * The tokens that the earlier session needed to read the files, if all reviewers would otherwise start new sessions.
   * They would then share a new session, or each would open the same files after the same start of the prompt
   * (`stableTokens`). `null` if a reviewer would resume its own session, or if the figures are unknown.
   */
  readonly newReading: {
    readonly uncached: number;
    readonly cached: number;
    readonly shared: number;
    readonly stableTokens: number;
  } | null;
};

/**
 * A resumed session remembers why it judged as it did. So it is given up only if the alternative costs less than this
 * share of resuming it.
 */
const WORTH_FORGETTING = 0.95;

/**
 * Whether it is cheaper to show the changes to one earlier session that read the files for all reviewers, and to fork
 * it, than to show them to each reviewer's own session. That session pays for the changes only once, but every fork
 * needs the reviewer's own instructions again.
 */
export function continuingPays(of: ContinuedReaders): boolean {
  const { contextTokens, isExpired, deltaTokens, again, fileTokens, prices, readers, newReading } = of;
  const { read, write } = prices;
  const ownCost = sumOf(readers.map(({ ownTokens }) => ownTokens * write));
  const forksOf = (context: number) => {
    const reopening = again * (fileTokens * write + (context + (again * fileTokens) / 2) * read);
    return readers.length * (context * read + reopening) + ownCost;
  };
  const reading = contextTokens * (isExpired ? write : read) + deltaTokens * write;
  const continuedCost = reading + forksOf(contextTokens + deltaTokens);
  if (newReading === null) return continuedCost < sumOf(readers.map(({ alone }) => alone)) * WORTH_FORGETTING;
  // Every file that a new session opens for all reviewers is one more request, which reads all that came before.
  const { uncached, cached, shared, stableTokens } = newReading;
  const opening = (uncached + shared) * write + (cached - shared) * read;
  const separate = readers.length * opening + ownCost - (readers.length - 1) * stableTokens * (write - read);
  return continuedCost < Math.min(opening + forksOf(contextTokens), separate);
}

/** Returns the average tokens of a file, from the tokens that a session had before and after it opened the files. */
export function tokensPerFile(
  session: { readonly contextTokens: number; readonly startTokens: number },
  files: number,
) {
  const openedTokens = session.contextTokens - session.startTokens;
  return files === 0 ? TOKENS_PER_FILE : Math.max(TOKENS_PER_FILE, openedTokens / files);
}
