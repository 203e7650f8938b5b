import type { RepoPath } from '@onceover/base/kernel/ids';
import { PHASES, type PhaseName, type Preparation } from '@onceover/base/kernel/review-loops';
import { BUILT_IN } from '@onceover/testing/loop-asks.ts';
import { describe, expect, test } from 'vitest';
import { rolesOf } from '../../../src/phases/decide/roles.ts';
import { documentPath, phaseOf, requiredDocuments } from '../../../src/phases/read/feature.ts';
import type { Artifact, Roles } from '../../../src/phases/roles/types.ts';

const SIMPLIFIER: Preparation = { role: 'code-simplifier', part: null };
const [A, B]: readonly Preparation[] = [
  { role: 'test-deepener', part: 'A' },
  { role: 'test-deepener', part: 'B' },
];

describe('the roles of a phase', () => {
  test.each<[PhaseName, string[]]>([
    ['specify', ['spec-reviewer', 'phase-reviewer', 'implementer']],
    ['design', ['design-reviewer', 'phase-reviewer', 'implementer']],
    ['create-plan', ['plan-reviewer', 'phase-reviewer', 'implementer']],
    ['create-tasks', ['task-reviewer', 'phase-reviewer', 'implementer']],
    ['implement', ['implementation-reviewer', 'code-quality-reviewer', 'security-reviewer', 'implementer']],
  ])('in %s', (phase, roles) => {
    expect(rolesOf(phase, [])).toEqual(roles);
  });

  test('with preparations, each role once', () => {
    const roles = rolesOf('implement', [SIMPLIFIER, ...[A, B].flatMap((preparation) => preparation ?? [])]);
    expect(roles.slice(4)).toEqual(['code-simplifier', 'test-deepener']);
  });
});

describe('the documents to read', () => {
  const ALL: readonly Artifact[] = ['prd.md', 'spec.md', 'design.md', 'plan.md', 'tasks.md'];

  test.each<[PhaseName, number]>([
    ['specify', 2],
    ['design', 3],
    ['create-plan', 4],
    ['create-tasks', 5],
    ['implement', 5],
  ])('in %s: all earlier documents, in their usual order', (phase, count) => {
    for (const isFixed of [true, false]) {
      expect(requiredDocuments(phase, BUILT_IN, isFixed)).toEqual(ALL.slice(0, count));
    }
  });

  test('are those of the roles, and always the document under review', () => {
    const quiet: Roles = {
      ...BUILT_IN,
      'spec-reviewer': { ...BUILT_IN['spec-reviewer'], artifacts: [] },
      'phase-reviewer': { ...BUILT_IN['phase-reviewer'], artifacts: {} },
    };
    expect(requiredDocuments('specify', quiet, false)).toEqual(['spec.md']);
    const curious = {
      ...quiet,
      'spec-reviewer': { ...quiet['spec-reviewer'], artifacts: ['tasks.md', 'prd.md'] },
    } as const;
    expect(requiredDocuments('specify', curious, false)).toEqual(['prd.md', 'spec.md', 'tasks.md']);
  });

  test('documents that only the fixer reads are required only with a fixer', () => {
    const roles: Roles = { ...BUILT_IN, implementer: { ...BUILT_IN.implementer, artifacts: ['tasks.md'] } };
    expect(requiredDocuments('specify', roles, false)).not.toContain('tasks.md');
    expect(requiredDocuments('specify', roles, true)).toContain('tasks.md');
  });
});

test('every document except the PRD is the output of a phase', () => {
  expect((['prd.md', 'spec.md', 'design.md', 'plan.md', 'tasks.md'] as const).map(phaseOf)).toEqual([
    null,
    ...PHASES.slice(0, 4),
  ]);
});

test.each([
  ['docs/f', 'docs/f/spec.md'],
  ['', 'spec.md'],
])('a document of the feature at %j', (feature, path) => {
  expect(documentPath(feature as RepoPath, 'spec.md')).toBe(path);
});
