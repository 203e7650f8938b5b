import type { Job, Workflow } from '../domain/job.ts';
import type { ReviewResult } from '../domain/quality.ts';
import type {
  FinishedStep,
  SessionId,
  SessionName,
  SessionReviewer,
  StepState,
  WorkflowSession,
} from '../domain/workflow.ts';

/** A session of a workflow, with the steps of its first group begun. */
export function beginSession(given: {
  readonly id: SessionId;
  readonly job: Job;
  readonly workflow: Workflow;
  readonly goal: string;
  readonly reviewer: SessionReviewer;
  readonly now: string;
}): WorkflowSession {
  const { id, job, workflow, goal, reviewer, now } = given;
  return {
    id,
    job: job.name,
    workflow: workflow.name,
    goal,
    reviewer,
    startedAt: now,
    end: null,
    steps: workflow.groups.flatMap((group, number) =>
      group.map((step) => ({
        id: step,
        group: number,
        begunAt: number === 0 ? now : null,
        attempts: 0,
        passed: [],
        failed: [],
        instructed: null,
        finished: null,
      })),
    ),
  };
}

/** Steps that are begun and not finished. */
export function openSteps({ steps }: WorkflowSession): readonly StepState[] {
  return steps.filter(({ begunAt, finished }) => begunAt !== null && finished === null);
}

/** What a finished step leads to: the steps that begin now, or the end. */
export type StepFinished = {
  readonly session: WorkflowSession;
  /** Steps that begin now: none while others of the group are open, and none at the end. */
  readonly begun: readonly string[];
};

/** Finishes an open step; once all steps of its group are finished, those of the next begin. */
export function finishStep(session: WorkflowSession, id: string, finished: FinishedStep): StepFinished {
  const steps = changeStep(session, id, (step) => ({ ...step, finished })).steps;
  const open = steps.filter((step) => step.finished === null);
  if (open.length === 0) {
    return { session: { ...session, steps, end: { kind: 'completed', at: finished.at } }, begun: [] };
  }
  const next = Math.min(...open.map(({ group }) => group));
  const begun = open.filter(({ group, begunAt }) => group === next && begunAt === null).map((step) => step.id);
  const isBegun = (step: StepState) => begun.includes(step.id);
  return {
    session: { ...session, steps: steps.map((step) => (isBegun(step) ? { ...step, begunAt: finished.at } : step)) },
    begun,
  };
}

/** Remembers evaluations that passed. */
export function rememberPasses(session: WorkflowSession, id: string, digests: readonly string[]): WorkflowSession {
  return changeStep(session, id, (step) => ({ ...step, passed: [...new Set([...step.passed, ...digests])] }));
}

/** Remembers a verdict: an attempt, and what did not pass. */
export function rememberVerdict(
  session: WorkflowSession,
  id: string,
  failed: readonly ReviewResult[],
): WorkflowSession {
  return changeStep(session, id, (step) => ({ ...step, attempts: step.attempts + 1, failed }));
}

/** Remembers that instructions for a review were given. */
export function rememberInstructions(
  session: WorkflowSession,
  id: string,
  instructed: NonNullable<StepState['instructed']>,
): WorkflowSession {
  return changeStep(session, id, (step) => ({ ...step, instructed }));
}

export function abortSession(session: WorkflowSession, explanation: string, now: string): WorkflowSession {
  return { ...session, end: { kind: 'aborted', at: now, explanation } };
}

/** Whether the workflow is still made of the steps that the session was begun with, in the same groups. */
export function isCurrent(session: WorkflowSession, workflow: Workflow): boolean {
  const now = workflow.groups.flatMap((group, number) => group.map((id) => [id, number] as const));
  return (
    now.length === session.steps.length &&
    now.every(([id, group], i) => session.steps[i]?.id === id && session.steps[i]?.group === group)
  );
}

/** What people know a session by. */
export function nameOf({ id, job, workflow, goal }: WorkflowSession): SessionName {
  return { id, job, workflow, goal };
}

function changeStep(session: WorkflowSession, id: string, change: (step: StepState) => StepState): WorkflowSession {
  return { ...session, steps: session.steps.map((step) => (step.id === id ? change(step) : step)) };
}
