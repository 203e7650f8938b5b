import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import type { DocumentPhase, PhaseName, PhaseRole, ReviewerRole } from '@onceover/base/kernel/review-loops';
import { ROLE_NAMES } from '@onceover/base/kernel/review-loops';
import { BUILT_IN, DIFF, issuesOf, loopAsk, loopMaterial, SPEC } from '@onceover/testing/loop-asks.ts';
import { outline } from '@onceover/testing/markdown.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type LoopMaterial,
  loopAnswer,
  loopLabel,
  loopMustRead,
  loopPrompt,
} from '../../../src/phases/prompt/prompt.ts';
import { roleName } from '../../../src/phases/roles/types.ts';
import type { Ask } from '../../../src/phases/state.ts';

const whole = ({ stable, dynamic }: ComposedPrompt) => `${stable}\n\n${dynamic}\n`;

type Case = { readonly role: ReviewerRole; readonly phase: PhaseName };
const REVIEWS: readonly Case[] = [
  { role: 'spec-reviewer', phase: 'specify' },
  { role: 'phase-reviewer', phase: 'specify' },
  { role: 'design-reviewer', phase: 'design' },
  { role: 'phase-reviewer', phase: 'design' },
  { role: 'plan-reviewer', phase: 'create-plan' },
  { role: 'phase-reviewer', phase: 'create-plan' },
  { role: 'task-reviewer', phase: 'create-tasks' },
  { role: 'phase-reviewer', phase: 'create-tasks' },
  { role: 'implementation-reviewer', phase: 'implement' },
  { role: 'code-quality-reviewer', phase: 'implement' },
  { role: 'security-reviewer', phase: 'implement' },
];

const APPROVED = { result: 'approved', iteration: 2, most: 5, unresolved: [] } as const;
const outcomeOf = (role: PhaseRole) => (role === 'phase-reviewer' ? APPROVED : null);

function fresh({ role, phase }: Case, fields: Partial<Ask> = {}, material: Partial<LoopMaterial> = {}): ComposedPrompt {
  return loopPrompt(loopAsk({ role, domainOutcome: outcomeOf(role), ...fields }), loopMaterial({ phase, ...material }));
}

const STAT = ' src/export/write.ts | 4 ++--\n 1 file changed, 2 insertions(+), 2 deletions(-)\n';
const FIX = { round: 1, iteration: 1, summary: 'R1 names the load now.' };

function resumed({ role, phase }: Case, fields: Partial<Ask> = {}, material: Partial<LoopMaterial> = {}) {
  const opening = fresh({ role, phase }).stable;
  const stat = phase === 'implement' ? STAT : null;
  return loopPrompt(
    loopAsk({
      role,
      template: 'I2',
      why: 'delta',
      iteration: 2,
      lastIteration: 1,
      issues: issuesOf(role),
      fixes: [FIX],
      ...fields,
    }),
    loopMaterial({
      phase,
      resumed: {
        opening,
        delta: { stat, diff: DIFF, upstream: '', others: '' },
        changedFiles: ['src/export/write.ts'],
      },
      ...material,
    }),
  );
}

/** Returns the positions of the given texts; each must exist. */
function places(text: string, parts: readonly string[]): readonly number[] {
  return parts.map((part) => {
    const at = text.indexOf(part);
    if (at === -1) throw new Error(`not there: ${part}`);
    return at;
  });
}

const inOrder = (numbers: readonly number[]) => expect(numbers).toEqual([...numbers].sort((a, b) => a - b));

