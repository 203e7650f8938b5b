import type { DocumentPhase, PhaseName } from '@onceover/base/kernel/review-loops';
import { REVIEWER_ROLES, ROLE_NAMES, type RoleName } from '@onceover/base/kernel/review-loops';
import { outline } from '@onceover/testing/markdown.ts';
import { builtInRole } from '@onceover/testing/roles.ts';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_ROLES, parseRole } from '../../../src/phases/roles/load.ts';
import { artifactsOf, roleName } from '../../../src/phases/roles/types.ts';

describe.each(ROLE_NAMES)('the built-in %s', (name) => {
  test('is a file that a user could write', () => {
    expect(parseRole(name, BUILT_IN_ROLES[name], null)).toMatchObject({ ok: true, role: { name } });
  });

  test('as an unchanged copy, changes only the origin of its model', () => {
    const role = builtInRole(name);
    const copy = { ...role, models: role.usualModels };
    expect(parseRole(name, BUILT_IN_ROLES[name], role)).toEqual({ ok: true, role: copy });
  });

  test('has a rubric that leaves no block open and uses no heading of a prompt', () => {
    const { headings, isOpen } = outline(builtInRole(name).rubric);
    expect(isOpen).toBe(false);
    const headingPattern =
      /Required Artifacts|Iteration Context|Delta|Fix Summary|Implementation Files|Expectations|Outcome/;
    expect(headings.filter((heading) => headingPattern.test(heading))).toEqual([]);
  });

  test('fits the page width', () => {
    expect(BUILT_IN_ROLES[name].split('\n').filter((line) => line.length > 130)).toEqual([]);
  });
});

describe('required files of a role in implement', () => {
  const artifacts = ['prd.md', 'spec.md', 'design.md', 'plan.md', 'tasks.md'];
  test.each<[RoleName, readonly string[], string]>([
    ['implementation-reviewer', artifacts, 'REUSE-I4/implementation-reviewer'],
    ['code-quality-reviewer', ['design.md', 'spec.md'], 'REUSE-I4/code-quality-reviewer'],
    ['security-reviewer', ['design.md', 'spec.md'], 'REUSE-I4/security-reviewer'],
    ['code-simplifier', ['design.md'], 'REUSE-I4/code-simplifier'],
    ['test-deepener-a', ['spec.md', 'design.md', 'tasks.md', 'prd.md'], 'REUSE-I4/test-deepener'],
    ['test-deepener-b', ['spec.md', 'design.md', 'tasks.md', 'prd.md'], 'REUSE-I4/test-deepener'],
    ['implementer', artifacts, 'REUSE-I4/implementer'],
  ])('%s: %j [%s]', (name, expected) => {
    expect(artifactsOf(builtInRole(name), 'implement')).toEqual(expected);
  });
});

describe('required files of a role in a document phase [REUSE-C/role-pruning]', () => {
  test.each<[DocumentPhase, RoleName, readonly string[], string]>([
    ['specify', 'spec-reviewer', ['prd.md'], 'REUSE-I5/specify/spec-reviewer'],
    ['specify', 'phase-reviewer', ['prd.md', 'spec.md'], 'REUSE-I5/specify/phase-reviewer'],
    ['design', 'design-reviewer', ['prd.md', 'spec.md'], 'REUSE-I5/design/design-reviewer'],
    ['design', 'phase-reviewer', ['prd.md', 'spec.md', 'design.md'], 'REUSE-I5/design/phase-reviewer'],
    ['create-plan', 'plan-reviewer', ['prd.md', 'spec.md', 'design.md'], 'REUSE-I5/create-plan/plan-reviewer'],
    [
      'create-plan',
      'phase-reviewer',
      ['prd.md', 'spec.md', 'design.md', 'plan.md'],
      'REUSE-I5/create-plan/phase-reviewer',
    ],
    [
      'create-tasks',
      'task-reviewer',
      ['prd.md', 'spec.md', 'design.md', 'plan.md'],
      'REUSE-I5/create-tasks/task-reviewer',
    ],
    [
      'create-tasks',
      'phase-reviewer',
      ['prd.md', 'spec.md', 'design.md', 'plan.md', 'tasks.md'],
      'REUSE-I5/create-tasks/phase-reviewer',
    ],
  ])('%s, %s: %j [%s]', (phase, name, expected) => {
    expect(artifactsOf(builtInRole(name), phase)).toEqual(expected);
  });

  test.each<DocumentPhase>(['specify', 'design', 'create-plan', 'create-tasks'])(
    'the implementer in %s reads the same files as the phase-reviewer',
    (phase) => {
      expect(artifactsOf(builtInRole('implementer'), phase)).toEqual(artifactsOf(builtInRole('phase-reviewer'), phase));
    },
  );

  test('a phase without the role has no files to read', () => {
    expect(artifactsOf(builtInRole('phase-reviewer'), 'implement' satisfies PhaseName)).toEqual([]);
  });
});

test.each([
  ['spec-reviewer', null, 'spec-reviewer'],
  ['test-deepener', 'A', 'test-deepener-a'],
  ['test-deepener', 'B', 'test-deepener-b'],
  ['implementer', null, 'implementer'],
] as const)('%s, part %s, uses the text of %s', (role, part, expected) => {
  expect(roleName(role, part)).toBe(expected);
});

test('reviewers have an answer format, and writers have none', () => {
  const withForm = ROLE_NAMES.filter((name) => builtInRole(name).form !== null);
  expect(withForm).toEqual([...REVIEWER_ROLES]);
});

test('the model of the implementer is opus, if the agent has it [REUSE-I7/fresh/model]', () => {
  expect(builtInRole('implementer')).toMatchObject({ models: {}, usualModels: { claude: 'opus' } });
});

test('the phase-reviewer knows the phase after each document phase', () => {
  const { expectations } = builtInRole('phase-reviewer');
  expect(Object.keys(expectations ?? {})).toEqual(['specify', 'design', 'create-plan', 'create-tasks']);
});
