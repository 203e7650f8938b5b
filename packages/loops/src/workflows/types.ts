import type { Failure, Problem, ReviewTrouble, SessionEnd } from '@onceover/base/kernel/failure';
import type { RepoPath, SessionId } from '@onceover/base/kernel/ids';
import type { JobDocument } from './config/check.ts';
import type { BegunStep } from './json-schema.ts';
import type { ReviewName, ReviewResult, StepOutputs } from './quality/types.ts';

/** A job as defined in `job.yml`, with at least one workflow. `folder` is the folder of that file. */
export type Job = Omit<JobDocument, 'steps' | 'workflows'> & {
  readonly steps: readonly Step[];
  readonly workflows: readonly Workflow[];
  readonly folder: RepoPath;
};

/** A workflow: groups of steps in their order. The steps of one group can be done in parallel. */
export type Workflow = Omit<JobDocument['workflows'][number], 'steps'> & {
  readonly steps: readonly (readonly string[])[];
};

/**
 * A step as defined in `job.yml`, with its instructions. `instructions_file` is a path relative to the repository root.
 */
export type Step = JobDocument['steps'][number] & { readonly instructions: string };

/** One execution of a workflow, with the state of its steps and of their reviews. It is stored as JSON. */
export type WorkflowSession = {
  readonly id: SessionId;
  readonly job: string;
  readonly workflow: string;
  readonly goal: string;
  readonly reviewer: SessionReviewer;
  /** An ISO timestamp, like all times in a session. */
  readonly startedAt: string;
  readonly end: SessionEnd | null;
  /** The steps, in the order of the workflow. */
  readonly steps: readonly StepState[];
};

/** The reviewer: an agent that onceover calls or, for `self`, a sub-agent of the agent that works on the steps. */
export type SessionReviewer = { readonly kind: 'agent'; readonly name: string } | { readonly kind: 'self' };

/** The state of a step in a session. */
export type StepState = {
  readonly id: string;
  /** The index of the step's group in the workflow. */
  readonly group: number;
  readonly begunAt: string | null;
  /** How many times reviewers gave a verdict on the outputs. */
  readonly attempts: number;
  /** Digests of the reviews that passed. A digest covers the files and the criteria. */
  readonly passed: readonly string[];
  /** The reviews that failed in the last attempt. */
  readonly failed: readonly ReviewResult[];
  /** The last instructions for a self-review; `null` if none were written. */
  readonly instructed: { readonly digest: string; readonly file: RepoPath; readonly at: string } | null;
  readonly finished: {
    readonly at: string;
    readonly outputs: StepOutputs;
    readonly notes: string | null;
    /** The caller's reason to finish the step without a passed review; `null` if none was needed. */
    readonly override: string | null;
  } | null;
};

/** A new session of a workflow, with its first steps. */
export type WorkflowStart = {
  readonly session: WorkflowSession;
  readonly begun: readonly BegunStep[];
  /**
   * Whether the agent itself has to review the outputs because Claude Code is not installed and no reviewer was named.
   */
  readonly reviewerMissing: boolean;
};

/** The result of an attempt to finish a step. */
export type StepEnd = {
  /**
   * `failed`: a review did not pass. `instructed`: the author of the outputs first has to let a sub-agent review them.
   */
  readonly kind: 'finished' | 'failed' | 'instructed';
  /** The session as it is after this attempt. The same is true of the step in `step`. */
  readonly session: WorkflowSession;
  readonly step: StepState;
  /** The number of reviews that gave a verdict in this attempt. */
  readonly judged: number;
  /** Reviews that were skipped, because they passed before on the same files with the same criteria. */
  readonly skipped: readonly ReviewName[];
  /**
   * Reviews that ended without a verdict. They are listed here only if another review failed; if none failed, the
   * attempt itself is an error.
   */
  readonly errors: readonly ReviewTrouble[];
  /** The steps that this attempt started. */
  readonly begun: readonly BegunStep[];
  /**
   * The error if the cost of the reviews could not be written to the ledger (the log of all calls). It does not affect
   * the result.
   */
  readonly notInLedger: Failure | null;
};

export type SessionStatus = {
  readonly session: WorkflowSession;
  /** False if the steps of the workflow have changed since the session started, or if the job cannot be read. */
  readonly isCurrent: boolean;
  /** The steps to do now. */
  readonly open: readonly BegunStep[];
};

/** A session whose file is damaged. */
export type UnreadableSession = { readonly id: string; readonly path: string };

/** The jobs that can be started, the problems of the other jobs, and all sessions, newest first. */
export type OfferedWorkflows = {
  readonly jobs: readonly Job[];
  readonly problems: readonly Problem[];
  readonly sessions: readonly SessionStatus[];
  readonly unreadable: readonly UnreadableSession[];
};