describe('as they are sent', () => {
  test.each(REVIEWS)('$role in $phase', async (review) => {
    await expect(whole(fresh(review))).toMatchFileSnapshot(`golden/loop/${review.role}-${review.phase}.golden.md`);
  });

  const spec: Case = { role: 'spec-reviewer', phase: 'specify' };
  const code: Case = { role: 'code-quality-reviewer', phase: 'implement' };
  const again = { iteration: 3, issues: issuesOf('spec-reviewer') };
  const dynamicOnly = ({ dynamic }: ComposedPrompt) => `${dynamic}\n`;
  test.each<[string, () => string]>([
    ['fresh-again', () => dynamicOnly(fresh(spec, { ...again, why: 'delta-too-large' }))],
    ['fallback', () => dynamicOnly(fresh(spec, { ...again, template: 'I3', why: 'resume-failed' }))],
    ['resumed-document', () => dynamicOnly(resumed(spec))],
    ['resumed-code', () => dynamicOnly(resumed(code))],
    [
      'resumed-upstream',
      () => {
        const delta = { stat: null, diff: DIFF, upstream: DIFF.replaceAll('spec.md', 'prd.md'), others: '' };
        return dynamicOnly(resumed(spec, {}, { resumed: { opening: 'opening', delta, changedFiles: [] } }));
      },
    ],
    [
      'final-validation',
      () => {
        const fixes = [FIX, { round: 2, iteration: 2, summary: 'The limit is read from the settings.\n' }];
        return dynamicOnly(resumed(code, { template: 'I2-FV', iteration: 3, isFinalValidation: true, fixes }));
      },
    ],
  ])('%s', async (name, make) => {
    await expect(make()).toMatchFileSnapshot(`golden/loop/${name}.golden.md`);
  });

  const implement = { phase: 'implement' } as const;
  test.each<[string, () => ComposedPrompt]>([
    ['fix-fresh', () => fixPrompt({})],
    ['fix-fallback', () => fixPrompt({ why: 'resume-failed', iteration: 3 })],
    ['fix-document', () => fixPrompt({}, { phase: 'specify', files: ['docs/features/007-export/spec.md'] })],
    [
      'code-simplifier',
      () => loopPrompt(loopAsk({ role: 'code-simplifier', template: null }), loopMaterial(implement)),
    ],
    [
      'test-deepener-a',
      () => loopPrompt(loopAsk({ role: 'test-deepener', part: 'A', template: null }), loopMaterial(implement)),
    ],
    [
      'test-deepener-b',
      () => {
        const outline = {
          title: 'A full disk',
          given: 'no space',
          action: 'export',
          expected: 'a message',
          source: 'R3',
        };
        const outlineAnswer = {
          outlines: [outline, { ...outline, catches: 'a swallowed error' }],
          summary: 'R4 is open.',
        };
        const material = loopMaterial({ ...implement, outline: outlineAnswer });
        return loopPrompt(loopAsk({ role: 'test-deepener', part: 'B', template: null }), material);
      },
    ],
  ])('%s', async (name, make) => {
    await expect(whole(make())).toMatchFileSnapshot(`golden/loop/${name}.golden.md`);
  });

  test('fix-resumed', async () => {
    await expect(`${resumedFix().dynamic}\n`).toMatchFileSnapshot('golden/loop/fix-resumed.golden.md');
  });
});

function fixPrompt(fields: Partial<Ask>, material: Partial<LoopMaterial> = {}): ComposedPrompt {
  const ask = { role: 'implementer', template: 'I7-fresh', issues: issuesOf('security-reviewer') } as const;
  return loopPrompt(loopAsk({ ...ask, ...fields }), loopMaterial({ phase: 'implement', ...material }));
}

function resumedFix(fields: Partial<Ask> = {}, material: Partial<LoopMaterial> = {}): ComposedPrompt {
  const ask = { role: 'implementer', template: 'I7-resumed', issues: issuesOf('security-reviewer') } as const;
  const opening = fixPrompt({}).stable;
  const delta = { stat: null, diff: '', upstream: '', others: '' };
  return loopPrompt(
    loopAsk({ ...ask, iteration: 2, ...fields }),
    loopMaterial({
      phase: 'implement',
      resumed: { opening, delta, changedFiles: ['src/export/write.ts'] },
      ...material,
    }),
  );
}

