import * as z from 'zod';

const definingFile = z.string().describe('The file and line that define the rule, as path/.deepreview:LINE.');

/** The schema of the JSON result of `instructions --json` and `get_review_instructions`. */
export const instructionsSchema = z.object({
  tasks: z
    .array(
      z.object({
        review_id: z.string(),
        rule: z.string(),
        defining_file: definingFile,
        files: z.array(z.string()),
        instruction_file: z.string().describe('The path of the instruction file, relative to the repository root.'),
        agent: z
          .string()
          .nullable()
          .describe('The sub-agent that the rule names for the platform of your agent; null if the rule names none.'),
        also: z
          .array(z.object({ rule: z.string(), defining_file: definingFile }))
          .optional()
          .describe('Other rules that require the same review.'),
      }),
    )
    .describe('The reviews to do.'),
  skipped: z
    .array(z.object({ review_id: z.string(), rule: z.string(), files: z.array(z.string()), why: z.string() }))
    .describe('The reviews that are skipped because they already passed.'),
  warnings: z.array(z.string()),
});

/** The schema of the JSON result of `rules --json` and `get_configured_reviews`. */
export const rulesSchema = z.object({
  rules: z.array(z.object({ name: z.string(), description: z.string(), defining_file: definingFile })),
  warnings: z.array(z.string()),
});

/** The schema of the JSON result of `pass --json` and `mark_review_as_passed`. */
export const passSchema = z.object({
  review_id: z.string(),
  marked: z.literal(true),
  instructions_known: z
    .boolean()
    .describe('Whether onceover has written an instruction file with this id in this clone.'),
});

/** The schema of the JSON result of `explain --json` for a review id. */
export const explainSchema = z.object({
  review_id: z.string(),
  state: z.enum(['to-do', 'skipped', 'changed', 'not-asked-for']),
  why: z.string(),
  current_review_id: z.string().nullable(),
  rules: z.array(z.object({ name: z.string(), defining_file: definingFile })),
  files: z.array(z.string()),
  passed: z.boolean(),
  passed_at: z.string().nullable(),
  passed_by: z.string().nullable(),
});
