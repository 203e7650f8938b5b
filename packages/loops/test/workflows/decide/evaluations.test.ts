import { output, reviewOf, stepOf } from '@onceover/testing/workflow/samples.ts';
import { expect, test } from 'vitest';
import { evaluationsOf, instructionsDigest } from '../../../src/workflows/decide/finish.ts';
import type { StepOutputs } from '../../../src/workflows/quality/types.ts';
import type { Step } from '../../../src/workflows/types.ts';

const step = stepOf('a', {
  outputs: { ...output('notes', { type: 'files' }), ...output('index', { required: false }) },
  reviews: [reviewOf('notes'), reviewOf('step', { guidance: 'Be kind.' }), reviewOf('index')],
});
const OUTPUTS: StepOutputs = { notes: ['1.md', '2.md'] };
const CONTENTS = { '1.md': 'one', '2.md': 'two', 'i.md': 'index' };

function digests(of: Step, outputs: StepOutputs, contents: Record<string, string>): Map<string, string> {
  const evaluations = evaluationsOf(of, outputs, new Map(Object.entries(contents)));
  return new Map(evaluations.map(({ about, digest }) => [`${about.review_run_each} ${about.target_file}`, digest]));
}

const before = digests(step, OUTPUTS, CONTENTS);

test('returns one evaluation per file, one for all outputs, and none for a missing optional output', () => {
  expect([...before.keys()]).toEqual(['notes 1.md', 'notes 2.md', 'step null']);
  expect(new Set(before.values()).size).toBe(3);
  expect(digests(step, OUTPUTS, CONTENTS)).toEqual(before);
});

const changed = (now: Map<string, string>) =>
  [...now].filter(([key, digest]) => before.get(key) !== digest).map(([key]) => key);

const ALL = ['notes 1.md', 'notes 2.md', 'step null'];

test.each<[title: string, now: Map<string, string>, again: readonly string[]]>([
  ['nothing', digests(step, OUTPUTS, { ...CONTENTS, 'other.md': 'x' }), []],
  ['one file', digests(step, OUTPUTS, { ...CONTENTS, '1.md': 'uno' }), ['notes 1.md', 'step null']],
  ['another file', digests(step, { notes: ['1.md', '2.md', 'i.md'] }, CONTENTS), ['notes i.md', 'step null']],
  [
    'another name of a file',
    digests(step, { notes: ['1.md', 'i.md'] }, { ...CONTENTS, 'i.md': 'two' }),
    ['notes i.md', 'step null'],
  ],
  ['an unreadable file', digests(step, OUTPUTS, { '1.md': 'one' }), ['notes 2.md', 'step null']],
  [
    'criteria',
    digests(
      { ...step, reviews: step.reviews.map((review) => ({ ...review, quality_criteria: { Good: 'Is it?' } })) },
      OUTPUTS,
      CONTENTS,
    ),
    ALL,
  ],
  [
    'the name of a criterion',
    digests(
      { ...step, reviews: step.reviews.map((review) => ({ ...review, quality_criteria: { Fine: 'Is it good?' } })) },
      OUTPUTS,
      CONTENTS,
    ),
    ALL,
  ],
  [
    'guidance',
    digests(
      { ...step, reviews: step.reviews.map((review) => ({ ...review, additional_review_guidance: 'Be kind.' })) },
      OUTPUTS,
      CONTENTS,
    ),
    ['notes 1.md', 'notes 2.md'],
  ],
  ['other text of the step', digests({ ...step, instructions: 'Else.', description: 'Else.' }, OUTPUTS, CONTENTS), []],
])('evaluations to repeat after a change of: %s', (_, now, again) => {
  expect(changed(now)).toEqual(again);
});

test('the instructions digest depends on paths and criteria, not on contents', () => {
  const digest = instructionsDigest(step, OUTPUTS);
  expect(instructionsDigest({ ...step, name: 'Else' }, { notes: ['1.md', '2.md'] })).toBe(digest);
  expect(instructionsDigest(step, { notes: ['1.md'] })).not.toBe(digest);
  expect(instructionsDigest({ ...step, reviews: [reviewOf('notes')] }, OUTPUTS)).not.toBe(digest);
});
