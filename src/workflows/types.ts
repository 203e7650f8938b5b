import type { Failure, Problem, ReviewTrouble, SessionEnd } from '../kernel/failure.ts';
import type { RepoPath, SessionId } from '../kernel/ids.ts';
import type { JobDocument } from './config/check.ts';
import type { BegunStep } from './json-schema.ts';
import type { ReviewName, ReviewResult, StepOutputs } from './quality/types.ts';

/** A job as in `job.yml`, with at least one workflow. `folder` is the folder of the file. */
export type Job = Omit<JobDocument, 'steps' | 'workflows'> & {
  readonly steps: readonly Step[];
  readonly workflows: readonly Workflow[];
  readonly folder: RepoPath;
};

/** A workflow: groups of steps, in order. The steps of one group can be done in parallel. */
export type Workflow = Omit<JobDocument['workflows'][number], 'steps'> & {
  readonly steps: readonly (readonly string[])[];
};

/** A step as in `job.yml`, with its instructions. `instructions_file` is a path relative to the repository root. */
export type Step = JobDocument['steps'][number] & { readonly instructions: string };

/** One execution of a workflow: the state of its steps and of their reviews. Stored as JSON. */
export type WorkflowSession = {
  readonly id: SessionId;
  readonly job: string;
  readonly workflow: string;
  readonly goal: string;
  readonly reviewer: SessionReviewer;
  /** An ISO timestamp, like all times of a session. */
  readonly startedAt: string;
  readonly end: SessionEnd | null;
  /** The steps, in the order of the workflow. */
  readonly steps: readonly StepState[];
};

/** The reviewer: an agent that onceover calls or, for `self`, a sub-agent of the agent that does the steps. */
export type SessionReviewer = { readonly kind: 'agent'; readonly name: string } | { readonly kind: 'self' };

/** The state of a step in a session. */
export type StepState = {
  readonly id: string;
  /** The index of the step's group in the workflow. */
  readonly group: number;
  readonly begunAt: string | null;
  /** How many times the outputs got a verdict. */
  readonly attempts: number;
  /** Digests of the evaluations that passed. A digest covers files and criteria. */
  readonly passed: readonly string[];
  /** The reviews that failed in the last attempt. */
  readonly failed: readonly ReviewResult[];
  /** The last instructions for a self-review; `null` if none were written. */
  readonly instructed: { readonly digest: string; readonly file: RepoPath; readonly at: string } | null;
  readonly finished: {
    readonly at: string;
    readonly outputs: StepOutputs;
    readonly notes: string | null;
    /** The reason for finishing the step without a passed review; `null` if none was needed. */
    readonly override: string | null;
  } | null;
};

/** A new session of a workflow, with its first steps. */
export type WorkflowStart = {
  readonly session: WorkflowSession;
  readonly begun: readonly BegunStep[];
  /** Whether the session falls back to self-review, because Claude Code is not installed and no reviewer was named. */
  readonly reviewerMissing: boolean;
};

/** The result of a request to finish a step. */
export type StepEnd = {
  /** `failed`: a review did not pass. `instructed`: the author has to review the outputs with a sub-agent first. */
  readonly kind: 'finished' | 'failed' | 'instructed';
  /** `session` and `step` have the state after the request. */
  readonly session: WorkflowSession;
  readonly step: StepState;
  /** The number of reviews that gave a verdict for this request. */
  readonly judged: number;
  /** Reviews that were skipped: they already passed on the same files with the same criteria. */
  readonly skipped: readonly ReviewName[];
  /** Reviews that ended without a verdict. The list is empty unless another review of the same request failed. */
  readonly errors: readonly ReviewTrouble[];
  /** The steps that this request started. */
  readonly begun: readonly BegunStep[];
  /** The error if the cost of the reviews could not be written to the ledger. The result is valid in any case. */
  readonly notInLedger: Failure | null;
};

export type SessionStatus = {
  readonly session: WorkflowSession;
  /** False if the steps of the workflow have changed since the session started, or if its job cannot be read. */
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
