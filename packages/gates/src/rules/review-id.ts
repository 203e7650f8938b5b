import { createHash } from 'node:crypto';
import { byCodePoint } from '@onceover/base/kernel/collections';
import type { BadReviewId } from '@onceover/base/kernel/failure';
import { digestOf, type RepoPath, type ReviewId, sha256 } from '@onceover/base/kernel/ids';
import { MISSING } from '@onceover/base/kernel/repository';
import type { RuleReviewTask, TaskContext, TaskFacts } from './types.ts';

const LONGEST_PATHS = 100;
const LONGEST_NAME = 255;
const HASH_LENGTH = 12;
const MARKER_SUFFIX = '.passed';

/** Returns the id of the review of these files under this rule. An unreadable file has the content `null`. */
export function reviewId(
  rule: string | { readonly name: string },
  files: Iterable<{ readonly path: string; readonly content: Uint8Array | string | null }>,
): ReviewId {
  const sortedFiles = [...files].sort((a, b) => byCodePoint(a.path, b.path));
  const hash = createHash('sha256');
  for (const file of sortedFiles) hash.update(file.content ?? MISSING);
  return composeReviewId({
    rule: typeof rule === 'string' ? rule : rule.name,
    paths: sortedFiles.map((file) => file.path),
    contentHash: hash.digest('hex'),
  });
}

/** Builds an id from its three parts. It is short enough for a file name, even with the suffix `.passed`. */
export function composeReviewId(parts: {
  readonly rule: string;
  readonly paths: readonly string[];
  readonly contentHash: string;
}): ReviewId {
  const rule = parts.rule.replace(/[^A-Za-z0-9\-_.]/gu, '-');
  const hash = parts.contentHash.slice(0, HASH_LENGTH);
  const joinedPaths = parts.paths
    .map((path) => path.replaceAll('/', '-'))
    .sort(byCodePoint)
    .join('_AND_');
  const whole = `${rule}--${joinedPaths}--${hash}`;
  if (Array.from(joinedPaths).length <= LONGEST_PATHS && fits(whole)) return whole as ReviewId;
  const tail = `--${parts.paths.length}_files--${hash}`;
  return `${rule.slice(0, LONGEST_NAME - MARKER_SUFFIX.length - tail.length)}${tail}` as ReviewId;
}

/**
 * Returns why an id is invalid; `null` if it is valid. With an invalid id, the file that marks the review as passed
 * could be outside its folder. `..` is allowed only in the id of a known review, where it is a part of a file name such
 * as `[...slug].tsx`.
 */
export function checkReviewId(id: string, isKnown: boolean): BadReviewId | null {
  if (id.trim() === '') return 'empty';
  if (id.startsWith('/')) return 'absolute';
  if (id.includes('..') && !isKnown) return 'dots';
  if (id.includes('/')) return 'separator';
  if (id.includes('\0')) return 'nul';
  return fits(id) ? null : 'too-long';
}

/** Returns the id without its content hash. What remains depends only on the rule and the paths. */
export function stemOf(id: string): string {
  const cut = id.lastIndexOf('--');
  return cut === -1 ? id : id.slice(0, cut);
}

/** Sorts paths into the order in which files are hashed and listed. */
export function inHashOrder(paths: Iterable<RepoPath>): readonly RepoPath[] {
  return [...paths].sort(byCodePoint);
}

function fits(id: string): boolean {
  return new TextEncoder().encode(id + MARKER_SUFFIX).length <= LONGEST_NAME;
}

/**
 * Increase this number if the text around the instructions changes in a way that changes the task. With `cache:
 * strict`, older passes then no longer count.
 */
const PROMPT_VERSION = 1;

/** Returns the current state of a review in a form that can be stored and compared later. */
export function taskFacts(task: RuleReviewTask, context: TaskContext): TaskFacts {
  return {
    id: task.id,
    parts: task.parts.map((part) => ({
      source: part.rule.source.file,
      rule: part.rule.name,
      textDigest: sha256(part.rule.instructions),
      contextDigest: digestOf([
        part.unchangedMatching,
        part.rule.context.allChangedFilenames ? context.allChanged : [],
        context.references.get(part) ?? [],
      ]),
    })),
    files: task.digests,
    promptVersion: PROMPT_VERSION,
  };
}
