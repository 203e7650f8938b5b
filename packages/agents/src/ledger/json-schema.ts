import * as z from 'zod';

/**
 * The schema of a figure in `passes`, `status` and `cost` with `--json`: how often a second review (an audit) agreed
 * with passes of other clones.
 */
export const agreement = z
  .array(
    z.object({
      by: z
        .enum(['signer', 'gate', 'agent'])
        .describe('What the passes in this group have in common: their signer, their gate or their agent.'),
      name: z.string().describe('The name of the signer, gate or agent that the passes have in common.'),
      audited: z.number().describe('The number of accepted passes in this group that got a second review.'),
      disagreed: z.number().describe('The number of accepted passes in this group that failed their second review.'),
      low: z
        .number()
        .describe(
          'The lower end of the 95 % confidence interval for the share of accepted passes that a second review would fail.',
        ),
      high: z
        .number()
        .describe(
          'The upper end of the 95 % confidence interval for the share of accepted passes that a second review would fail.',
        ),
    }),
  )
  .describe('How often second reviews agreed with accepted passes of other clones, by signer, gate and agent.');
