import type { RepoPath } from '../domain/brand.ts';
import type { Job, Step } from '../domain/job.ts';
import type { Clock, Contents, WorkflowSessions } from '../domain/ports.ts';
import type { StepOutputs } from '../domain/quality.ts';
import type { Result } from '../domain/result.ts';
import type { SessionId, SessionReviewer, WorkflowSession } from '../domain/workflow.ts';
import type { OutputJudge } from '../domain/workflow-outcome.ts';
import type { GivenOutputs } from '../plan/check-outputs.ts';
import type { StepName } from '../plan/step-cost.ts';

/** What working through a workflow reaches of the world. */
export type WorkflowPorts = {
  readonly root: string;
  readonly sessions: WorkflowSessions;
  /** The files as they are from now on. */
  contents(): Contents;
  readonly clock: Clock;
  newId(): SessionId;
  /** A job by its name, as it is written now. */
  job(name: string): Promise<Result<Job>>;
  /** Whoever judges: an agent that may be started, or nobody but whoever made the outputs. */
  judge(reviewer: SessionReviewer, about: StepName): Promise<Result<OutputJudge>>;
  /** Where a path that somebody gave leads, from the root; null: outside. */
  locate(path: string): RepoPath | null;
  /** Hears of each review that has ended: how many of how many. */
  progress(done: number, of: number): void;
};

/** Which session is meant: one that is named, or one that the same caller began. */
export type AskedSession = { readonly named: string | null; readonly own: SessionId | null };

export type FinishRequest = AskedSession & {
  readonly step: string | null;
  readonly outputs: GivenOutputs;
  readonly notes: string | null;
  readonly override: string | null;
  /** The agent that is to review from now on; null: as the session says. */
  readonly reviewer: string | null;
};

/** The step, as the ledger names it. */
export function stepName({ session, step }: Pick<FinishingStep, 'session' | 'step'>): StepName {
  return { job: session.job, session: session.id, step: step.id };
}

/** A step that somebody says is finished, with its outputs where they are. */
export type FinishingStep = {
  readonly session: WorkflowSession;
  readonly job: Job;
  readonly step: Step;
  readonly reviewer: SessionReviewer;
  readonly outputs: StepOutputs;
  /** Digests of what the files hold, by their paths. */
  readonly digests: ReadonlyMap<string, string>;
  readonly notes: string | null;
};
