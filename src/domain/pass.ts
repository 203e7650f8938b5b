import type { RepoPath, ReviewId } from './brand.ts';
import type { FileDigest } from './task.ts';

/** What a task was when its instructions were written: kept so that a later pass can be tied to it. */
export type TaskFacts = {
  readonly id: ReviewId;
  readonly parts: readonly RuleFacts[];
  readonly files: readonly FileDigest[];
  /** The version of the text around the rule's own instructions. */
  readonly promptVersion: number;
};

export type RuleFacts = {
  readonly source: RepoPath;
  readonly rule: string;
  readonly textDigest: string;
  readonly contextDigest: string;
};

/** Who said that a review passed, when, and what they had been given. */
export type MarkReceipt = TaskFacts & { readonly by: 'mcp' | 'cli' | 'library' | 'run'; readonly at: string };

/** A pass that is on record for a review. */
export type Mark = {
  /** Committed with the repository: somebody else may have set it. */
  readonly tracked: boolean;
  readonly receipt: MarkReceipt | null;
};
