import type { Job, Step } from '../domain/job.ts';
import { inOrder } from '../domain/step-order.ts';
import { checkJob } from './check-job.ts';
import { type JobDocument, jobSchema } from './job-schema.ts';
import { checkShape, type PlacedProblem, readYaml } from './yaml-file.ts';

type At = { readonly line: number; readonly column: number };

/** A job as its file has it: instructions are still paths. */
export type ParsedJob = Omit<Job, 'steps' | 'folder'> & {
  readonly nameAt: At;
  readonly steps: readonly (Omit<Step, 'instructions' | 'instructionsFile'> & {
    readonly instructionsFile: { readonly path: string } & At;
  })[];
};

/** Reads the text of a `job.yml`: all of it, or what is wrong with it. */
export function parseJob(
  text: string,
):
  | { readonly ok: true; readonly job: ParsedJob }
  | { readonly ok: false; readonly problems: readonly PlacedProblem[] } {
  const read = readYaml(text);
  if (!read.ok) return read;
  const checked = checkShape(jobSchema, read.value ?? {}, read.yaml);
  if (!checked.ok) return checked;
  const { place } = read.yaml;
  const problems = checkJob(checked.value, place);
  if (problems.length > 0) return { ok: false, problems };
  const { name, version, summary, steps, ...more } = checked.value;
  return {
    ok: true,
    job: {
      name,
      nameAt: place(['name']),
      version,
      summary,
      commonInfo: more.common_job_info_provided_to_all_steps_at_runtime.trim(),
      workflows: workflowsOf(checked.value),
      steps: steps.map((step, i) => ({
        id: step.id,
        name: step.name,
        description: step.description,
        dependencies: [...new Set(step.dependencies)],
        instructionsFile: { path: step.instructions_file, ...place(['steps', i, 'instructions_file']) },
        inputs: step.inputs.map((input) =>
          'file' in input
            ? { kind: 'file', output: input.file, fromStep: input.from_step }
            : { kind: 'user', name: input.name, description: input.description },
        ),
        outputs: Object.entries(step.outputs).map(([output, spec]) => ({ name: output, ...spec })),
        reviews: step.reviews.map((review) => ({
          runEach: review.run_each,
          criteria: review.quality_criteria,
          guidance: review.additional_review_guidance ?? null,
        })),
      })),
    },
  };
}

function workflowsOf({ name, summary, steps, workflows }: JobDocument): Job['workflows'] {
  if (workflows.length === 0) return [{ name, summary, groups: inOrder(steps).map((id) => [id]) }];
  return workflows.map((workflow) => ({
    name: workflow.name,
    summary: workflow.summary,
    groups: workflow.steps.map((entry) => (typeof entry === 'string' ? [entry] : entry)),
  }));
}
