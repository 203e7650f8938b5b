import * as z from 'zod';

/** One rule as people write it in a `.deepreview` file. */
export const ruleSchema = z.strictObject({
  description: z.string().min(1).max(256).describe('What this review is about, in a sentence.'),
  match: z.strictObject({
    include: z.array(z.string().min(1)).min(1).describe('Globs, relative to the folder of this file.'),
    exclude: z.array(z.string().min(1)).default([]).describe('Globs of files to leave out.'),
  }),
  review: z.strictObject({
    strategy: z
      .enum(['individual', 'matches_together', 'all_changed_files'])
      .describe('One review a file, one of all matched files, or one of every changed file if any matches.'),
    instructions: z
      .union([z.string().min(1), z.strictObject({ file: z.string().min(1) })], {
        error: 'must be text, or {file: path} with a path relative to this file',
      })
      .describe('What the reviewer is to look at and how to judge it.'),
    agent: z
      .record(z.string(), z.string().min(1))
      .default({})
      .describe('Persona by platform, e.g. {claude: security-expert}.'),
    additional_context: z
      .strictObject({
        all_changed_filenames: z.boolean().default(false).describe('Name every changed file to the reviewer.'),
        unchanged_matching_files: z
          .boolean()
          .default(false)
          .describe('matches_together: name what else the rule matches.'),
      })
      .prefault({}),
    reference_files: z
      .array(z.strictObject({ path: z.string().min(1), description: z.string().optional() }))
      .default([])
      .describe('Files shown to the reviewer: at most 20, and 256 KiB together.'),
    num_reviews: z.int().min(1).max(20).default(1).describe('How many reviewers look at it in a run.'),
    agents: z.array(z.string().min(1)).min(1).optional().describe('Which agents review it in a run.'),
  }),
});

/** What a rule may be called. */
export const RULE_NAME = /^[a-zA-Z0-9_-]+$/;

/** A whole `.deepreview` file: rule names and rules. */
export const ruleFileSchema = z
  .record(z.string().regex(RULE_NAME), ruleSchema)
  .describe('Review rules: which changed files get which review.');
