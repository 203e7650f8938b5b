import { expectForms } from '@onceover/testing/answer-forms.ts';
import { describe, test } from 'vitest';

const RUNS = 200_000;

describe.each(['gate', 'loop', 'quality'] as const)('very many answers of kind %s', (kind) => {
  const seed = Date.now();

  test('at least 99 % of good answers in ordinary wrappings are read as a pass at once', () => {
    expectForms.accepted(kind, { runs: RUNS, seed });
  });

  test('no answer that is no pass is read as one', () => {
    expectForms.refused(kind, { runs: RUNS, seed });
  });
});
