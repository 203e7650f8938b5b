import type { Job } from '../domain/job.ts';
import type { WorkflowSession } from '../domain/workflow.ts';
import type { BegunStep } from '../domain/workflow-outcome.ts';
import { nameOf } from './workflow-session.ts';

/** Steps with the paths of what earlier steps made for them. */
export function begunSteps(session: WorkflowSession, job: Job, ids: readonly string[]): readonly BegunStep[] {
  const pathsOf = (step: string, output: string): readonly string[] => {
    const outputs = session.steps.find(({ id }) => id === step)?.finished?.outputs ?? {};
    const value = Object.hasOwn(outputs, output) ? outputs[output] : undefined;
    return value === undefined ? [] : typeof value === 'string' ? [value] : value;
  };
  return job.steps
    .filter(({ id }) => ids.includes(id))
    .sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
    .map((step) => ({
      session: nameOf(session),
      step,
      job,
      inputs: step.inputs.map((input) =>
        input.kind === 'user' ? input : { ...input, paths: pathsOf(input.fromStep, input.output) },
      ),
    }));
}
