import { grouped } from '../kernel/collections.ts';

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

/** How much a reviewer in a new session opens: the number of files, and their tokens. */
export type ExpectedReads = { readonly files: number; readonly tokens: number };

/** The assumption for an agent of which no review is recorded here yet. */
const UNKNOWN_READS: ExpectedReads = { files: 2, tokens: 2000 };

const TOKENS_PER_FILE = 1000;

/** Returns what a reviewer in a new session will open, from the numbers of files that earlier reviewers opened. */
export function expectedReads(opened: readonly number[]): ExpectedReads {
  if (opened.length === 0) return UNKNOWN_READS;
  const files = opened.reduce((sum, one) => sum + one, 0) / opened.length;
  return { files, tokens: files * TOKENS_PER_FILE };
}

const WRITTEN = 1.25;
const READ = 0.1;

/** Tokens of the reading's own prompt and answer, which reviewers that work alone do not need. */
const READING_TOKENS = 450;

/**
 * Whether a shared reading is cheaper than separate ones, in input tokens weighted by the cache's prices. Each opened
 * file costs a request that reads the context so far. With a shared reading, only one session makes these requests, but
 * the reading is one request more, and every fork reads all opened files from the cache.
 */
export function sharingPays(readers: number, stableTokens: number, { files, tokens }: ExpectedReads): boolean {
  const opening = tokens * WRITTEN + files * (stableTokens + tokens / 2) * READ;
  const alone = readers * opening + readers * stableTokens * READ;
  const shared = opening + stableTokens * READ + readers * (stableTokens + tokens) * READ;
  return shared + READING_TOKENS * (WRITTEN + readers * READ) < alone;
}
