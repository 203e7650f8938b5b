import { errorSchema } from '@onceover/base/kernel/json-schema';
import { runSchema } from '@onceover/gates/result/json-schema';
import { phaseSchema } from '@onceover/loops/phases/json-schema';

/**
 * The schema of the JSON document on stdout when a command with `--json` fails. An interrupted loop or phase adds its
 * result so far.
 */
export const errorDocumentSchema = errorSchema.extend({
  loop: runSchema.shape.loop.describe(
    'For an interrupted run --until-pass: every review, with the fix that followed it.',
  ),
  so_far: phaseSchema.optional().describe('For an interrupted phase: the result so far.'),
});
