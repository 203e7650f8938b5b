import type { RoleName } from '../domain/role.ts';
import { CODE_QUALITY_REVIEWER } from './code-quality-reviewer.ts';
import { CODE_SIMPLIFIER } from './code-simplifier.ts';
import { DESIGN_REVIEWER } from './design-reviewer.ts';
import { IMPLEMENTATION_REVIEWER } from './implementation-reviewer.ts';
import { IMPLEMENTER } from './implementer.ts';
import { PHASE_REVIEWER } from './phase-reviewer.ts';
import { PLAN_REVIEWER } from './plan-reviewer.ts';
import { SECURITY_REVIEWER } from './security-reviewer.ts';
import { SPEC_REVIEWER } from './spec-reviewer.ts';
import { TASK_REVIEWER } from './task-reviewer.ts';
import { TEST_DEEPENER_A, TEST_DEEPENER_B } from './test-deepener.ts';

/** The built-in roles as the files that a user would write to override them. */
export const BUILT_IN_ROLES: Readonly<Record<RoleName, string>> = {
  'spec-reviewer': SPEC_REVIEWER,
  'design-reviewer': DESIGN_REVIEWER,
  'plan-reviewer': PLAN_REVIEWER,
  'task-reviewer': TASK_REVIEWER,
  'phase-reviewer': PHASE_REVIEWER,
  'implementation-reviewer': IMPLEMENTATION_REVIEWER,
  'code-quality-reviewer': CODE_QUALITY_REVIEWER,
  'security-reviewer': SECURITY_REVIEWER,
  implementer: IMPLEMENTER,
  'code-simplifier': CODE_SIMPLIFIER,
  'test-deepener-a': TEST_DEEPENER_A,
  'test-deepener-b': TEST_DEEPENER_B,
};
