import type { JobProblem, PlacedProblem } from '@onceover/base/kernel/failure';
import type { YamlFile } from '@onceover/repo/config/yaml';
import * as z from 'zod';
import { WHOLE_STEP } from '../quality/types.ts';

/**
 * Returns the wanted steps and all steps that they depend on. Each step comes after its dependencies; otherwise the
 * given order is kept. `cycle` is a dependency cycle, such as a, b, a; `null` if there is none.
 */
export function orderSteps(
  steps: readonly Pick<JobDocument['steps'][number], 'id' | 'dependencies'>[],
  ids: readonly string[] = steps.map(({ id }) => id),
): { readonly order: readonly string[]; readonly cycle: readonly string[] | null } {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const order = new Set<string>();
  let cycle: readonly string[] | null = null;
  const visit = (id: string, path: readonly string[]): void => {
    const at = path.indexOf(id);
    if (at !== -1) cycle ??= [...path.slice(at), id];
    const step = byId.get(id);
    if (at !== -1 || step === undefined || order.has(id)) return;
    for (const dependency of step.dependencies) visit(dependency, [...path, id]);
    order.add(id);
  };
  for (const id of ids) visit(id, []);
  return { order: [...order], cycle };
}

type Report = (path: readonly PropertyKey[], what: JobProblem, at?: 'key') => void;

/**
 * Returns the problems of a job that its schema cannot find: duplicate or unknown names, and steps that can never
 * start.
 */
export function checkJob(job: JobDocument, place: YamlFile['place']): readonly PlacedProblem[] {
  const problems: PlacedProblem[] = [];
  const report: Report = (path, problem, at) => problems.push({ ...place(path, at), what: problem });
  const { steps, workflows } = job;
  for (const [i, step] of steps.entries()) {
    const first = steps.findIndex(({ id }) => id === step.id);
    const { line } = place(['steps', first, 'id']);
    if (first < i) report(['steps', i, 'id'], { kind: 'duplicate-step', id: step.id, line });
    checkStep(job, step, (path, problem, at) => report(['steps', i, ...path], problem, at));
  }
  const { cycle } = orderSteps(steps);
  if (cycle !== null) {
    const i = steps.findIndex(({ id }) => id === cycle[0]);
    const j = steps[i]?.dependencies.indexOf(cycle[1] ?? '') ?? 0;
    report(['steps', i, 'dependencies', j], { kind: 'dependency-cycle', steps: cycle });
  }
  for (const [i, workflow] of workflows.entries()) {
    const first = workflows.findIndex(({ name }) => name === workflow.name);
    const { line } = place(['workflows', first, 'name']);
    if (first < i) report(['workflows', i, 'name'], { kind: 'duplicate-workflow', name: workflow.name, line });
    checkOrder(job, workflow, (path, problem) => report(['workflows', i, 'steps', ...path], problem));
  }
  return problems.sort((a, b) => a.line - b.line || a.column - b.column);
}

function checkStep(job: JobDocument, step: JobDocument['steps'][number], report: Report): void {
  for (const [j, id] of step.dependencies.entries()) {
    if (!isStep(job, id)) report(['dependencies', j], unknownStep(job, id));
  }
  if (Object.hasOwn(step.outputs, WHOLE_STEP)) {
    report(['outputs', WHOLE_STEP], { kind: 'reserved-output', name: WHOLE_STEP }, 'key');
  }
  const outputNames = [WHOLE_STEP, ...Object.keys(step.outputs)];
  for (const [j, { run_each: output, quality_criteria }] of step.reviews.entries()) {
    if (!outputNames.includes(output)) {
      report(['reviews', j, 'run_each'], { kind: 'unknown-output', step: step.id, output, known: outputNames });
    }
    if (Object.keys(quality_criteria).length === 0) {
      report(['reviews', j, 'quality_criteria'], { kind: 'no-criteria' });
    }
  }
  const ancestors = orderSteps(job.steps, step.dependencies).order;
  for (const [j, input] of step.inputs.entries()) {
    if (!('file' in input)) continue;
    const { file: output, from_step: from } = input;
    const source = job.steps.find(({ id }) => id === from);
    if (source === undefined) report(['inputs', j, 'from_step'], unknownStep(job, from));
    else if (!ancestors.includes(from)) {
      report(['inputs', j, 'from_step'], { kind: 'input-of-no-dependency', step: step.id, from });
    } else if (!Object.hasOwn(source.outputs, output)) {
      const names = Object.keys(source.outputs);
      report(['inputs', j, 'file'], { kind: 'unknown-output', step: from, output, known: names });
    }
  }
}

