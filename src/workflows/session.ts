import type { SessionName } from '../kernel/failure.ts';
import type { SessionId } from '../kernel/ids.ts';
import type { ReviewResult } from './quality/types.ts';
import type { BegunStep, FinishedStep, Job, SessionReviewer, StepState, Workflow, WorkflowSession } from './types.ts';

/** Returns a new session of a workflow. The steps of its first group are open. */
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
    steps: workflow.groups.flatMap((steps, group) =>
      steps.map((step) => ({
        id: step,
        group,
        begunAt: group === 0 ? now : null,
        attempts: 0,
        passed: [],
        failed: [],
        instructed: null,
        finished: null,
      })),
    ),
  };
}

/** Returns the steps that have started and are not finished. */
export function openSteps({ steps }: WorkflowSession): readonly StepState[] {
  return steps.filter(({ begunAt, finished }) => begunAt !== null && finished === null);
}

/** Finishes an open step. Returns the ids of the steps that start now: those of the next group, if this one is done. */
export function finishStep(
  session: WorkflowSession,
  id: string,
  finished: FinishedStep,
): { readonly session: WorkflowSession; readonly begun: readonly string[] } {
  const { steps } = changeStep(session, id, { finished });
  const open = steps.filter((step) => step.finished === null);
  if (open.length === 0) {
    return { session: { ...session, steps, end: { kind: 'completed', at: finished.at } }, begun: [] };
  }
  const next = Math.min(...open.map(({ group }) => group));
  const begun = open.filter(({ group, begunAt }) => group === next && begunAt === null).map((step) => step.id);
  const started = steps.map((step) => (begun.includes(step.id) ? { ...step, begunAt: finished.at } : step));
  return { session: { ...session, steps: started }, begun };
}

/** Records evaluations that passed. */
export function recordPasses(session: WorkflowSession, id: string, digests: readonly string[]): WorkflowSession {
  const passed = stepState(session, id)?.passed ?? [];
  return changeStep(session, id, { passed: [...new Set([...passed, ...digests])] });
}

/** Records a verdict as one attempt, with the reviews that failed. */
export function recordVerdict(session: WorkflowSession, id: string, failed: readonly ReviewResult[]): WorkflowSession {
  return changeStep(session, id, { attempts: (stepState(session, id)?.attempts ?? 0) + 1, failed });
}

/** Records that the author got instructions for a self-review. */
export function recordInstructions(
  session: WorkflowSession,
  id: string,
  instructed: NonNullable<StepState['instructed']>,
): WorkflowSession {
  return changeStep(session, id, { instructed });
}

export function abortSession(session: WorkflowSession, explanation: string, now: string): WorkflowSession {
  return { ...session, end: { kind: 'aborted', at: now, explanation } };
}

/** Whether the workflow still has the same steps in the same groups as when the session started. */
export function isCurrent(session: WorkflowSession, workflow: Workflow): boolean {
  const now = workflow.groups.flatMap((steps, group) => steps.map((id) => ({ id, group })));
  return (
    now.length === session.steps.length &&
    now.every(({ id, group }, i) => session.steps[i]?.id === id && session.steps[i]?.group === group)
  );
}

/** Returns the fields that identify a session in messages. */
export function sessionName({ id, job, workflow, goal }: WorkflowSession): SessionName {
  return { id, job, workflow, goal };
}

/** Returns the state of a step in a session. */
export function stepState({ steps }: WorkflowSession, id: string): StepState | undefined {
  return steps.find((step) => step.id === id);
}

function changeStep(session: WorkflowSession, id: string, change: Partial<StepState>): WorkflowSession {
  return { ...session, steps: session.steps.map((step) => (step.id === id ? { ...step, ...change } : step)) };
}

/** Returns the steps with these ids, in this order, with the paths of their inputs from earlier steps. */
export function begunSteps(session: WorkflowSession, job: Job, ids: readonly string[]): readonly BegunStep[] {
  const pathsOf = (step: string, output: string): readonly string[] => {
    const outputs = stepState(session, step)?.finished?.outputs ?? {};
    const value = Object.hasOwn(outputs, output) ? outputs[output] : undefined;
    return value === undefined ? [] : typeof value === 'string' ? [value] : value;
  };
  return ids
    .flatMap((id) => job.steps.find((step) => step.id === id) ?? [])
    .map((step) => ({
      session: sessionName(session),
      step,
      job,
      inputs: step.inputs.map((input) =>
        input.kind === 'user' ? input : { ...input, paths: pathsOf(input.fromStep, input.output) },
      ),
    }));
}
