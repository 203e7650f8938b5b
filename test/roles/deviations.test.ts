import { expect, test } from 'vitest';
import { REVIEWER_ROLES, type ReviewForm } from '../../src/domain/role.ts';
import { BUILT_IN_ROLES } from '../../src/roles/table.ts';
import { BUILT_IN } from '../support/loop-asks.ts';

type Deviations = Partial<ReviewForm> & { readonly looksAhead?: true };

/** In what the prompt of a role differs from the skeleton that all share, beside its texts and categories. */
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

test.each(REVIEWER_ROLES)(
  'where %s deviates from the skeleton, its own file says so [REUSE-TD8/deviations]',
  (name) => {
    const { form, expectations } = BUILT_IN[name];
    const { looksAhead = false, ...differs } = DEVIATIONS[name];
    const usual = { place: 'location', levels: [], evidence: false, compact: false };
    expect({ ...form, categories: [] }).toEqual({ ...usual, ...differs, categories: [] });
    expect(expectations !== null).toBe(looksAhead);
    const frontMatter = BUILT_IN_ROLES[name].split('\n---\n')[0] ?? '';
    const words = [...Object.keys(differs), ...(looksAhead ? ['expectations'] : [])];
    for (const word of words) expect(frontMatter).toMatch(new RegExp(`\\b${word}\\b`));
  },
);
