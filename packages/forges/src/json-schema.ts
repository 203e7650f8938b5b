import * as z from 'zod';

/** The schema of the JSON document that `publish --json` prints. */
export const publishSchema = z.object({
  forge: z.string().describe('The repository and the pull request on which the command writes.'),
  outdated: z
    .boolean()
    .describe(
      'Whether the pull request has newer commits. In this case, the command publishes checks, but no comments.',
    ),
  visible: z.boolean().describe('Whether GitHub or GitLab already shows everything that the command wrote.'),
  writes: z.number().describe('The number of actions that the command carried out.'),
  actions: z
    .array(
      z.object({
        action: z.string().describe('The kind of action, such as "create-thread", "resolve" or "create-check".'),
        subject: z.string().describe('The file, check or comment that the action changes.'),
        why: z.string().nullable().describe('The reason for the action; null if the action needs none.'),
        end: z
          .enum(['done', 'refused', 'rejected', 'planned'])
          .describe(
            'How the action ended. With `refused`, the token is not allowed to do the action. With `rejected`, GitHub or GitLab does not accept the action. With `planned`, the command has the option --dry-run.',
          ),
      }),
    )
    .describe('The actions that the command carried out, or would carry out without --dry-run.'),
  hints: z.array(z.string()).describe('Actions that the token is not allowed to do, and how to allow them.'),
});
