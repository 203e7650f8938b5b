import * as z from 'zod';

/**
 * The schema of a figure in `passes`, `status` and `cost` with `--json`: how often a second review (an audit) agreed
 * with passes of other clones.
 */
export const agreement = z
  .array(
    z.object({
      by: z.enum(['signer', 'gate', 'agent']).describe('What the passes have in common.'),
      name: z.string().describe('The name of the signer, gate or agent.'),
      audited: z.number().describe('The number of passes that were reviewed again.'),
      disagreed: z.number().describe('How many of these the second reviewer failed.'),
      low: z.number().describe('The lower end of the 95 % interval of the share of passes that an audit would refute.'),
      high: z.number().describe('The upper end of that interval.'),
    }),
  )
  .describe('How often audits agreed with accepted passes, by signer, gate and agent.');