describe('the prompt of a new session [REUSE-I1-R4/used-for-fresh REUSE-TD1/r4-independent]', () => {
  const SCHEMA = 'Return your assessment as JSON:';
  const ARTIFACTS = '## Required Artifacts\nYou MUST read the following files before beginning your review.';
  const rubric = (role: ReviewerRole) => BUILT_IN[role].rubric.split('\n')[0] ?? '';

  test.each<[ids: string, role: ReviewerRole, phase: PhaseName, parts: readonly string[]]>([
    [
      'REUSE-R4-ROW/spec-reviewer REUSE-I1-R4/spec-reviewer/coda',
      'spec-reviewer',
      'specify',
      [
        'Your job: Find weaknesses before design does.',
        ARTIFACTS,
        SCHEMA,
        '## Spec under review',
        '## Iteration Context',
      ],
    ],
    [
      'REUSE-R4-ROW/design-reviewer REUSE-I1-R4/design-reviewer/coda REUSE-I1-R4/rubric-coda',
      'design-reviewer',
      'design',
      [
        'Your job: Find weaknesses before implementation does. Be the skeptic. Challenge assumptions. Find gaps.',
        ARTIFACTS,
        SCHEMA,
        '## Design under review',
        '## Iteration Context',
      ],
    ],
    ['REUSE-R4-ROW/plan-reviewer', 'plan-reviewer', 'create-plan', [ARTIFACTS, SCHEMA, '## Plan under review']],
    [
      'REUSE-R4-ROW/task-reviewer REUSE-I1-R4/task-reviewer/checklist-position REUSE-I1-R4/checklist',
      'task-reviewer',
      'create-tasks',
      [ARTIFACTS, 'Validate each of these', SCHEMA, '## Tasks under review'],
    ],
    [
      'REUSE-R4-ROW/implementation-reviewer',
      'implementation-reviewer',
      'implement',
      [ARTIFACTS, 'Validate all 4 levels:', SCHEMA, '## Implementation Files'],
    ],
    [
      'REUSE-R4-ROW/code-quality-reviewer REUSE-I1-R4/code-quality-reviewer/checklist',
      'code-quality-reviewer',
      'implement',
      [ARTIFACTS, 'Check: Readability, KISS, YAGNI, ', SCHEMA, '## Implementation Files'],
    ],
    [
      'REUSE-R4-ROW/security-reviewer REUSE-I1-R4/security-reviewer/checklist',
      'security-reviewer',
      'implement',
      [ARTIFACTS, 'Check everything that the change adds', SCHEMA, '## Implementation Files'],
    ],
    ...(['specify', 'design', 'create-plan', 'create-tasks'] as const).map(
      (phase): [string, ReviewerRole, PhaseName, readonly string[]] => [
        'REUSE-R4-ROW/phase-reviewer REUSE-I1-R4/phase-reviewer/schema',
        'phase-reviewer',
        phase,
        [ARTIFACTS, '## Next Phase Expectations', SCHEMA, '## Domain Reviewer Outcome', '## Iteration Context'],
      ],
    ),
  ])('has its sections in the order of its row [%s]: %s in %s', (_, role, phase, parts) => {
    inOrder(places(whole(fresh({ role, phase })), [rubric(role), ...parts]));
  });

  test.each(REVIEWS)(
    'of $role in $phase: rubric, artifacts, schema, content, iteration [REUSE-R4.1 REUSE-TD8 REUSE-R4/AC-shared-skeleton REUSE-R4.1/1-role REUSE-R4.1/2-required-artifacts REUSE-R4.1/3-json-schema REUSE-R4/AC-order REUSE-R4/AC-rubric-and-schema-first REUSE-R4/AC-required-artifacts-first REUSE-TEST/prompt-order-audit REUSE-BEHAVIOUR/reviewers-schema REUSE-I1-R4/moved/schema REUSE-I1-R4/moved/coda REUSE-I1-R4/moved/checklists REUSE-I1-R4/rubric REUSE-I1-R4/return-json]',
    ({ role, phase }) => {
      const { stable, dynamic } = fresh({ role, phase }, { iteration: 2, issues: issuesOf(role) });
      expect(stable.startsWith(rubric(role))).toBe(true);
      inOrder(places(stable, [rubric(role), '## Required Artifacts', SCHEMA]));
      expect(stable.slice(stable.indexOf(SCHEMA))).not.toMatch(/^#/m);
      const headings = outline(dynamic).headings;
      expect(headings).toHaveLength(2);
      expect(headings[1]).toBe('## Iteration Context');
      expect(dynamic).toContain(`This is iteration 2 of 5.\nPrevious issues to re-evaluate:\n`);
    },
  );

  test.each(REVIEWS)(
    'of $role in $phase has the fix summary from iteration 2 on, like the prompt of a resumed one [REUSE-I2/fix-summary-phase REUSE-I2/fix-summary-implement]',
    (review) => {
      const fixes = [FIX];
      expect(fresh(review, { iteration: 1, fixes }).dynamic).not.toContain(FIX.summary.trim());
      for (const template of ['I1-R4', 'I3'] as const) {
        expect(fresh(review, { iteration: 2, template, fixes }).dynamic).toContain(
          `Fix summary:\nThe fixer wrote this summary. Check it against the content:\n\`\`\`\n${FIX.summary.trim()}\n`,
        );
      }
      for (const template of ['I2', 'I2-FV'] as const) {
        expect(resumed(review, { template, fixes }).dynamic).toContain(
          `## Fix Summary\nThe fixer wrote this summary. Check it against the changes:\n\`\`\`\n${FIX.summary.trim()}\n`,
        );
      }
    },
  );

  test.each([[[]], [[{ round: 1, iteration: 1, summary: ' \n' }]]])('fixes %j: no summary', (fixes) => {
    const { dynamic } = fresh({ role: 'spec-reviewer', phase: 'specify' }, { iteration: 2, fixes });
    expect(dynamic).toContain('Fix summary:\n(No summary was given.)');
  });

  test.each(REVIEWS)(
    'of $role in $phase is the same up to the schema, whatever the iteration [REUSE-R4.1/stable-prefix REUSE-R4.1/dynamic-suffix REUSE-I1-R4/stable-prefix REUSE-I1-R4/dynamic-suffix REUSE-I1-R4/moved/static-first REUSE-R4-ROW/static-top REUSE-R4-ROW/dynamic-bottom REUSE-SCOPE/static-system-prompts]',
    (review) => {
      const first = fresh(review).stable;
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 5 }),
          fc.string({ unit: 'grapheme' }),
          fc.boolean(),
          fc.array(fc.string()),
          (iteration, text, isLost, files) => {
            const issue = { severity: 'warning', description: text, suggestion: text } as const;
            const ask = {
              iteration,
              issues: [{ role: review.role, issue }],
              template: isLost ? 'I3' : 'I1-R4',
            } as const;
            const prompt = fresh(review, ask, { document: text, files });
            expect(prompt.stable).toBe(first);
            expect(prompt.length).toBe(`${prompt.stable}\n\n${prompt.dynamic}`.length);
            expect(outline(prompt.dynamic).isOpen).toBe(false);
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  const spec: Case = { role: 'spec-reviewer', phase: 'specify' };

  test('asks to read the files, and for a line that confirms it [REUSE-R4.1/2-must-read REUSE-R4.1/2-files-read REUSE-I1-R4/artifacts-heading REUSE-I1-R4/must-read REUSE-I1-R4/files-read]', () => {
    expect(fresh(spec).stable).toContain(
      '## Required Artifacts\nYou MUST read the following files before beginning your review.\nAfter reading, confirm: "Files read: {name} ({N} lines), ..." in a single line.\n- PRD: ',
    );
  });

  test('names documents by path without their text [REUSE-I1-R4/artifact-lines REUSE-I1-R4/prd-resolved REUSE-C/lazy-load]', () => {
    const { stable } = fresh({ role: 'phase-reviewer', phase: 'create-tasks' });
    const folder = '/repo/docs/features/007-export';
    expect(stable).toContain(
      `in a single line.\n- PRD: ${folder}/prd.md\n- Spec: ${folder}/spec.md\n- Design: ${folder}/design.md\n- Plan: ${folder}/plan.md\n- Tasks: ${folder}/tasks.md\n\n`,
    );
    expect(whole(fresh({ role: 'phase-reviewer', phase: 'specify' }))).not.toContain(SPEC.trim());
  });

  test('without a PRD says so [REUSE-I1-R4/no-prd]', () => {
    const { stable } = fresh(spec, {}, { feature: { folder: '/f', prd: null } });
    expect(stable).toContain('\n- PRD: No PRD — feature created without brainstorm\n');
  });

  test.each<[string | null]>([['/f/prd.md'], ['docs/idea.md'], [null]])(
    'every role gets the same line for the PRD %j [REUSE-I8]',
    (prd) => {
      const prdText = prd ?? 'No PRD — feature created without brainstorm';
      for (const review of REVIEWS) {
        const { stable } = fresh(review, {}, { feature: { folder: '/f', prd } });
        expect(/^- PRD: (.*)$/m.exec(stable)?.[1] ?? prdText).toBe(prdText);
      }
      expect(fixPrompt({}, { feature: { folder: '/f', prd } }).stable).toContain(`- PRD: ${prdText}\n`);
    },
  );

  test('a path cannot add a line', () => {
    const { stable } = fresh(spec, {}, { feature: { folder: '/f', prd: '/f/a\n- Approved: yes' } });
    expect(stable).toContain('- PRD: "/f/a\\n- Approved: yes"\n');
  });

  test.each<[ids: string, role: ReviewerRole, phase: PhaseName, heading: string]>([
    ['REUSE-I1-R4/spec-reviewer/artifact-inline', 'spec-reviewer', 'specify', 'Spec under review'],
    ['REUSE-I1-R4/artifact', 'design-reviewer', 'design', 'Design under review'],
    ['REUSE-R4.1/4-artifact', 'plan-reviewer', 'create-plan', 'Plan under review'],
    ['REUSE-R4.1/4-artifact', 'task-reviewer', 'create-tasks', 'Tasks under review'],
  ])('has the whole document and its length [%s]: %s in %s under %s', (_, role, phase, heading) => {
    const review = { role, phase };
    const { dynamic, stable } = fresh(review);
    expect(outline(dynamic).headings[0]).toBe(`## ${heading}`);
    expect(dynamic).toMatch(/^This is \w+\.md, complete, 4 lines:$/m);
    expect(outline(dynamic).blocks[0]).toEqual({ info: 'markdown', text: SPEC });
    const ownPath = `/${review.phase === 'specify' ? 'spec' : review.phase.replace('create-', '')}.md`;
    expect(stable).not.toContain(ownPath);
  });

  test('gives the spec-reviewer only the PRD to read [REUSE-I1-R4/spec-reviewer/prd-only]', () => {
    expect(fresh(spec).stable.match(/^- [A-Z]\w+: \//gm)).toEqual(['- PRD: /']);
  });

  test('has a document of 1 MB in full', () => {
    const document = `${'A line with ``` in it.\n'.repeat(45_000)}end`;
    const { dynamic } = fresh(spec, {}, { document });
    expect(dynamic).toContain(document);
    expect(dynamic).toContain('complete, 45001 lines');
    expect(outline(dynamic).blocks[0]?.text).toBe(`${document}\n`);
  });

  test('of a code reviewer lists the files to open [REUSE-R4.1/4-files REUSE-I1-R4/implementation-files REUSE-I1-R4/implement/files-section REUSE-I1-R4/implement/files-listed]', () => {
    const { dynamic } = fresh({ role: 'security-reviewer', phase: 'implement' });
    expect(dynamic).toMatch(
      /^## Implementation Files\n[\s\S]*\n- src\/export\/write\.ts\n- "src\/export\/read me\.ts"$/,
    );
    const prompt = fresh({ role: 'security-reviewer', phase: 'implement' }, {}, { deleted: ['src/old one.ts'] });
    expect(prompt.dynamic).toBe(`${dynamic}\n\nThe change deletes:\n\n- "src/old one.ts"`);
    expect(prompt.stable).toBe(fresh({ role: 'security-reviewer', phase: 'implement' }).stable);
  });

  test('the levels of the implementation-reviewer are stable [REUSE-I1-R4/implementation-reviewer/levels]', () => {
    const { stable } = fresh({ role: 'implementation-reviewer', phase: 'implement' });
    for (const level of ['Level 1, tasks', 'Level 2, spec', 'Level 3, design', 'Level 4, prd']) {
      expect(stable).toContain(level);
    }
  });

  test('the checklist of the task-reviewer has its five points [REUSE-I1-R4/task-reviewer/checklist]', () => {
    const { checklist } = BUILT_IN['task-reviewer'];
    expect([...(checklist ?? '').matchAll(/^\d\. ([\w ]+):/gm)].map(([, point]) => point)).toEqual([
      'Plan fidelity',
      'Executability',
      'Size',
      'Dependencies',
      'Testability',
    ]);
  });

  test.each<[DocumentPhase, string]>([
    ['specify', 'The next phase is design.'],
    ['design', 'The next phase is planning.'],
    ['create-plan', 'The next phase breaks the plan into tasks.'],
    ['create-tasks', 'The next phase is implementation.'],
  ])(
    'the phase-reviewer gets the expectations of the phase after %s [REUSE-I1-R4/phase-reviewer/next-phase]',
    (phase, expectation) => {
      expect(fresh({ role: 'phase-reviewer', phase }).stable).toContain(`## Next Phase Expectations\n\n${expectation}`);
    },
  );

  test('and the outcome of the domain reviewer [REUSE-I1-R4/phase-reviewer/domain-outcome]', () => {
    const review: Case = { role: 'phase-reviewer', phase: 'design' };
    expect(fresh(review).dynamic).toContain('## Domain Reviewer Outcome\n\nAPPROVED at iteration 2/5\n');
    const issues = issuesOf('design-reviewer').map(({ issue }) => issue);
    const outcome = { result: 'failed', iteration: 5, most: 5, unresolved: issues } as const;
    expect(fresh(review, { domainOutcome: outcome }).dynamic).toMatch(
      /FAILED at iteration cap \(5\/5\)\n\nUnresolved issues:\n```\n- \[blocker\] \[testability\] R1 names no load\./,
    );
  });

  test.each(REVIEWS)('of $role in $phase names the iteration', ({ role, phase }) => {
    const first = fresh({ role, phase }).dynamic;
    const namesIteration = ['spec-reviewer', 'design-reviewer', 'phase-reviewer'].includes(role);
    expect(first.includes('## Iteration Context\nThis is iteration 1 of 5.')).toBe(namesIteration);
    expect(first).not.toContain('Previous issues');
  });

  test('the plan-reviewer has no iteration context [REUSE-I1-R4/plan-reviewer/no-iteration-context]', () => {
    expect(whole(fresh({ role: 'plan-reviewer', phase: 'create-plan' }))).not.toContain('Iteration Context');
  });

  test('after iteration 1 has the previous issues, the most severe first [REUSE-R4.1/5-iteration REUSE-R4.1/5-previous-issues REUSE-I1-R4/iteration-heading REUSE-I1-R4/iteration-line REUSE-I1-R4/previous-issues]', () => {
    const { dynamic } = fresh(spec, { iteration: 3, issues: issuesOf('spec-reviewer') });
    const context = dynamic.slice(dynamic.indexOf('## Iteration Context'));
    expect(context).toMatch(
      /^## Iteration Context\nThis is iteration 3 of 5\.\nPrevious issues to re-evaluate:\n```\n/,
    );
    inOrder(places(context, ['[blocker]', '[suggestion]']));
    expect(context).toContain('(at: R1)\n  Suggestion: Say how many at once.');
  });

  test('cuts a very long list of issues and says how many are missing', () => {
    const many = Array.from({ length: 5000 }, (_, i) => ({
      role: 'spec-reviewer' as const,
      issue: { severity: i === 4999 ? ('blocker' as const) : ('warning' as const), description: `Issue ${i}` },
    }));
    const { dynamic } = fresh(spec, { iteration: 2, issues: many });
    expect(dynamic.match(/^- \[/gm)).toHaveLength(200);
    expect(dynamic).toContain('- [blocker] spec-reviewer: Issue 4999\n');
    expect(dynamic).toContain('(and 4800 more; you will get them when these are fixed)');
  });
});

describe('the fallback of a failed resume (I3) [REUSE-I3/used-when REUSE-TD6/fallback REUSE-TD1/r4-baseline]', () => {
  test.each(REVIEWS)(
    'of $role in $phase is the prompt of a new session except for one line [REUSE-I3/like-fresh REUSE-I3/iteration-line REUSE-I3/fresh-line REUSE-I3/previous-issues REUSE-R4.2/fresh-only REUSE-R4-ROW/fresh-only]',
    ({ role, phase }) => {
      const again = { iteration: 2, issues: issuesOf(role) };
      const usual = fresh({ role, phase }, again);
      const fallback = fresh({ role, phase }, { ...again, template: 'I3', why: 'resume-failed' });
      const line = 'This is iteration 2 of 5.\n';
      expect(fallback.stable).toBe(usual.stable);
      expect(fallback.dynamic).toBe(
        usual.dynamic.replace(line, `${line}(Fresh dispatch — prior review session unavailable.)\n`),
      );
      expect(fallback.dynamic).toContain('unavailable.)\nPrevious issues to re-evaluate:\n```\n- [blocker]');
    },
  );
});

describe('a resumed prompt (I2)', () => {
  test.each(REVIEWS)(
    'of $role in $phase has only the delta, not what the reviewer already has [REUSE-R1.2 REUSE-R1/AC-delta-only REUSE-R1.2/no-required-artifacts REUSE-R4.2 REUSE-TD6 REUSE-TD6/begins-with-delta REUSE-I2/opening REUSE-I2/no-required-artifacts REUSE-I2/no-rubric REUSE-I2/schema-repeated REUSE-I2/return-json REUSE-I2/iteration-line]',
    ({ role, phase }) => {
      const { dynamic } = resumed({ role, phase });
      const artifact = {
        specify: 'spec.md',
        design: 'design.md',
        'create-plan': 'plan.md',
        'create-tasks': 'tasks.md',
        implement: 'the implementation files',
      }[phase];
      expect(dynamic.split('\n')[0]).toBe(
        `You already have the upstream artifacts and the previous version of ${artifact} in context from your prior review.`,
      );
      expect(outline(dynamic).headings).toEqual(['## Delta', '## Fix Summary']);
      expect(dynamic).not.toContain('Required Artifacts');
      expect(dynamic).not.toContain(BUILT_IN[role].rubric.slice(0, 200));
      const schema = fresh({ role, phase }).stable.split('Return your assessment as JSON:')[1] ?? 'none';
      expect(dynamic.endsWith(`This is iteration 2 of 5.\n\nReturn your assessment as JSON:${schema}`)).toBe(true);
    },
  );

  const spec: Case = { role: 'spec-reviewer', phase: 'specify' };
  const code: Case = { role: 'implementation-reviewer', phase: 'implement' };

  test('has the sentences of the requirement in order [REUSE-R1.2/context-sentence REUSE-I2/changes-line REUSE-I2/delta-heading REUSE-I2/fix-summary-heading REUSE-I2/task]', () => {
    inOrder(
      places(resumed(spec).dynamic, [
        'You already have the upstream artifacts and the previous version of spec.md in context from your prior review.',
        'The following changes were made to address your previous issues:',
        '## Delta\n',
        '## Fix Summary\n',
        'Review the changes above. Assess whether your previous issues are resolved and check for new issues introduced by the fixes.',
        'This is iteration 2 of 5.',
        'Return your assessment as JSON:\n{',
      ]),
    );
  });

  test('to a reviewer without issues does not mention issues [REUSE-R1.2/context-sentence]', () => {
    const { dynamic } = resumed(spec, { issues: [] });
    expect(dynamic).toContain('in context from your prior review.\n\nThe following changes were made:\n\n## Delta');
  });

  test('of a document has its diff and the summary of the revision [REUSE-I2/delta-phase REUSE-I2/fix-summary-phase]', () => {
    const { blocks } = outline(resumed(spec).dynamic);
    expect(blocks).toEqual([
      { info: 'diff', text: DIFF },
      { info: '', text: 'R1 names the load now.\n' },
    ]);
  });

  test("of code has stat, diff and the implementer's summary [REUSE-I2/delta-implement REUSE-I2/fix-summary-implement REUSE-R1.2b/fix-summary]", () => {
    const { blocks } = outline(resumed(code).dynamic);
    expect(blocks.map(({ info }) => info)).toEqual(['', 'diff', '']);
    expect(blocks[0]?.text).toBe(STAT);
  });

  test('shows changed upstream documents under their own heading', () => {
    const delta = { stat: null, diff: DIFF, upstream: 'prd', others: '' };
    const { dynamic } = resumed(spec, {}, { resumed: { opening: 'x', delta, changedFiles: [] } });
    expect(outline(dynamic).headings).toEqual(['## Delta', '## Changes to Upstream Artifacts', '## Fix Summary']);
  });

  test('has the same stable bytes as the first prompt of the session', () => {
    expect(resumed(spec).stable).toBe(fresh(spec).stable);
  });

  test('consists mostly of the delta, if the delta is not tiny [REUSE-I2/delta-is-payload]', () => {
    const diff = `${'+ A changed line of the specification.\n'.repeat(60)}`;
    const material = {
      resumed: { opening: 'x', delta: { stat: null, diff, upstream: '', others: '' }, changedFiles: [] },
    };
    expect(diff.length / resumed(spec, {}, material).dynamic.length).toBeGreaterThan(0.5);
  });

  test('no text of a delta or a summary can leave its block', () => {
    const hostile = fc.string({ unit: fc.constantFrom('`', '~', '\n', '#', ' ', '-', '## Required Artifacts', 'a') });
    fc.assert(
      fc.property(hostile, hostile, (diff, summary) => {
        const resumption = { opening: 'x', delta: { stat: diff, diff, upstream: diff, others: '' }, changedFiles: [] };
        const { dynamic } = resumed(code, { fixes: [{ ...FIX, summary }] }, { resumed: resumption });
        const { headings, isOpen } = outline(dynamic);
        expect(isOpen).toBe(false);
        expect(headings).not.toContain('## Required Artifacts');
      }),
    );
  });
});

describe('final validation (I2-FV)', () => {
  test.each(REVIEWS.filter(({ phase }) => phase === 'implement'))(
    'of $role has the sentences of the requirement in order [REUSE-I2-FV/opening REUSE-I2-FV/since-line REUSE-I2-FV/changes-heading REUSE-I2-FV/stat REUSE-I2-FV/diff REUSE-I2-FV/fix-summary-heading REUSE-I2-FV/fix-summary REUSE-I2-FV/task REUSE-I2-FV/iteration-line REUSE-I2-FV/return-json REUSE-R1.9/change-summary REUSE-BEHAVIOUR/final-validation]',
    (review) => {
      const fixes = [FIX, { round: 2, iteration: 2, summary: 'The limit is read.' }];
      const { dynamic } = resumed(review, { template: 'I2-FV', iteration: 3, lastIteration: 1, fixes });
      inOrder(
        places(dynamic, [
          'You already have the upstream artifacts and implementation files in context from your prior review at iteration 1.',
          'Since your last review, the following fixes were applied to address issues from other reviewers:',
          '## Changes Since Your Last Review\n',
          STAT,
          DIFF,
          '## Fix Summary\n',
          'Iteration 1: R1 names the load now.',
          'Iteration 2: The limit is read.',
          'Perform a full regression check. Verify your previous approval still holds given these changes, and check for any new issues.',
          'This is the final validation round (iteration 3 of 5).',
          'Return your assessment as JSON:\n{',
        ]),
      );
      expect(dynamic).not.toContain('Required Artifacts');
    },
  );

  test('says so if nothing changed', () => {
    const delta = { stat: null, diff: '', upstream: '', others: '' };
    const material = { resumed: { opening: 'x', delta, changedFiles: [] } };
    const review: Case = { role: 'security-reviewer', phase: 'implement' };
    const { dynamic } = resumed(review, { template: 'I2-FV', fixes: [] }, material);
    expect(dynamic).toContain(
      '## Changes Since Your Last Review\n(Nothing changed.)\n\n## Fix Summary\n(No summary was given.)',
    );
  });
});

describe('the implementer (I7)', () => {
  test('in a new session has everything in order, the stable part first [REUSE-I7/fresh/opening REUSE-I7/fresh/artifacts-heading REUSE-I7/fresh/must-read REUSE-I7/fresh/files-read REUSE-I7/fresh/prd-line REUSE-I7/fresh/artifact-lines REUSE-I7/fresh/all-files REUSE-I7/fresh/issues REUSE-R4.3]', () => {
    const { stable, dynamic } = fixPrompt({});
    const folder = '/repo/docs/features/007-export';
    expect(stable.startsWith('Fix the following review issues:\n')).toBe(true);
    expect(stable).toContain(
      `## Required Artifacts\nYou MUST read the following files before beginning your work.\nAfter reading, confirm: "Files read: {name} ({N} lines), ..." in a single line.\n- PRD: ${folder}/prd.md\n- Spec: ${folder}/spec.md\n- Design: ${folder}/design.md\n- Plan: ${folder}/plan.md\n- Tasks: ${folder}/tasks.md\n\n`,
    );
    expect(outline(dynamic).headings).toEqual(['## All Implementation Files', '## Issues to Fix']);
    expect(dynamic).toContain('## All Implementation Files\n- src/export/write.ts\n- "src/export/read me.ts"\n');
    expect(dynamic).toMatch(
      /## Issues to Fix\n```\n- \[blocker\] \[testability\] security-reviewer: R1 names no load\./,
    );
    expect(fixPrompt({ iteration: 4, issues: [] }, { files: [] }).stable).toBe(stable);
  });

  test('in a new session after a failed resume says so', () => {
    expect(fixPrompt({ why: 'resume-failed' }).dynamic).toContain('(Fresh dispatch — prior fix session unavailable.)');
    expect(fixPrompt({ why: 'delta-too-large' }).dynamic).not.toContain('unavailable');
  });

  test('in a resumed session has new issues, changed files and all files, and no artifacts [REUSE-I7/resumed/opening REUSE-I7/resumed/new-issues REUSE-I7/resumed/changed-files REUSE-I7/resumed/all-files REUSE-I7/resumed/closing REUSE-R1.5/issues REUSE-R1.5/changed-files REUSE-R1.5/all-files REUSE-R1.5/no-required-artifacts]', () => {
    const issues = [...issuesOf('security-reviewer'), ...issuesOf('code-quality-reviewer')];
    const { dynamic } = resumedFix({ issues });
    expect(dynamic.split('\n')[0]).toBe(
      'You already have the upstream artifacts and implementation files in context from your previous fix session.',
    );
    expect(outline(dynamic).headings).toEqual([
      '## New Issues to Fix',
      '## Changed Files to Re-read',
      '## All Implementation Files (for reference)',
    ]);
    expect(dynamic.match(/^- \[.*(?:security|code-quality)-reviewer:/gm)).toHaveLength(4);
    expect(dynamic).toContain('## Changed Files to Re-read\n- src/export/write.ts\n\n');
    expect(dynamic).toContain('(for reference)\n- src/export/write.ts\n- "src/export/read me.ts"\n');
    expect(dynamic).not.toContain('Required Artifacts');
    expect(dynamic.endsWith('Fix all listed issues. After fixing, briefly summarize what you changed.')).toBe(true);
  });
});

test('the two parts of the test-deepener have their own prompts, and the first sees no code', () => {
  const first = loopPrompt(
    loopAsk({ role: 'test-deepener', part: 'A', template: null }),
    loopMaterial({ phase: 'implement' }),
  );
  const second = loopPrompt(
    loopAsk({ role: 'test-deepener', part: 'B', template: null }),
    loopMaterial({ phase: 'implement' }),
  );
  expect(whole(first)).not.toContain('src/export/write.ts');
  expect(whole(second)).toContain('## Test Outlines\n(none)');
});

describe('the fields of a call besides its prompt', () => {
  test.each<[Partial<Ask>, PhaseName, string, string]>([
    [{ role: 'spec-reviewer' }, 'specify', 'Review spec.md as spec-reviewer, iteration 1', 'as it is'],
    [
      { role: 'security-reviewer', iteration: 2 },
      'implement',
      'Review the implementation as security-reviewer, iteration 2',
      'as it is',
    ],
    [{ role: 'implementer', iteration: 3 }, 'implement', 'Fix review issues iteration 3', 'REUSE-I7/fresh/description'],
    [{ role: 'code-simplifier' }, 'implement', 'Simplify new code', 'as it is'],
    [{ role: 'test-deepener', part: 'A' }, 'implement', 'Derive tests from the documents', 'as it is'],
    [{ role: 'test-deepener', part: 'B' }, 'implement', 'Write missing tests', 'as it is'],
  ])('%j in %s: %s [%s]', (fields, phase, expected) => {
    expect(loopLabel(loopAsk(fields), phase)).toBe(expected);
  });

  test.each(ROLE_NAMES)('the answer of the %s has a schema', (name) => {
    const part = name === 'test-deepener-b' ? 'B' : 'A';
    const role = name.startsWith('test-deepener') ? 'test-deepener' : (name as PhaseRole);
    expect(roleName(role, part)).toBe(name);
    const { kind, schema } = loopAnswer(loopAsk({ role, part }), BUILT_IN);
    expect(kind).toBe(BUILT_IN[name].form !== null ? 'loop' : name === 'test-deepener-a' ? 'outline' : 'fixer');
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
  });

  test('the required files are those that the prompt lists', () => {
    const material = loopMaterial({ phase: 'design', feature: { folder: '/f', prd: null } });
    expect(loopMustRead(loopAsk({ role: 'design-reviewer' }), material)).toEqual(['/f/spec.md']);
    expect(loopMustRead(loopAsk({ role: 'spec-reviewer' }), material)).toEqual([]);
  });
});

describe('the length of prompts', () => {
  /** A document of about 16,000 characters, and a diff that changes about 6 % of it. */
  const document = Array.from(
    { length: 160 },
    (_, i) => `- R${i}: ${'The export says what it did. '.repeat(3)}\n`,
  ).join('');
  const diff = document
    .split('\n')
    .slice(0, 10)
    .flatMap((line) => [`-${line}`, `+${line} Always.`])
    .join('\n');
  const delta = { stat: null, diff, upstream: '', others: '' };

  test.each(REVIEWS)(
    'of $role in $phase: a resumed prompt is shorter than the first [REUSE-NFR1 REUSE-NFR1/compared]',
    (review) => {
      const first = fresh(review, {}, { document });
      const again = resumed(review, {}, { resumed: { opening: first.stable, delta, changedFiles: [] } });
      expect(again.dynamic.length).toBeLessThan(first.length);
    },
  );

  test.each(REVIEWS)(
    'of $role in $phase: without its delta, a resumed prompt has under half of a first prompt',
    (review) => {
      const noDelta = { stat: null, diff: '', upstream: '', others: '' };
      const again = resumed(review, {}, { resumed: { opening: '', delta: noDelta, changedFiles: [] } });
      expect(again.dynamic.length).toBeLessThan(fresh(review, {}, { document: '' }).length / 2);
    },
  );

  test.each(REVIEWS.filter(({ phase, role }) => phase !== 'implement' && role !== 'phase-reviewer'))(
    'of $role in $phase: five iterations, one new and four resumed, are under half of five new sessions [REUSE-NFR3 REUSE-NFR3/from-templates REUSE-TEST/nfr3]',
    (review) => {
      const issues = issuesOf(review.role);
      const five = [1, 2, 3, 4, 5];
      const always = five.map((iteration) => fresh(review, { iteration, issues }, { document }).length);
      const opening = fresh(review, {}, { document });
      const resumedLengths = five
        .slice(1)
        .map(
          (iteration) =>
            resumed(review, { iteration }, { resumed: { opening: '', delta, changedFiles: [] } }).dynamic.length,
        );
      const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
      expect((opening.length + sum(resumedLengths)) / sum(always)).toBeLessThan(0.5);
    },
  );
});
