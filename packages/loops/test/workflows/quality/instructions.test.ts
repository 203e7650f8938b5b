import { headings } from '@onceover/testing/headings.ts';
import { describe, expect, test } from 'vitest';
import { qualityInstructions } from '../../../src/workflows/quality/prompt.ts';
import type { ScopedReview } from '../../../src/workflows/quality/types.ts';

const OUTPUTS =
  '==================== BEGIN OUTPUTS ====================\n…\n==================== END OUTPUTS ====================';

const WHOLE: ScopedReview = {
  review: { run_each: 'step', quality_criteria: { Consistent: 'Do the outputs agree with each other?' } },
  files: null,
};
const REPORT: ScopedReview = {
  review: { run_each: 'report', quality_criteria: { Short: 'Is it at most a page?' } },
  files: { each: false, paths: ['report.md'] },
};
const PAGES: ScopedReview = {
  review: {
    run_each: 'pages',
    quality_criteria: { Clear: 'Is it clear?', 'Sources named': 'Does every claim name its source?' },
    additional_review_guidance: 'Compare with `brief.md`.',
  },
  files: { each: true, paths: ['pages/one.md', 'pages/two.md'] },
};

const written = (reviews: readonly ScopedReview[], notes: string | null = null) =>
  qualityInstructions({ reviews, outputs: OUTPUTS, root: '/p', notes });

test('match the golden file for several reviews [JOBS-REQ-004.2.9] [JOBS-REQ-004.5.1]', async () => {
  await expect(written([WHOLE, REPORT, PAGES], 'Table 2 is from the survey.')).toMatchFileSnapshot(
    'golden/quality/instructions.golden.md',
  );
});

test('match the golden file for one review', async () => {
  await expect(written([WHOLE])).toMatchFileSnapshot('golden/quality/instructions-one.golden.md');
});

test('have header, outputs, criteria, author notes, guidelines and task in this order [JOBS-REQ-004.2.9]', () => {
  expect(headings(written([REPORT], 'Mind the gap.'))).toEqual([
    '# Quality Review',
    '## Outputs',
    '## Criteria to Evaluate',
    '## Author Notes',
    '## Guidelines',
    '## Task',
  ]);
  expect(written([REPORT])).toContain(`\n\n${OUTPUTS}\n\n`);
  expect(headings(written([REPORT]))).not.toContain('## Author Notes');
});

test('number several reviews, each with its scope [JOBS-REQ-004.5.2]', () => {
  expect(headings(written([WHOLE, REPORT, PAGES])).filter((heading) => heading.startsWith('## Review'))).toEqual([
    '## Review 1: all outputs together',
    "## Review 2: output 'report'",
    "## Review 3: output 'pages'",
  ]);
  expect(written([WHOLE, REPORT, PAGES])).not.toContain('Criteria to Evaluate');
});

test.each([
  ['of the step', WHOLE],
  ['of an output', PAGES],
])('do not number a single review: %s [JOBS-REQ-004.5.3]', (_, review) => {
  const text = written([review]);
  expect(headings(text)).toContain('## Criteria to Evaluate');
  expect(text).not.toMatch(/Review 1/);
});

test('list every file of a per-file review [JOBS-REQ-004.5.4]', () => {
  expect(written([PAGES])).toContain(
    "Judge each of these files of output 'pages' on its own:\n\n- pages/one.md\n- pages/two.md\n\n",
  );
});

test('have guidance as a section of its review, if there is any [JOBS-REQ-004.5.5] [JOBS-REQ-004.10.4]', () => {
  expect(written([WHOLE, PAGES])).toContain('\n\n### Additional Context\n\nCompare with `brief.md`.\n\n');
  expect(written([WHOLE, REPORT])).not.toContain('Additional Context');
});

describe('say', () => {
  const text = written([WHOLE, PAGES], 'Mind the gap.');

  test.each([
    [
      'the role of the reviewer [JOBS-REQ-004.10.1]',
      'You are a reviewer. You judge the outputs of one step of a workflow',
    ],
    ['the criteria in bold [JOBS-REQ-004.10.2]', '\n- **Clear**: Is it clear?\n- **Sources named**: Does every claim'],
    [
      'the notes under their heading [JOBS-REQ-004.10.3]',
      '\n## Author Notes\n\nClaims of the author. Check them:\n\n```\nMind the gap.\n```\n',
    ],
    ['to be strict but fair [JOBS-REQ-004.5.6]', '\n- Be strict but fair: '],
    ['to be pragmatic [JOBS-REQ-004.5.6]', '\n- Apply criteria pragmatically: '],
    ['to give actionable feedback [JOBS-REQ-004.5.6]', '\n- Provide actionable feedback: '],
    [
      'when the overall result passes [JOBS-REQ-004.10.5]',
      '\n- The overall result passes only if ALL criteria pass.\n',
    ],
    [
      'that criteria that do not apply pass [JOBS-REQ-004.10.6]',
      "\n- Criteria that are not applicable to the step's purpose pass.\n",
    ],
  ])('%s', (_, words) => {
    expect(text).toContain(words);
  });

  test('five steps of the task [JOBS-REQ-004.5.7]', () => {
    const steps = text.slice(text.indexOf('## Task')).match(/^\d\. .*$/gm);
    expect(steps?.map((step) => /^\d\. (?:\S+ ){2,3}/.exec(step)?.[0].trim())).toEqual([
      '1. Read the output',
      '2. Evaluate every criterion',
      '3. Report PASS or',
      '4. State the overall',
      '5. Provide feedback for',
    ]);
    expect(text.endsWith('how to fix it.\n')).toBe(true);
  });
});

test.each<[string, readonly ScopedReview[], string]>([
  ['no reviews', [], 'No quality criteria are defined, so nothing can fail.'],
  [
    'a review without criteria',
    [{ ...WHOLE, review: { run_each: 'step', quality_criteria: {} } }],
    'No quality criteria are defined',
  ],
  [
    'a missing optional output',
    [{ ...PAGES, files: { each: true, paths: [] } }],
    "There is nothing to judge: output 'pages' has no files.",
  ],
])('cover the case of %s', (_, reviews, words) => {
  expect(written(reviews)).toContain(words);
  expect(headings(written(reviews))).toContain('## Criteria to Evaluate');
});
