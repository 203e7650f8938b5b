import type { RepoPath, ReviewId } from './brand.ts';
import type { Problem } from './problem.ts';
import type { ReviewTask } from './task.ts';

/** Whether a review is to be done, and why not if not. */
export type TaskDecision =
  | { readonly kind: 'write'; readonly task: ReviewTask; readonly why: WriteReason }
  | { readonly kind: 'skip'; readonly task: ReviewTask; readonly why: 'unchanged-since-pass' };

/** `pass-does-not-match`: a pass is on record, but not for just this rule, these paths and this context (strict). */
export type WriteReason = 'not-passed' | 'pass-does-not-match';

/** Something to know that does not stop the work. */
export type Notice =
  | { readonly kind: 'problem'; readonly problem: Problem }
  | { readonly kind: 'tracked-pass'; readonly id: ReviewId }
  | { readonly kind: 'older-rule-text'; readonly id: ReviewId; readonly rule: string }
  | { readonly kind: 'link-changed'; readonly id: ReviewId; readonly path: RepoPath }
  | { readonly kind: 'not-cacheable'; readonly id: ReviewId }
  | { readonly kind: 'marker-not-a-file'; readonly id: ReviewId }
  | { readonly kind: 'submodule'; readonly path: RepoPath }
  | { readonly kind: 'unnameable'; readonly name: string }
  | { readonly kind: 'withheld'; readonly path: RepoPath }
  | { readonly kind: 'no-such-file'; readonly path: RepoPath }
  | { readonly kind: 'deleted-file'; readonly path: RepoPath }
  | { readonly kind: 'tracked-log-dir'; readonly logDir: string }
  | { readonly kind: 'list-ignored'; readonly first: string }
  | { readonly kind: 'generated-file'; readonly path: RepoPath }
  | UnusableReference;

/** A reference file of a rule that no reviewer can be shown. */
export type UnusableReference = {
  readonly kind: 'reference-unusable';
  readonly rule: string;
  readonly path: RepoPath;
  readonly why: string;
};

/** Which changed files the instructions speak of. */
type Selection =
  | { readonly kind: 'changed'; readonly base: string | null; readonly count: number }
  | { readonly kind: 'listed'; readonly count: number };

/** What `instructions` found and wrote. */
export type InstructionsOutcome = {
  readonly selection: Selection;
  readonly ruleCount: number;
  readonly written: readonly WrittenTask[];
  readonly skipped: readonly ReviewTask[];
  readonly notices: readonly Notice[];
};

export type WrittenTask = { readonly task: ReviewTask; readonly file: RepoPath; readonly why: WriteReason };
