import * as z from 'zod';
import { notPaid, paid } from './cost-schema.ts';
import { runSchema } from './run-schema.ts';

/** The document of `demo --json`. */
export const demoSchema = z.object({
  reviewers: z.literal('scripted').describe('No model was asked.'),
  tokens: z.string().describe('How they were counted.'),
  as_told: z.boolean().describe('Whether every run went as the demo was made to show.'),
  runs: z.array(runSchema),
  paid,
  not_paid: z.object({
    pass: notPaid,
    slot: notPaid,
    session: notPaid,
    prefix: notPaid,
    baseline: z.string().describe('What the estimates are measured against.'),
  }),
  shared_beginnings: notPaid.describe(
    'What fresh looks of one run were sent alike from the beginning on; not counted, as they are by different agents.',
  ),
  repository: z.string().nullable().describe('Where it was kept.'),
  duration_ms: z.number(),
});
