import type { RepoPath, ReviewId } from './brand.ts';
import type { Rule } from './rule.ts';

/** A rule applied to changed files, not yet looked at. */
export type RuleTask = {
  readonly rule: Rule;
  /** The files to review, in code-point order. */
  readonly files: readonly RepoPath[];
  /** Files that the rule matches and that did not change, where the rule asks for them. */
  readonly unchangedMatching: readonly RepoPath[];
};

/** What stands in a task's hash for a file that cannot be read. */
export const MISSING = 'MISSING';

/** The contents that a task is about: one hash over all, and one a file (null: unreadable). */
export type TaskContent = { readonly hash: string; readonly files: readonly FileDigest[] };

export type FileDigest = { readonly path: RepoPath; readonly sha256: string | null; readonly link: string | null };

/** One review to do or to skip: a task, or several that share an id. */
export type ReviewTask = {
  readonly id: ReviewId;
  readonly parts: readonly [RuleTask, ...RuleTask[]];
  /** The files of all parts. */
  readonly files: readonly RepoPath[];
  readonly digests: readonly FileDigest[];
};

/** So many reference files of a rule are shown, up to so many bytes together. */
export const MOST_REFERENCES = { files: 20, bytes: 256 * 1024 } as const;

/** A reference file as it goes into an instruction file. */
export type ReferenceText = {
  readonly path: RepoPath;
  readonly description: string | null;
  readonly text: string | null;
  /** Why some or all of it is left out. */
  readonly leftOut: 'cut' | 'too-many' | 'unusable' | null;
};

/** What a reviewer is given besides the files to review. */
export type TaskContext = {
  readonly allChanged: readonly RepoPath[];
  readonly references: ReadonlyMap<RuleTask, readonly ReferenceText[]>;
};
