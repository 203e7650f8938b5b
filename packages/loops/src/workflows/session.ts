import type { SessionName } from '@onceover/base/kernel/failure';
import type { BegunStep } from './json-schema.ts';
import type { ReviewResult } from './quality/types.ts';
import type { Job, StepState, Workflow, WorkflowSession } from './types.ts';

/** Returns a new session of a workflow, in which the steps of the first group have started. */
export function beginSession(
  workflow: Workflow,
  fields: Pick<WorkflowSession, 'id' | 'job' | 'goal' | 'reviewer' | 'startedAt'>,
): WorkflowSession {
  const state = { attempts: 0, passed: [], failed: [], instructed: null, finished: null };
  const steps = workflow.steps.flatMap((ids, group) =>
    ids.map((id) => ({ id, group, begunAt: group === 0 ? fields.startedAt : null, ...state })),
  );
  return { ...fields, workflow: workflow.name, end: null, steps };
}

/** Returns the steps that have started but are not finished. */
export function openSteps({ steps }: WorkflowSession): readonly StepState[] {
  return steps.filter(({ begunAt, finished }) => begunAt !== null && finished === null);
}

/** Finishes an open step. If it was the last open step of its group, the steps of the next group start. */
export function finishStep(
  session: WorkflowSession,
  id: string,
  completion: NonNullable<StepState['finished']>,
): WorkflowSession {
  const { at } = completion;
  const { steps } = changeStep(session, id, { finished: completion });
  const remainingSteps = steps.filter((step) => step.finished === null);
  if (remainingSteps.length === 0) return { ...session, steps, end: { kind: 'completed', at } };
  const current = Math.min(...remainingSteps.map(({ group }) => group));
  return {
    ...session,
    steps: steps.map((step) => (step.group === current ? { ...step, begunAt: step.begunAt ?? at } : step)),
  };
}

/** Stores the digest of a review that passed, so that the next attempt skips the same review. */
export function recordPass(session: WorkflowSession, id: string, digest: string): WorkflowSession {
  const { passed } = stepState(session, id);
  return changeStep(session, id, { passed: [...new Set([...passed, digest])] });
}

/** Counts one more attempt of a step, and stores its failed reviews. `failedReviews` is empty if all reviews passed. */
export function recordVerdict(
  session: WorkflowSession,
  id: string,
  failedReviews: readonly ReviewResult[],
): WorkflowSession {
  return changeStep(session, id, { attempts: stepState(session, id).attempts + 1, failed: failedReviews });
}

export function changeStep(session: WorkflowSession, id: string, change: Partial<StepState>): WorkflowSession {
  return { ...session, steps: session.steps.map((step) => (step.id === id ? { ...step, ...change } : step)) };
}

/** Returns the state of a step. Throws if the session has no such step. */
export function stepState({ steps }: WorkflowSession, id: string): StepState {
  const state = steps.find((step) => step.id === id);
  if (state === undefined) throw new Error(`the session has no step ${id}`);
  return state;
}

/** Whether the workflow still has the same steps in the same groups as when the session started. */
export function isCurrent(session: WorkflowSession, workflow: Workflow): boolean {
  const now = workflow.steps.flatMap((steps, group) => steps.map((id) => ({ id, group })));
  return (
    now.length === session.steps.length &&
    now.every(({ id, group }, i) => session.steps[i]?.id === id && session.steps[i]?.group === group)
  );
}

/** Returns the fields that identify a session in messages. */
export function sessionName({ id, job, workflow, goal }: WorkflowSession): SessionName {
  return { id, job, workflow, goal };
}

/** Returns everything that is needed to do these steps, including the paths of their inputs from earlier steps. */
export function begunSteps(session: WorkflowSession, job: Job, steps = openSteps(session)): readonly BegunStep[] {
  return steps
    .flatMap(({ id }) => job.steps.find((step) => step.id === id) ?? [])
    .map((step) => ({
      session_id: session.id,
      step_id: step.id,
      name: step.name,
      description: step.description,
      goal: session.goal,
      job_dir: job.folder,
      common_info: job.common_job_info_provided_to_all_steps_at_runtime,
      instructions: step.instructions,
      instructions_file: step.instructions_file,
      inputs: step.inputs.map((input) =>
        'file' in input
          ? { name: input.file, description: null, from_step: input.from_step, paths: pathsOf(session, input) }
          : { ...input, from_step: null, paths: [] },
      ),
      outputs: Object.entries(step.outputs).map(([name, spec]) => ({ name, ...spec })),
      reviews: step.reviews.map((review) => ({
        ...review,
        additional_review_guidance: review.additional_review_guidance ?? null,
      })),
    }));
}

function pathsOf({ steps }: WorkflowSession, input: { readonly file: string; readonly from_step: string }): string[] {
  const outputs = steps.find(({ id }) => id === input.from_step)?.finished?.outputs ?? {};
  const value = Object.hasOwn(outputs, input.file) ? outputs[input.file] : undefined;
  return value === undefined ? [] : [value].flat();
}
