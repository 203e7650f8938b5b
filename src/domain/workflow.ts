import type { Brand, RepoPath } from './brand.ts';
import type { ReviewResult, StepOutputs } from './quality.ts';

/** The name of a workflow that somebody works through; part of file names. */
export type SessionId = Brand<'SessionId'>;

/** A workflow that somebody works through: what was begun, what was finished and how that was judged. */
export type WorkflowSession = {
  readonly id: SessionId;
  readonly job: string;
  readonly workflow: string;
  readonly goal: string;
  readonly reviewer: SessionReviewer;
  /** In ISO form, as all times here. */
  readonly startedAt: string;
  readonly end: SessionEnd | null;
  /** In the order of the workflow. */
  readonly steps: readonly StepState[];
};

/** Who judges the outputs: an agent that is started for it, or whoever made them, with a sub-agent. */
export type SessionReviewer = { readonly kind: 'agent'; readonly name: string } | { readonly kind: 'self' };

export type SessionEnd =
  | { readonly kind: 'completed'; readonly at: string }
  | { readonly kind: 'aborted'; readonly at: string; readonly explanation: string };

/** Where a step stands. */
export type StepState = {
  readonly id: string;
  /** Which group of the workflow it belongs to, from 0. */
  readonly group: number;
  readonly begunAt: string | null;
  /** How often its outputs got a verdict. */
  readonly attempts: number;
  /** Digests of the evaluations that passed: of files and criteria together. */
  readonly passed: readonly string[];
  /** What did not pass when there was a verdict last. */
  readonly failed: readonly ReviewResult[];
  /** The last instructions for a review by whoever made the outputs. */
  readonly instructed: { readonly digest: string; readonly file: RepoPath; readonly at: string } | null;
  readonly finished: FinishedStep | null;
};

export type FinishedStep = {
  readonly at: string;
  readonly outputs: StepOutputs;
  readonly notes: string | null;
  /** Why it counts as finished although no reviewer passed it. */
  readonly override: string | null;
};

/** What is left to say of a session that may be meant. */
export type SessionName = Pick<WorkflowSession, 'id' | 'job' | 'workflow' | 'goal'>;

/** A file with a session that cannot be read. */
export type UnreadableSession = { readonly id: string; readonly path: string };
