import * as z from 'zod';

/** The schema of the JSON document that onceover prints for an error. */
export const errorSchema = z.object({
  error: z.object({ kind: z.string(), message: z.string(), next: z.string() }),
});

/** Tokens and cost of a call; `null` if the agent reported none. */
export const usage = z
  .object({
    input_tokens: z.number().describe('The number of input tokens that did not come from a cache.'),
    cached_input_tokens: z.number(),
    cache_write_tokens: z.number(),
    output_tokens: z.number(),
    cost_usd: z.number().nullable(),
  })
  .nullable();
