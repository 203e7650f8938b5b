import * as z from 'zod';

const names = z.array(z.string());

/** A check of agent gauntlet: a file of `checks/`, or inline in an entry point. */
export const gauntletCheck = z.looseObject({
  name: z.string().min(1).nullish(),
  command: z.string().min(1),
  working_directory: z.string().nullish(),
  timeout: z.number().nullish(),
  run_in_ci: z.boolean().nullish(),
  run_locally: z.boolean().nullish(),
});

/** A review: the front matter of a file of `reviews/`, such a file in YAML, or inline. */
export const gauntletReview = z.looseObject({
  cli_preference: names.nullish(),
  reviewers: names.nullish(),
  num_reviews: z.number().nullish(),
  timeout: z.number().nullish(),
  model: z.string().nullish(),
  prompt_file: z.string().min(1).nullish(),
  skill_name: z.string().min(1).nullish(),
  builtin: z.string().min(1).nullish(),
  enabled: z.boolean().nullish(),
  run_in_ci: z.boolean().nullish(),
  run_locally: z.boolean().nullish(),
});

/** A name, or a map of one name to what it stands for. */
const gate = z.union([z.string().min(1), z.record(z.string(), z.unknown())]);

/** `config.yml`. */
export const gauntletConfig = z.looseObject({
  base_branch: z.string().min(1).nullish(),
  max_retries: z.number().nullish(),
  // In old versions it was a number of issues.
  rerun_new_issue_threshold: z.unknown().optional(),
  cli: z
    .looseObject({
      default_preference: names.nullish(),
      adapters: z.record(z.string(), z.looseObject({ model: z.string().nullish() }).nullable()).nullish(),
    })
    .nullish(),
  stop_hook: z.looseObject({ enabled: z.boolean().nullish() }).nullish(),
  entry_points: z.array(
    z.looseObject({
      path: z.string().min(1),
      exclude: z.array(z.string()).nullish(),
      checks: z.array(gate).nullish(),
      reviews: z.array(gate).nullish(),
    }),
  ),
});

/** What is carried over of each; the names of all else are told. */
export const CARRIED = {
  config: ['name', 'base_branch', 'max_retries', 'rerun_new_issue_threshold', 'cli', 'stop_hook', 'entry_points'],
  entry: ['path', 'exclude', 'checks', 'reviews'],
  check: ['name', 'command', 'working_directory', 'timeout', 'run_in_ci', 'run_locally'],
  review: [
    ...['cli_preference', 'reviewers', 'num_reviews', 'timeout', 'model', 'prompt_file', 'skill_name', 'builtin'],
    ...['enabled', 'run_in_ci', 'run_locally'],
  ],
} as const;
