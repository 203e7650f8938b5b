import { errorSchema, usage } from '@onceover/base/kernel/json-schema';
import { PHASES, REVIEWER_ROLES, SEVERITIES } from '@onceover/base/kernel/review-loops';
import * as z from 'zod';
import { END_STATUSES, type PhaseEndReason } from './types.ts';

const issue = z.object({
  severity: z.enum(SEVERITIES),
  level: z.string().nullable(),
  category: z.string().nullable(),
  description: z.string(),
  location: z.string().nullable(),
  suggestion: z.string().nullable(),
});

const openIssue = issue.extend({ role: z.enum(REVIEWER_ROLES) });

const dispatch = {
  agent: z.string(),
  dispatch: z.enum(['fresh', 'resumed']),
  why: z.string(),
  prompt_chars: z.number().describe('The number of characters that were sent, including repeated questions.'),
  usage,
};

const marks = z
  .array(z.string())
  .describe(
    'The words that .review-history.md has about this call. RESUME-FALLBACK means that resuming the session failed. DELTA-GUARD means that too much had changed to resume the session. LAZY-LOAD-WARNING means that the agent did not confirm that it read the required files.',
  );

const iteration = z.object({
  n: z.number().describe('The number of the iteration in its loop. The final validation repeats the last number.'),
  round: z.number().describe('The number of the round within the phase.'),
  final_validation: z.boolean(),
  ...dispatch,
  reviewer_approved: z.boolean().nullable().describe('The verdict of the reviewer; null if it gave none.'),
  engine_pass: z
    .boolean()
    .describe('The verdict that counts. It is true if the reviewer approved and reported no blocker and no warning.'),
  issues: z.array(issue),
  summary: z.string().nullable(),
  error: z.string().nullable().describe('The reason why there is no verdict.'),
  marks,
});

const loop = z.object({
  role: z.enum(REVIEWER_ROLES),
  iterations: z.array(iteration).describe('Every review by this reviewer.'),
  rested: z
    .array(z.object({ n: z.number(), round: z.number(), passed_at: z.number() }))
    .describe('The rounds that skipped this reviewer because it had passed.'),
});

const fix = z.object({
  n: z.number(),
  round: z.number(),
  by: z.enum(['fixer', 'caller']),
  agent: z.string().nullable(),
  dispatch: z.enum(['fresh', 'resumed']).nullable(),
  why: z.string().nullable(),
  summary: z
    .string()
    .nullable()
    .describe('The summary of the fix by the agent or caller that made the fix; null if the fixer failed.'),
  prompt_chars: z.number(),
  usage,
  marks,
});

const preparation = z.object({
  role: z.enum(['code-simplifier', 'test-deepener']),
  part: z.enum(['A', 'B']).nullable(),
  agent: z.string(),
  summary: z.string(),
  usage,
});

const ENDS = Object.keys(END_STATUSES) as PhaseEndReason[];

/** The schema of the JSON document that `phase --json` prints, and that MCP tools return in the field `phase`. */
export const phaseSchema = z.object({
  phase: z.enum(PHASES),
  feature: z.string().describe('The folder of the feature, relative to the repository root.'),
  loop_id: z.string(),
  status: z
    .enum(['approved', 'needs_work', 'stalled', 'cap', 'error'])
    .describe(
      'The result. approved: all reviewers approved. If you accept the open issues with --accept-with-notes, the status stays "cap".',
    ),
  end: z.enum(ENDS).nullable().describe('The reason why the phase ended; null if it waits for a fix.'),
  waiting: z.boolean().describe('Whether the phase waits for the caller to fix the open issues.'),
  accepted_with_notes: z
    .boolean()
    .describe('Whether the limit of reviews was reached and the caller accepted the open issues.'),
  exit_code: z.union([z.literal(0), z.literal(1), z.literal(3)]),
  loops: z.array(loop),
  fixes: z.array(fix),
  preparations: z.array(preparation),
  open_issues: z
    .array(openIssue)
    .describe('The blockers and warnings that are still open. The most severe issues come first.'),
  forbidden_edits: z.array(z.string()).describe('The files that an agent changed although it must not.'),
  usage,
  saved: z
    .object({ pass: z.number(), slot: z.number(), session: z.number(), prefix: z.number(), reading: z.number() })
    .describe('The estimated tokens saved, by kind.'),
  warnings: z.array(z.string()),
});

export type PhaseDocument = z.output<typeof phaseSchema>;

/** The schema of the JSON document that `phase --dry-run --json` prints. */
export const phasePlanSchema = z.object({
  phase: z.enum(PHASES),
  feature: z.string(),
  artifact: z
    .string()
    .nullable()
    .describe('The document that the phase reviews; null in the phase `implement`, which reviews code.'),
  files: z.array(z.string()).describe('Files under review.'),
  required: z.array(z.string()).describe('Documents that reviewers must read.'),
  fixing: z.object({ by: z.enum(['fixer', 'caller', 'nobody']), agent: z.string().nullable() }),
  max_iterations: z.number(),
  goes_on: z
    .object({ round: z.number(), waiting: z.array(openIssue).nullable() })
    .nullable()
    .describe('The loop that would be continued; null if a new one would start.'),
  dispatches: z.array(
    z.object({
      role: z.string(),
      agent: z.string(),
      model: z.string().nullable(),
      dispatch: z.enum(['fresh', 'resumed']),
      why: z.string(),
      prompt_chars: z.number(),
    }),
  ),
  warnings: z.array(z.string()),
});

export type PhasePlanDocument = z.output<typeof phasePlanSchema>;

/** The schema of the JSON document that the MCP tools `start_phase` and `continue_phase` return. */
export const startedPhaseSchema = z.object({
  loop_id: z.string().describe('The id for continue_phase.'),
  state: z
    .enum(['running', 'waiting', 'ended', 'died'])
    .describe(
      'The state. waiting: fix the open issues, then call continue_phase with a summary. died: the round ended without a result.',
    ),
  progress: z.array(z.string()).describe('The last lines that the round printed about its progress.'),
  phase: phaseSchema.nullable().describe('The result of the round; null while it runs.'),
  error: errorSchema.shape.error.nullable(),
  next: z.string().describe('The next step.'),
});

export type StartedPhaseDocument = z.output<typeof startedPhaseSchema>;
