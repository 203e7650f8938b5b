import { expect, test } from 'vitest';
import type { Step } from '../../src/domain/job.ts';
import type { StepOutputs } from '../../src/domain/quality.ts';
import { evaluationsOf, instructionsDigest } from '../../src/plan/evaluations.ts';
import { output, reviewOf, stepOf } from '../support/workflow/samples.ts';

const step = stepOf('a', {
  outputs: [output('notes', { type: 'files' }), output('index', { required: false })],
  reviews: [reviewOf('notes'), reviewOf('step', { guidance: 'Be kind.' }), reviewOf('index')],
});
const OUTPUTS: StepOutputs = { notes: ['1.md', '2.md'] };
const CONTENTS = { '1.md': 'one', '2.md': 'two', 'i.md': 'index' };

function digests(of: Step, outputs: StepOutputs, contents: Record<string, string>): Map<string, string> {
  const found = evaluationsOf(of, outputs, new Map(Object.entries(contents)));
  return new Map(found.map(({ about, digest }) => [`${about.review_run_each} ${about.target_file}`, digest]));
}

const before = digests(step, OUTPUTS, CONTENTS);

test('one for each file, one for all outputs, none for what was left out', () => {
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
  ['a file more', digests(step, { notes: ['1.md', '2.md', 'i.md'] }, CONTENTS), ['notes i.md', 'step null']],
  [
    'another name for a file',
    digests(step, { notes: ['1.md', 'i.md'] }, { ...CONTENTS, 'i.md': 'two' }),
    ['notes i.md', 'step null'],
  ],
  ['a file that cannot be read', digests(step, OUTPUTS, { '1.md': 'one' }), ['notes 2.md', 'step null']],
  [
    'criteria',
    digests(
      { ...step, reviews: step.reviews.map((one) => ({ ...one, criteria: { Good: 'Is it?' } })) },
      OUTPUTS,
      CONTENTS,
    ),
    ALL,
  ],
  [
    'the name of a criterion',
    digests(
      { ...step, reviews: step.reviews.map((one) => ({ ...one, criteria: { Fine: 'Is it good?' } })) },
      OUTPUTS,
      CONTENTS,
    ),
    ALL,
  ],
  [
    'guidance',
    digests({ ...step, reviews: step.reviews.map((one) => ({ ...one, guidance: 'Be kind.' })) }, OUTPUTS, CONTENTS),
    ['notes 1.md', 'notes 2.md'],
  ],
  ['what else the step says', digests({ ...step, instructions: 'Else.', description: 'Else.' }, OUTPUTS, CONTENTS), []],
])('what is looked at again after a change: %s', (_, now, again) => {
  expect(changed(now)).toEqual(again);
});

test('instructions are for paths and criteria, whatever the files say', () => {
  const given = instructionsDigest(step, OUTPUTS);
  expect(instructionsDigest({ ...step, name: 'Else' }, { notes: ['1.md', '2.md'] })).toBe(given);
  expect(instructionsDigest(step, { notes: ['1.md'] })).not.toBe(given);
  expect(instructionsDigest({ ...step, reviews: [reviewOf('notes')] }, OUTPUTS)).not.toBe(given);
});
