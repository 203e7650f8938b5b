import fc from 'fast-check';
import { test } from 'vitest';
import { KNOWN } from '../support/run-model/defects.ts';
import { play } from '../support/run-model/play.ts';
import { type Step, setups, step } from '../support/run-model/steps.ts';

const SEQUENCES = Number(process.env['RUN_MODEL_SEQUENCES'] ?? 150);
const STEPS = Number(process.env['RUN_MODEL_STEPS'] ?? 40);

/** There is something to look at. */
const FIRST: Step = { do: 'write', path: 0, text: 2 };

// Long, and widened while the engine is; RUN_MODEL=1 has it played.
test.runIf(process.env['RUN_MODEL'] !== undefined)(
  'whatever people do, a run asks for what the definitions ask for, and passes only what holds',
  async () => {
    const seed = process.env['RUN_MODEL_SEED'];
    await fc.assert(
      fc.asyncProperty(
        setups,
        fc.array(step, { minLength: 1, maxLength: STEPS, size: 'max' }),
        async (setup, steps) => {
          await play(setup, [FIRST, ...steps], KNOWN);
        },
      ),
      { numRuns: SEQUENCES, ...(seed === undefined ? {} : { seed: Number(seed) }) },
    );
  },
  3_600_000,
);
