import { costSchema, notPaid, paid } from '@onceover/gates/cost/json-schema';
import { type RunDocument, runDocument } from '@onceover/gates/result/json';
import { runSchema } from '@onceover/gates/result/json-schema';
import * as z from 'zod';
import type { DemoOutcome } from './project.ts';

/** The schema of the JSON document of `demo --json`. */
export const demoSchema = z.object({
  reviewers: z.literal('scripted').describe('The reviewers are scripts; no model was called.'),
  tokens: z.string().describe('How tokens were counted.'),
  as_told: z.boolean().describe('Whether every run had the expected result.'),
  runs: z.array(runSchema),
  paid,
  not_paid: costSchema.shape.not_paid,
  shared_beginnings: notPaid.describe(
    'New sessions of the same run whose prompts begin with the same text. The demo does not count this text as saved, because not every agent caches it.',
  ),
  repository: z.string().nullable().describe('The folder of the demo repository; null if it was deleted.'),
  duration_ms: z.number(),
});

export type DemoDocument = Omit<z.infer<typeof demoSchema>, 'runs'> & { runs: RunDocument[] };

/** Returns the JSON document of `demo --json`. */
export function demoDocument({ runs, cost, shared, strayed, folder, durationMs }: DemoOutcome): DemoDocument {
  return {
    reviewers: 'scripted',
    tokens: 'estimated: four characters of what was sent and said each',
    as_told: strayed === null,
    runs: runs.map((run) => runDocument(run)),
    paid: cost.paid,
    not_paid: cost.not_paid,
    shared_beginnings: { ...shared },
    repository: folder,
    duration_ms: durationMs,
  };
}
