import type { Brand, RepoPath } from './brand.ts';
import type { RuleTask } from './task.ts';

/** `check:<entry>:<name>`, `review:<entry>:<name>` or `rule:<folder>:<name>[:<path>]`. */
export type GateId = string;

/** One difference between base and what is under review: deletions, modes, symlinks and submodules too. */
export type Entry = {
  readonly path: RepoPath;
  /** The mode now; of what is deleted, the mode that it had. */
  readonly mode: string;
  /** The mode at the base, where it is another. */
  readonly baseMode?: string;
  readonly baseBlob: string | null;
  readonly headBlob: string | null;
};

/** A hash over a gate's entries: two equal ones are the same thing to review. */
export type GateContent = Brand<'GateContent'>;

/** A shell command of the user's own. */
export type CheckGate = {
  readonly kind: 'check';
  readonly id: GateId;
  readonly entry: string;
  readonly name: string;
  readonly command: string;
  readonly timeoutSeconds: number | null;
  readonly entries: readonly Entry[];
};

/** A prompt that reviewers answer about entries: a review of `onceover.yml`, or a rule's task. */
export type ReviewGate = {
  readonly kind: 'review' | 'rule';
  readonly id: GateId;
  readonly entry: string;
  readonly name: string;
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
  readonly timeoutSeconds: number | null;
  readonly rubric: Rubric;
  readonly entries: readonly Entry[];
  readonly content: GateContent;
  /** The task, where the gate is a rule's. */
  readonly task: RuleTask | null;
};

export type Gate = CheckGate | ReviewGate;

/** What a reviewer is to look for: where it is written, the text, and a digest by which a change of it is noticed. */
export type Rubric = { readonly source: string; readonly text: string; readonly digest: string };
