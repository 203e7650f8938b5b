import { type Entry, SUBMODULE, SYMLINK } from '@onceover/base/kernel/repository';
import type { Mark, MarkReceipt, Notice, RuleReviewTask, TaskFacts, WriteReason } from './types.ts';

type Cache = 'content' | 'strict';

/** A review with its current state. */
type MarkedReview = {
  readonly task: RuleReviewTask;
  readonly facts: TaskFacts;
  /** The file that marks it as passed; `null` if there is none. */
  readonly mark: Mark | null;
  /** The state of the review in which a run counts it as passed; `null` if no run does. */
  readonly passed: TaskFacts | null;
};

/**
 * A review, and why it has to be done. `why` is `null` if it is skipped, because it passed and its files are unchanged.
 */
export type DecidedReview = MarkedReview & { readonly why: WriteReason | null; readonly notices: readonly Notice[] };

/**
 * Decides whether a review has to be done. Also returns warnings about its pass mark, which is the file that marks it
 * as passed.
 */
export function decideReview(review: MarkedReview, cache: Cache): DecidedReview {
  const { task, facts, mark, passed } = review;
  // Reviewers that onceover ran passed exactly this state, so no mark is needed.
  if (passed !== null && matchesExactly(passed, facts)) return { ...review, why: null, notices: [] };
  if (mark === null) return { ...review, why: 'not-passed', notices: [] };
  const { receipt, tracked } = mark;
  if (cache === 'strict' && !(receipt !== null && matchesExactly(receipt, facts))) {
    return { ...review, why: 'pass-does-not-match', notices: [] };
  }
  const notices = receipt === null ? [] : changesSince(receipt, facts);
  if (tracked) notices.push({ kind: 'tracked-pass', id: task.id });
  return { ...review, why: null, notices };
}

/**
 * Whether a run with the setting `trust_marks` accepts a pass mark. The rule texts, paths and contents must be the same
 * as when the review was marked. A mark without a receipt, which records these, counts unless the setting is `cache:
 * strict`.
 */
export function isTrusted(receipt: MarkReceipt | null, facts: TaskFacts, cache: Cache): boolean {
  if (receipt === null) return cache === 'content';
  if (cache === 'strict') return matchesExactly(receipt, facts);
  return sameFiles(receipt, facts) && haveEqual(receipt.parts, facts.parts, ['source', 'rule', 'textDigest']);
}

/**
 * Whether the review was marked as passed with the same rules, rule texts, paths, contents, context and prompt version.
 */
function matchesExactly(receipt: TaskFacts, facts: TaskFacts): boolean {
  return (
    receipt.promptVersion === facts.promptVersion &&
    receipt.parts.length === facts.parts.length &&
    haveEqual(receipt.parts, facts.parts, ['source', 'rule', 'textDigest', 'contextDigest']) &&
    sameFiles(receipt, facts)
  );
}

function sameFiles(receipt: TaskFacts, { files }: TaskFacts): boolean {
  return receipt.files.length === files.length && haveEqual(receipt.files, files, ['path', 'sha256', 'link']);
}

/** Whether each item of `now` is equal, in the given fields, to some item of `then`. */
function haveEqual<T>(then: readonly T[], now: readonly T[], fields: readonly (keyof T)[]): boolean {
  return now.every((current) => then.some((earlier) => fields.every((field) => current[field] === earlier[field])));
}

/**
 * Returns warnings about changes after which a pass mark still counts with `cache: content`: changes of rule texts and
 * of the targets of symlinks.
 */
function changesSince(receipt: MarkReceipt, facts: TaskFacts): Notice[] {
  const notices: Notice[] = [];
  for (const part of facts.parts) {
    const then = receipt.parts.find(
      (earlierPart) => earlierPart.source === part.source && earlierPart.rule === part.rule,
    );
    if (then?.textDigest !== part.textDigest) notices.push({ kind: 'older-rule-text', id: facts.id, rule: part.rule });
  }
  for (const file of facts.files) {
    const then = receipt.files.find((earlierFile) => earlierFile.path === file.path);
    if (then !== undefined && then.link !== file.link) {
      notices.push({ kind: 'link-changed', id: facts.id, path: file.path });
    }
  }
  return notices;
}

const FILE_MODE = '100644';

/** Whether a reviewer can read the path from disk: the file exists and is not a submodule. */
export function isReadable({ headBlob, mode }: Entry): boolean {
  return headBlob !== null && mode !== SUBMODULE;
}

/**
 * Whether the mark of a passed review can apply to a changed path. Such a mark is about the content of files, so it
 * cannot apply to deletions, changed modes or submodules.
 */
export function passMarkCovers(entry: Entry): boolean {
  const hasUsualMode =
    entry.baseBlob === null ? entry.mode === FILE_MODE || entry.mode === SYMLINK : entry.baseMode === undefined;
  return isReadable(entry) && hasUsualMode;
}
