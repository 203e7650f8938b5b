import { createHash } from 'node:crypto';
import type { RepoPath, ReviewId } from '../domain/brand.ts';
import type { BadReviewId } from '../domain/failure.ts';
import { byCodePoint } from '../domain/order.ts';
import { MISSING } from '../domain/task.ts';

const LONGEST_PATHS = 100;
const LONGEST_NAME = 255;
const HASH_LENGTH = 12;
const MARKER_SUFFIX = '.passed';

/** The id of a review of these files under this rule, from contents that are at hand; null is an unreadable file. */
export function reviewId(
  rule: string | { readonly name: string },
  files: Iterable<{ readonly path: string; readonly content: Uint8Array | string | null }>,
): ReviewId {
  const sorted = [...files].sort((a, b) => byCodePoint(a.path, b.path));
  const hash = createHash('sha256');
  for (const file of sorted) hash.update(file.content ?? MISSING);
  return composeReviewId({
    rule: typeof rule === 'string' ? rule : rule.name,
    paths: sorted.map((file) => file.path),
    contentHash: hash.digest('hex'),
  });
}

/** The id from its three parts; it always fits a file name together with the marker's suffix. */
export function composeReviewId(parts: {
  readonly rule: string;
  readonly paths: readonly string[];
  readonly contentHash: string;
}): ReviewId {
  const rule = parts.rule.replace(/[^A-Za-z0-9\-_.]/gu, '-');
  const hash = parts.contentHash.slice(0, HASH_LENGTH);
  const joined = parts.paths
    .map((path) => path.replaceAll('/', '-'))
    .sort(byCodePoint)
    .join('_AND_');
  const whole = `${rule}--${joined}--${hash}`;
  if (Array.from(joined).length <= LONGEST_PATHS && fits(whole)) return whole as ReviewId;
  const tail = `--${parts.paths.length}_files--${hash}`;
  return `${rule.slice(0, LONGEST_NAME - MARKER_SUFFIX.length - tail.length)}${tail}` as ReviewId;
}

/** Whether a string from outside may name a pass; anything that could leave the folder may not. */
export function checkReviewId(id: string): BadReviewId | null {
  if (id.trim() === '') return 'empty';
  if (id.startsWith('/')) return 'absolute';
  if (id.includes('..')) return 'dots';
  if (id.includes('/')) return 'separator';
  if (id.includes('\0')) return 'nul';
  return fits(id) ? null : 'too-long';
}

/** An id without its hash: the same for a rule and its files whatever they contain. */
export function stemOf(id: string): string {
  const cut = id.lastIndexOf('--');
  return cut === -1 ? id : id.slice(0, cut);
}

/** The order in which files are hashed and listed. */
export function inHashOrder(paths: Iterable<RepoPath>): readonly RepoPath[] {
  return [...paths].sort(byCodePoint);
}

function fits(id: string): boolean {
  return new TextEncoder().encode(id + MARKER_SUFFIX).length <= LONGEST_NAME;
}
