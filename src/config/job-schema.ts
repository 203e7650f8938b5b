import * as z from 'zod';

const NAME = /^[a-z][a-z0-9_]*$/;
const NAME_RULE = 'must begin with a lower-case letter and have only lower-case letters, digits and "_"';
/** Part of file names, beside the id of a session. */
const LONGEST_NAME = 64;

const name = z.string().max(LONGEST_NAME).regex(NAME, NAME_RULE);
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
      z.strictObject({ file: text, from_step: z.string().describe('The step whose output it is; a dependency.') }),
    ],
    {
      error:
        'must be {name, description} for something that the user is asked for, or {file, from_step} for an output of an earlier step',
    },
  )
  .describe('What the step works with: from the user, or an output of an earlier step.');

const outputSchema = z.strictObject({
  type: z.enum(['file', 'files']).describe('One file, or a list of them.'),
  description: text.describe('What is in it.'),
  required: z.boolean().default(true).describe('Whether the step may be finished without it.'),
});

const reviewSchema = z.strictObject({
  run_each: text.describe('"step": all outputs together. The name of an output: each of its files by itself.'),
  quality_criteria: z
    .record(text, text)
    .describe('Names of criteria, each with the question that must be answered with yes.'),
  additional_review_guidance: text.optional().describe('What else a reviewer should know.'),
});

const stepSchema = z.strictObject({
  id: name,
  name: text,
  description: text,
  instructions_file: text.describe('What to do, as Markdown; relative to the folder of this file, and inside it.'),
  inputs: z.array(inputSchema).default([]),
  outputs: z.record(outputName, outputSchema).default({}).describe('Names of outputs, and what each is.'),
  dependencies: z.array(z.string()).default([]).describe('Steps that must be finished before.'),
  reviews: z.array(reviewSchema).default([]).describe('How the outputs are judged before the step counts as finished.'),
});

const workflowSchema = z.strictObject({
  name,
  summary: text,
  steps: z
    .array(
      z.union([z.string(), z.array(z.string()).min(1)], {
        error: 'must be the id of a step, or a list of ids of steps that may be done at the same time',
      }),
    )
    .min(1)
    .describe('The ids of steps in their order; a list: steps that may be done at the same time.'),
});

/** A `.deepwork/jobs/<job>/job.yml` as people write it. */
export const jobSchema = z
  .strictObject({
    name: name.describe('The name of the folder that this file is in.'),
    version: z.string().min(1).describe('For example "1.0.0".'),
    summary: text.max(200),
    common_job_info_provided_to_all_steps_at_runtime: z
      .string()
      .default('')
      .describe('What every step is told beside its own instructions.'),
    steps: z.array(stepSchema).min(1),
    workflows: z
      .array(workflowSchema)
      .default([])
      .describe('Orders of steps. None: one workflow of all steps, each after those that it depends on.'),
  })
  .describe('A job: steps whose outputs are judged by criteria, and the orders in which they are done.');

export type JobDocument = z.output<typeof jobSchema>;