/**
 * Reports steps of a workflow that are unknown, listed twice, or not in a later group than the steps that they depend
 * on.
 */
function checkOrder(job: JobDocument, { name, steps }: JobDocument['workflows'][number], report: Report): void {
  const groups = steps.map((entry) => [entry].flat());
  const visitedIds = new Set<string>();
  for (const [g, group] of groups.entries()) {
    for (const [k, id] of group.entries()) {
      const path = [g, k];
      if (visitedIds.has(id)) report(path, { kind: 'step-twice', workflow: name, step: id });
      else if (!isStep(job, id)) report(path, unknownStep(job, id));
      else {
        for (const needs of job.steps.find((step) => step.id === id)?.dependencies ?? []) {
          const at = groups.findIndex((candidate) => candidate.includes(needs));
          if (!isStep(job, needs) || needs === id || (at !== -1 && at < g)) continue;
          const why = at === -1 ? 'left-out' : at === g ? 'same-group' : 'later';
          report(path, { kind: 'step-out-of-order', workflow: name, step: id, needs, why });
        }
      }
      visitedIds.add(id);
    }
  }
}

function isStep({ steps }: JobDocument, id: string): boolean {
  return steps.some((step) => step.id === id);
}

function unknownStep({ steps }: JobDocument, id: string): JobProblem {
  return { kind: 'unknown-step', id, known: [...new Set(steps.map((step) => step.id))] };
}

// Limit the length of names, because they become parts of file names such as `quality_review_<session>_<step>.md`.
const name = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9_]*$/, 'must begin with a lower-case letter and have only lower-case letters, digits and "_"');

const text = z.string().trim().min(1);

const outputName = z
  .string()
  .min(1)
  .max(128)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9 _./-]*$/,
    'must begin with a letter or digit and have only letters, digits and " _./-"',
  );

const inputSchema = z
  .union(
    [
      z.strictObject({ name: text, description: text }),
      z.strictObject({
        file: text,
        from_step: z.string().describe('The step that has this output; must be a dependency.'),
      }),
    ],
    {
      error:
        'must be {name, description} for an input from the user, or {file, from_step} for an output of an earlier step',
    },
  )
  .describe('An input of the step: from the user, or an output of an earlier step.');

const outputSchema = z.strictObject({
  type: z.enum(['file', 'files']).describe('One file, or a list of files.'),
  description: text.describe('The content of the output.'),
  required: z.boolean().default(true).describe('Whether the output is needed to finish the step.'),
});

const reviewSchema = z.strictObject({
  run_each: text.describe('"step": one review of all outputs. The name of an output: one review per file of it.'),
  quality_criteria: z
    .record(text, text)
    .describe('Criteria by name, each with a question. The criterion passes if the answer is yes.'),
  additional_review_guidance: text.optional().describe('More context for the reviewer.'),
});

const stepSchema = z.strictObject({
  id: name,
  name: text,
  description: text,
  instructions_file: text.describe('A Markdown file with the instructions, in the folder of this file.'),
  inputs: z.array(inputSchema).default([]),
  outputs: z.record(outputName, outputSchema).default({}).describe('The outputs by name.'),
  dependencies: z.array(z.string()).default([]).describe('Steps that must be finished before this one.'),
  reviews: z.array(reviewSchema).default([]).describe('Reviews that the outputs must pass to finish the step.'),
});

const workflowSchema = z.strictObject({
  name,
  summary: text,
  steps: z
    .array(
      z.union([z.string(), z.array(z.string()).min(1)], {
        error: 'must be the id of a step, or a list of ids of steps that can be done in parallel',
      }),
    )
    .min(1)
    .describe('The ids of the steps in order. A list of ids is a group of steps that can be done in parallel.'),
});

/** The schema of `.deepwork/jobs/<job>/job.yml`, which users write. */
export const jobSchema = z
  .strictObject({
    name: name.describe('The name of the folder that contains this file.'),
    version: z.string().min(1).describe('For example "1.0.0".'),
    summary: text.max(200),
    common_job_info_provided_to_all_steps_at_runtime: z
      .string()
      .trim()
      .default('')
      .describe('Text that every step gets with its own instructions.'),
    steps: z.array(stepSchema).min(1),
    workflows: z
      .array(workflowSchema)
      .default([])
      .describe('Orders of steps. Default: one workflow with all steps, each after its dependencies.'),
  })
  .describe('A job: steps with reviewed outputs, and the workflows that order them.');

export type JobDocument = z.output<typeof jobSchema>;
