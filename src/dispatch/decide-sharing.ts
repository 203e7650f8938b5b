import { grouped } from '../kernel/collections.ts';
import type { SeenReads } from './decide-cache.ts';

/** A reviewer that starts a new session, and the facts that decide with whom it can share a reading. */
export type Reader = {
  /** The same for reviewers that can share: agent, model, version, tools, schema and the start of the prompt. */
  readonly key: string;
  /** The review of the reviewer. With the setting `reviews`, only reviewers of different reviews share. */
  readonly review: string;
};

/**
 * Returns the groups of readers that can share a reading, each with at least two. With `reviews`, the first reviewers of
 * all reviews share one reading and the second reviewers another one, so reviewers of one review stay independent.
 */
export function groupReaders<R extends Reader>(
  readers: readonly R[],
  setting: 'reviews' | 'all' | 'off',
): readonly (readonly R[])[] {
  if (setting === 'off') return [];
  const seen = new Map<string, number>();
  const placed = readers.map((reader) => {
    const slot = JSON.stringify([reader.key, reader.review]);
    const place = setting === 'all' ? 0 : (seen.get(slot) ?? 0);
    seen.set(slot, place + 1);
    return { reader, group: JSON.stringify([reader.key, place]) };
  });
  const groups = [...grouped(placed, ({ group }) => group).values()];
  return groups.map((group) => group.map(({ reader }) => reader)).filter((group) => group.length > 1);
}

/** Files that reviewers in new sessions are expected to open. */
export type ExpectedReads = {
  /** How many files a reviewer alone or a shared reading opens, and their tokens. */
  readonly files: number;
  readonly tokens: number;
  /** How many files a fork of a reading opens although the reading has opened them. */
  readonly again: number;
};

/** The assumption for an agent of which the ledger has no review yet. */
const UNKNOWN_READS = { files: 2, again: 0 };

const TOKENS_PER_FILE = 1000;

/** Tokens that an agent adds to a prompt: its tools and its own instructions. */
export const AGENT_TOKENS = 2500;

/** The number of reviews that are enough to expect something of the next ones. */
const MOST_REVIEWS = 12;

/** Returns what reviewers of an agent will open, from what its last reviewers in new sessions opened. */
export function expectedReads(seen: readonly SeenReads[], agent: string): ExpectedReads {
  const own = seen.filter((one) => one.agent === agent);
  const forks = own.filter(({ reading }) => reading !== null).slice(-MOST_REVIEWS);
  const files =
    average(own.slice(-MOST_REVIEWS).map(({ opened, reading }) => reading ?? opened)) ?? UNKNOWN_READS.files;
  const again = average(forks.map(({ again }) => again)) ?? UNKNOWN_READS.again;
  return { files, tokens: files * TOKENS_PER_FILE, again };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

function average(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : sumOf(numbers) / numbers.length;
}

const WRITTEN = 1.25;
const READ = 0.1;

/** Tokens of the reading's own prompt and answer, which reviewers that work alone do not need. */
const READING_TOKENS = 450;

/**
 * Whether a shared reading is cheaper than separate ones, in input tokens weighted by the cache's prices. Each opened
 * file costs a request that reads the context so far. With a shared reading, only one session makes these requests, but
 * the reading is one request more, and every fork reads all opened files from the cache. A fork that opens them again
 * pays for them in the longer context of the reading. Files that only one review needs cost the same both ways.
 */
export function sharingPays(readers: number, stableTokens: number, { files, tokens, again }: ExpectedReads): boolean {
  const opening = tokens * WRITTEN + files * (stableTokens + tokens / 2) * READ;
  const alone = readers * opening + readers * stableTokens * READ;
  const context = stableTokens + tokens;
  const reopening = again * (TOKENS_PER_FILE * WRITTEN + (context + (again * TOKENS_PER_FILE) / 2) * READ);
  const shared = opening + stableTokens * READ + readers * (context * READ + reopening);
  return shared + READING_TOKENS * (WRITTEN + readers * READ) < alone;
}

/** The estimate for reviewers that continue an earlier reading instead of their own sessions. */
export type ContinuedReaders = {
  /** The tokens of the earlier reading, and whether they have expired from the provider's cache. */
  readonly contextTokens: number;
  readonly isExpired: boolean;
  readonly deltaTokens: number;
  /** How many files of the reading a fork is expected to open again, and the tokens of one. */
  readonly again: number;
  readonly fileTokens: number;
  readonly prices: { readonly read: number; readonly write: number };
  /** For each reviewer: the cost of its call without the reading, and the tokens of its own prompt in a fork. */
  readonly readers: readonly { readonly alone: number; readonly ownTokens: number }[];
  /**
   * The tokens that the earlier reading sent, if all reviewers would otherwise start new sessions. They would then share a
   * new reading, or each would open the same files itself after the same start of the prompt (`stableTokens`). `null` if
   * a reviewer would be resumed, or if the figures are unknown.
   */
  readonly newReading: {
    readonly uncached: number;
    readonly cached: number;
    readonly shared: number;
    readonly stableTokens: number;
  } | null;
};

/** A resumed session remembers why it judged as it did, so it is given up only for a cost below this share. */
const WORTH_FORGETTING = 0.95;

/**
 * Whether it is cheaper to tell an earlier reading the changes and to fork it, than to tell each reviewer's own session
 * the changes. The reading pays for the changes once, but every fork sends its rubric again.
 */
export function continuingPays(of: ContinuedReaders): boolean {
  const { contextTokens, isExpired, deltaTokens, again, fileTokens, prices, readers, newReading } = of;
  const { read, write } = prices;
  const own = sumOf(readers.map(({ ownTokens }) => ownTokens * write));
  const forksOf = (context: number) => {
    const reopening = again * (fileTokens * write + (context + (again * fileTokens) / 2) * read);
    return readers.length * (context * read + reopening) + own;
  };
  const reading = contextTokens * (isExpired ? write : read) + deltaTokens * write;
  const continued = reading + forksOf(contextTokens + deltaTokens);
  if (newReading === null) return continued < sumOf(readers.map(({ alone }) => alone)) * WORTH_FORGETTING;
  // Every opened file is one more request that reads all of the new reading so far.
  const { uncached, cached, shared, stableTokens } = newReading;
  const opening = (uncached + shared) * write + (cached - shared) * read;
  const separate = readers.length * opening + own - (readers.length - 1) * stableTokens * (write - read);
  return continued < Math.min(opening + forksOf(contextTokens), separate);
}

/** Returns the tokens of a file of a reading, from the tokens that its session had before and after it opened them. */
export function tokensPerFile(
  session: { readonly contextTokens: number; readonly startTokens: number },
  files: number,
) {
  const opened = session.contextTokens - session.startTokens;
  return files === 0 ? TOKENS_PER_FILE : Math.max(TOKENS_PER_FILE, opened / files);
}
