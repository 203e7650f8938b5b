import * as z from 'zod';

/** The schema of the JSON document that `publish --json` prints. */
export const publishSchema = z.object({
  forge: z.string().describe('The repository and the pull request.'),
  outdated: z
    .boolean()
    .describe('Whether the pull request has newer commits. Then only checks are published, and no comments.'),
  visible: z.boolean().describe('Whether the forge already shows everything that was written.'),
  writes: z.number().describe('The number of actions that were done.'),
  actions: z
    .array(
      z.object({
        action: z.string().describe('For example "create-thread", "resolve" or "create-check".'),
        subject: z.string().describe('The file, check or comment.'),
        why: z.string().nullable().describe('The reason; null if the action needs none.'),
        end: z
          .enum(['done', 'refused', 'rejected', 'planned'])
          .describe(
            '"refused": the token may not do it. "rejected": the forge does not accept it. "planned": --dry-run.',
          ),
      }),
    )
    .describe('What was written, or would be written with --dry-run.'),
  hints: z.array(z.string()).describe('What the token is not allowed to do, and how to allow it.'),
});
