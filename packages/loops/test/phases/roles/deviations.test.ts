import { REVIEWER_ROLES } from '@onceover/base/kernel/review-loops';
import { BUILT_IN } from '@onceover/testing/loop-asks.ts';
import { expect, test } from 'vitest';
import { BUILT_IN_ROLES } from '../../../src/phases/roles/load.ts';
import type { ReviewForm } from '../../../src/phases/roles/types.ts';

type Deviations = Partial<ReviewForm> & { readonly looksAhead?: true };

/** The differences of each role's prompt from the shared skeleton, besides its texts and categories. */
const DEVIATIONS: Readonly<Record<(typeof REVIEWER_ROLES)[number], Deviations>> = {
  'spec-reviewer': {},
  'design-reviewer': {},
  'plan-reviewer': { compact: true },
  'task-reviewer': { place: 'task' },
  'phase-reviewer': { looksAhead: true },
  'implementation-reviewer': { levels: ['tasks', 'spec', 'design', 'prd'], evidence: true },
  'code-quality-reviewer': {},
  'security-reviewer': {},
};

test.each(REVIEWER_ROLES)('the file of %s mentions its deviation from the skeleton [REUSE-TD8/deviations]', (name) => {
  const { form, expectations } = BUILT_IN[name];
  const { looksAhead = false, ...differs } = DEVIATIONS[name];
  const usual = { place: 'location', levels: [], evidence: false, compact: false };
  expect({ ...form, categories: [] }).toEqual({ ...usual, ...differs, categories: [] });
  expect(expectations !== null).toBe(looksAhead);
  const frontMatter = BUILT_IN_ROLES[name].split('\n---\n')[0] ?? '';
  const words = [...Object.keys(differs), ...(looksAhead ? ['expectations'] : [])];
  for (const word of words) expect(frontMatter).toMatch(new RegExp(`\\b${word}\\b`));
});
