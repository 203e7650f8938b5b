import { phaseSchema } from './phase-schema.ts';
import { runSchema } from './run-schema.ts';
import { errorSchema } from './schemas.ts';

/** What stands on stdout instead when a command with `--json` fails; of loops that were interrupted, also what was done until then. */
export const errorDocumentSchema = errorSchema.extend({
  loop: runSchema.shape.loop.describe(
    'Of an interrupted run --until-pass: every review, and the fix that followed it.',
  ),
  so_far: phaseSchema.optional().describe('Of an interrupted phase: what was done until then.'),
});
