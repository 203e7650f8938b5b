import * as z from 'zod';

const outputs = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .describe('Paths relative to the root, by output name.');

const reviewName = {
  review_run_each: z
    .string()
    .describe('What was reviewed: "step" for all outputs together; otherwise the name of the output.'),
  target_file: z.string().nullable().describe('The file that was judged; null if all outputs were judged together.'),
};

const failedReview = z.object({
  ...reviewName,
  passed: z.boolean(),
  feedback: z.string(),
  criteria_results: z.array(z.object({ criterion: z.string(), passed: z.boolean(), feedback: z.string().nullable() })),
});

const begunStepSchema = z
  .object({
    session_id: z.string(),
    step_id: z.string(),
    name: z.string(),
    description: z.string(),
    goal: z.string().describe('The goal of the session.'),
    job_dir: z.string().describe('The folder of the job, relative to the repository root.'),
    common_info: z.string().describe('Text that every step of the job gets.'),
    instructions: z.string(),
    instructions_file: z.string().describe('The file of the instructions, relative to the repository root.'),
    inputs: z.array(
      z.object({
        name: z.string(),
        description: z.string().nullable(),
        from_step: z
          .string()
          .nullable()
          .describe('The step that makes this input; null if the user provides the input.'),
        paths: z
          .array(z.string())
          .describe('The files of the earlier step; empty if it did not provide an optional output.'),
      }),
    ),
    outputs: z.array(
      z.object({ name: z.string(), type: z.enum(['file', 'files']), description: z.string(), required: z.boolean() }),
    ),
    reviews: z.array(
      z.object({
        run_each: z.string(),
        quality_criteria: z.record(z.string(), z.string()),
        additional_review_guidance: z.string().nullable(),
      }),
    ),
  })
  .describe('The step to do now.');

/** A step to do now, with everything that is needed for it. */
export type BegunStep = z.output<typeof begunStepSchema>;

const alsoBegin = z.array(begunStepSchema).describe('More steps that can be done in parallel.');

const next = z.string().nullable().describe('A text that says what to do next.');

const session = {
  session_id: z.string(),
  job: z.string(),
  workflow: z.string(),
  goal: z.string(),
  reviewer: z
    .string()
    .nullable()
    .describe('The agent that reviews; null if the calling agent reviews with its own sub-agent.'),
  started_at: z.string(),
};

/** The schema of the JSON document of `workflow list --json` and of the MCP tool `get_workflows`. */
export const workflowsSchema = z.object({
  jobs: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      summary: z.string(),
      workflows: z.array(
        z.object({
          name: z.string(),
          summary: z.string(),
          steps: z
            .array(z.array(z.string()))
            .describe('Groups of steps in order. The steps of a group can be done in parallel.'),
        }),
      ),
    }),
  ),
  sessions: z
    .array(z.object({ ...session, open_steps: z.array(begunStepSchema) }))
    .describe('The active sessions, newest first.'),
  warnings: z.array(z.string()),
});

/** The schema of the JSON document of `workflow start --json` and of the MCP tool `start_workflow`. */
export const workflowStartSchema = z.object({
  ...session,
  begin_step: begunStepSchema,
  also_begin: alsoBegin,
  next,
  warnings: z.array(z.string()),
});

/** The schema of the JSON document of `workflow finish --json` and of the MCP tool `finished_step`. */
export const stepEndSchema = z.object({
  status: z.enum(['needs_work', 'next_step', 'workflow_complete']),
  session_id: z.string(),
  step_id: z.string(),
  feedback: z
    .string()
    .nullable()
    .describe('The reason why the step is not finished, and what to do next; null if it is finished.'),
  failed_reviews: z.array(failedReview),
  errors: z.array(z.object({ ...reviewName, message: z.string() })).describe('Reviews without a verdict.'),
  not_judged_again: z
    .array(z.object(reviewName))
    .describe('Skipped reviews: they already passed with the same files and criteria.'),
  reviews_done: z.int().describe('The number of reviews that ran for this request.'),
  attempts: z.int().describe('How many times the outputs of this step got a verdict.'),
  review_instructions_file: z.string().nullable().describe('The instructions for the sub-agent that reviews.'),
  override_reason: z.string().nullable().describe('The reason why the step is finished without a passed review.'),
  begin_step: begunStepSchema.nullable(),
  also_begin: alsoBegin,
  open_steps: z.array(z.string()).describe('All steps that have started and are not finished.'),
  next,
  summary: z.string().nullable(),
  all_outputs: z
    .record(z.string(), outputs)
    .nullable()
    .describe('The outputs of each step, when the workflow is complete.'),
  warnings: z.array(z.string()),
});

/**
 * The schema of the JSON document of `workflow abort --json` and of the MCP tool `abort_workflow`: the last state of
 * the session.
 */
export const workflowAbortSchema = z.object({
  ...session,
  status: z.enum(['active', 'completed', 'aborted']),
  ended_at: z.string().nullable(),
  explanation: z.string().nullable().describe('The reason why the session was aborted; null if it was not.'),
  steps: z.array(
    z.object({
      step_id: z.string(),
      status: z.enum(['waiting', 'open', 'finished']),
      begun_at: z.string().nullable(),
      finished_at: z.string().nullable(),
      attempts: z.int(),
      outputs: outputs.nullable(),
      notes: z.string().nullable(),
      override_reason: z.string().nullable(),
      failed_reviews: z.array(failedReview),
      review_instructions_file: z.string().nullable(),
    }),
  ),
  all_outputs: z.record(z.string(), outputs),
});

/** The schema of the JSON document of `workflow status --json`. */
export const workflowStatusSchema = z.object({
  sessions: z.array(workflowAbortSchema.extend({ open_steps: z.array(begunStepSchema) })),
  warnings: z.array(z.string()),
});
