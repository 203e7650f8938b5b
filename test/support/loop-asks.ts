import type { ReviewerRole } from '@onceover/base/kernel/review-loops';
import { ROLE_NAMES } from '@onceover/base/kernel/review-loops';
import type { LoopMaterial } from '@onceover/loops/src/phases/prompt/prompt.ts';
import type { Roles } from '@onceover/loops/src/phases/roles/types.ts';
import type { Ask } from '@onceover/loops/src/phases/state.ts';
import type { RoleIssue } from '@onceover/loops/src/phases/types.ts';
import { builtInRole } from './roles.ts';

export const BUILT_IN = Object.fromEntries(ROLE_NAMES.map((name) => [name, builtInRole(name)])) as Roles;

/** Returns a first call to the spec-reviewer; `differs` overrides fields. */
export function loopAsk(given: Partial<Ask> = {}): Ask {
  return {
    role: 'spec-reviewer',
    part: null,
    agent: 'claude',
    others: [],
    template: 'I1-R4',
    why: 'first-look',
    session: null,
    iteration: 1,
    most: 5,
    isFinalValidation: false,
    delta: null,
    lastIteration: null,
    issues: [],
    fixes: [],
    domainOutcome: null,
    ...given,
  };
}

/** Returns the input of a specify loop; `differs` overrides fields. */
export function loopMaterial(given: Partial<LoopMaterial> = {}): LoopMaterial {
  return {
    roles: BUILT_IN,
    phase: 'specify',
    feature: { folder: '/repo/docs/features/007-export', prd: '/repo/docs/features/007-export/prd.md' },
    document: SPEC,
    files: ['src/export/write.ts', 'src/export/read me.ts'],
    deleted: [],
    resumed: null,
    outline: null,
    ...given,
  };
}

export const SPEC =
  '# Export\n\n- R1: A report for each customer within 5 seconds.\n- R2: Reports are kept for 30 days.\n';

export const DIFF = `--- a/spec.md
+++ b/spec.md
@@ -3,2 +3,2 @@
-- R1: A report for each customer within 5 seconds.
+- R1: A report for each customer within 5 seconds at 95 % of calls, 50 at once.
 - R2: Reports are kept for 30 days.
`;

export function issuesOf(role: ReviewerRole): readonly RoleIssue[] {
  return [
    {
      role,
      issue: { severity: 'suggestion', description: 'R2 could say who deletes them.' },
    },
    {
      role,
      issue: {
        severity: 'blocker',
        category: 'testability',
        description: 'R1 names no load.\nWithout one no test can fail.',
        location: 'R1',
        suggestion: 'Say how many at once.',
      },
    },
  ];
}
