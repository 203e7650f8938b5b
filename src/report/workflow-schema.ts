import * as z from 'zod';

const paths = z.union([z.string(), z.array(z.string())]);
const outputs = z.record(z.string(), paths).describe('Paths from the root, by the names of outputs.');

const reviewName = {
  review_run_each: z.string().describe('"step", or the name of an output.'),
  target_file: z.string().nullable().describe('The file that was judged; null: all outputs together.'),
};

const failedReview = z.object({
  ...reviewName,
  passed: z.boolean(),
  feedback: z.string(),
  criteria_results: z.array(z.object({ criterion: z.string(), passed: z.boolean(), feedback: z.string().nullable() })),
});

const begunStep = z
  .object({
    session_id: z.string(),
    step_id: z.string(),
    name: z.string(),
    description: z.string(),
    goal: z.string().describe('What the workflow was begun for.'),
    job_dir: z.string().describe('The folder of the job, from the root.'),
    common_info: z.string().describe('What every step of the job is told.'),
    instructions: z.string(),
    instructions_file: z.string().describe('Where they were read, from the root.'),
    inputs: z.array(
      z.object({
        name: z.string(),
        description: z.string().nullable(),
        from_step: z.string().nullable().describe('Null: the user is to be asked for it.'),
        paths: z.array(z.string()).describe('What the earlier step made; empty where it left it out.'),
      }),
    ),
    outputs: z.array(
      z.object({
        name: z.string(),
        type: z.enum(['file', 'files']),
        description: z.string(),
        required: z.boolean(),
      }),
    ),
    reviews: z.array(
      z.object({
        run_each: z.string(),
        quality_criteria: z.record(z.string(), z.string()),
        additional_review_guidance: z.string().nullable(),
      }),
    ),
  })
  .describe('A step that is to be done now.');

const alsoBegin = z.array(begunStep).describe('Further steps that may be done at the same time.');
const next = z.string().nullable().describe('How to go on.');
const reviewer = z
  .string()
  .nullable()
  .describe('The agent that reviews; null: whoever makes the outputs has them reviewed by a sub-agent.');

const session = {
  session_id: z.string(),
  job: z.string(),
  workflow: z.string(),
  goal: z.string(),
  reviewer,
  started_at: z.string(),
};

/** The document of `workflow list --json` and of `get_workflows`. */
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
            .describe('Groups of steps in their order; those of a group at the same time.'),
        }),
      ),
    }),
  ),
  sessions: z
    .array(z.object({ ...session, open_steps: z.array(begunStep) }))
    .describe('Workflows that are going on, newest first.'),
  warnings: z.array(z.string()),
});

/** The document of `workflow start --json` and of `start_workflow`. */
export const workflowStartSchema = z.object({
  ...session,
  begin_step: begunStep,
  also_begin: alsoBegin,
  next,
  warnings: z.array(z.string()),
});

/** The document of `workflow finish --json` and of `finished_step`. */
export const stepEndSchema = z.object({
  status: z.enum(['needs_work', 'next_step', 'workflow_complete']),
  session_id: z.string(),
  step_id: z.string(),
  feedback: z.string().nullable().describe('What keeps the step from being finished, and what to do about it.'),
  failed_reviews: z.array(failedReview),
  errors: z
    .array(z.object({ ...reviewName, message: z.string() }))
    .describe('Reviews that came to no verdict beside those that did not pass.'),
  not_judged_again: z
    .array(z.object(reviewName))
    .describe('Reviews that passed before on the same files by the same criteria.'),
  reviews_done: z.int().describe('How many reviews were done for this answer.'),
  attempts: z.int().describe('How often the outputs of this step got a verdict.'),
  review_instructions_file: z.string().nullable().describe('For the sub-agent that is to review.'),
  override_reason: z.string().nullable().describe('Why the step counts as finished although no reviewer passed it.'),
  begin_step: begunStep.nullable(),
  also_begin: alsoBegin,
  open_steps: z.array(z.string()).describe('All steps that are begun and not finished.'),
  next,
  summary: z.string().nullable(),
  all_outputs: z.record(z.string(), outputs).nullable().describe('At the end: the outputs of each step.'),
  warnings: z.array(z.string()),
});

const sessionState = z.object({
  ...session,
  status: z.enum(['active', 'completed', 'aborted']),
  ended_at: z.string().nullable(),
  explanation: z.string().nullable().describe('Why it was aborted.'),
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

/** The document of `workflow status --json`. */
export const workflowStatusSchema = z.object({
  sessions: z.array(sessionState.extend({ open_steps: z.array(begunStep) })),
  warnings: z.array(z.string()),
});

/** The document of `workflow abort --json` and of `abort_workflow`. */
export const workflowAbortSchema = sessionState;
