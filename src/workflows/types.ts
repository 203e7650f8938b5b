import type { Failure, Problem, ReviewTrouble, SessionEnd, SessionName } from '../kernel/failure.ts';
import type { RepoPath, SessionId } from '../kernel/ids.ts';
import type { Result } from '../kernel/result.ts';
import type { QualityReview, ReviewName, ReviewResult, StepOutputs } from './quality/types.ts';

/** A job: steps with reviewed outputs, and the workflows that order them. */
export type Job = {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** Text that every step gets with its own instructions; may be empty. */
  readonly commonInfo: string;
  readonly steps: readonly Step[];
  /** At least one. A job without workflows gets one with all its steps. */
  readonly workflows: readonly Workflow[];
  readonly folder: RepoPath;
};

/** One step of a job: its inputs, its required outputs, and their reviews. */
export type Step = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly instructionsFile: RepoPath;
  readonly inputs: readonly StepInput[];
  readonly outputs: readonly OutputSpec[];
  /** The steps that must be finished before this one starts. */
  readonly dependencies: readonly string[];
  readonly reviews: readonly QualityReview[];
};

type UserInput = { readonly kind: 'user'; readonly name: string; readonly description: string };

type FileInput = { readonly kind: 'file'; readonly output: string; readonly fromStep: string };

/** An input that the agent asks the user for, or an output of an earlier step. */
type StepInput = UserInput | FileInput;

export type OutputSpec = {
  readonly name: string;
  readonly type: 'file' | 'files';
  readonly description: string;
  readonly required: boolean;
};

/** The `run_each` value of a review that judges all outputs of a step together. */
export const WHOLE_STEP = 'step';

/** An order of steps. The steps of one group can be done in parallel. */
export type Workflow = {
  readonly name: string;
  readonly summary: string;
  readonly groups: readonly (readonly string[])[];
};

/** One execution of a workflow: the state of its steps and of their reviews. Stored as JSON. */
export type WorkflowSession = {
  readonly id: SessionId;
  readonly job: string;
  readonly workflow: string;
  readonly goal: string;
  readonly reviewer: SessionReviewer;
  /** An ISO timestamp, like all times here. */
  readonly startedAt: string;
  readonly end: SessionEnd | null;
  /** In the order of the workflow. */
  readonly steps: readonly StepState[];
};

/** The reviewer of a session: an agent that onceover calls, or a sub-agent of the author (`self`). */
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
  /** The failed reviews of the last verdict. */
  readonly failed: readonly ReviewResult[];
  /** The last instructions for a self-review. */
  readonly instructed: { readonly digest: string; readonly file: RepoPath; readonly at: string } | null;
  readonly finished: FinishedStep | null;
};

export type FinishedStep = {
  readonly at: string;
  readonly outputs: StepOutputs;
  readonly notes: string | null;
  /** The reason why the step is finished without a passed review. */
  readonly override: string | null;
};

/** A session file that cannot be read. */
export type UnreadableSession = { readonly id: string; readonly path: string };

/** Active and ended sessions. Several processes can read and change them at once. */
export interface WorkflowSessions {
  /** Resolves to all readable sessions, newest first, and to the unreadable ones. */
  all(): Promise<
    Result<{ readonly sessions: readonly WorkflowSession[]; readonly unreadable: readonly UnreadableSession[] }>
  >;
  /** Stores a new session. `taken`: the id already exists, and nothing was written. */
  create(session: WorkflowSession): Promise<Result<'created' | 'taken'>>;
  /**
   * Changes the current state of a session; no concurrent change is lost. If `change` fails, nothing is written. An
   * unreadable session is renamed.
   */
  update<T>(
    id: SessionId,
    change: (session: WorkflowSession) => Result<{ readonly session: WorkflowSession; readonly value: T }>,
  ): Promise<Result<T>>;
  /** Renames an unreadable session file and resolves to its new path; `null` if the file is gone or readable. */
  putAside(id: string): Promise<Result<string | null>>;
  /** Writes the review instructions for the outputs of a step. */
  writeInstructions(id: SessionId, step: string, text: string): Promise<Result<RepoPath>>;
}

/** A step to do now, with its inputs. */
export type BegunStep = {
  readonly session: SessionName;
  readonly step: Step;
  readonly job: Pick<Job, 'folder' | 'commonInfo'>;
  readonly inputs: readonly BegunInput[];
};

/** `paths` is empty if the earlier step did not provide an optional output. */
export type BegunInput = UserInput | (FileInput & { readonly paths: readonly string[] });

/** A started workflow, with its first steps. */
export type WorkflowStart = {
  readonly session: WorkflowSession;
  readonly begun: readonly BegunStep[];
  /** Whether the session falls back to self-review, because Claude Code is not installed and no reviewer was named. */
  readonly reviewerMissing: boolean;
};

/** The result of a request to finish a step. */
export type StepEnd = {
  /** The session after the request. */
  readonly session: WorkflowSession;
  readonly step: string;
  /** The number of reviews that ran for this request. */
  readonly judged: number;
  /** Reviews that were skipped: they already passed on the same files with the same criteria. */
  readonly skipped: readonly ReviewName[];
  readonly notices: readonly WorkflowNotice[];
} & (
  | {
      readonly kind: 'failed';
      readonly failed: readonly ReviewResult[];
      /** Other reviews, which have no verdict. */
      readonly errors: readonly ReviewTrouble[];
      readonly attempts: number;
    }
  /** The author has to review the outputs with a sub-agent, by the instructions in `file`. */
  | { readonly kind: 'instructed'; readonly file: RepoPath }
  | {
      readonly kind: 'finished';
      /** The reason why the step is finished without a passed review. */
      readonly override: string | null;
      /** The steps that start now. */
      readonly begun: readonly BegunStep[];
    }
);

/** A warning that does not change the result. */
export type WorkflowNotice = { readonly kind: 'not-in-ledger'; readonly failure: Failure };

export type SessionStatus = {
  readonly session: WorkflowSession;
  /** False if the steps of the workflow have changed since the session started, or if its job cannot be read. */
  readonly isCurrent: boolean;
  /** The steps to do now. */
  readonly open: readonly BegunStep[];
};

/** The jobs that can be started, and all sessions, newest first. */
export type OfferedWorkflows = {
  readonly jobs: readonly Job[];
  readonly problems: readonly Problem[];
  readonly sessions: readonly SessionStatus[];
  readonly unreadable: readonly UnreadableSession[];
};
