import { expectForms } from '@onceover/testing/answer-forms.ts';
import { describe, test } from 'vitest';

// Fixed, so that a failure repeats. The same with more answers is in answer-forms.long.test.ts.
const RUNS = 2000;

describe.each(['gate', 'loop', 'quality'] as const)('answers of kind %s', (kind) => {
  test('at least 99 % of good answers in ordinary wrappings are read as a pass at once', () => {
    expectForms.accepted(kind, { runs: RUNS, seed: 1 });
  });

  test('no answer that is no pass is read as one', () => {
    expectForms.refused(kind, { runs: RUNS, seed: 1 });
  });
});
