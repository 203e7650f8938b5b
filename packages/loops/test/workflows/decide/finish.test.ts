import type { RepoPath } from '@onceover/base/kernel/ids';
import { BY_ONE, failedReview, jobOf, reviewOf, SELF, sessionOf, stepOf } from '@onceover/testing/workflow/samples.ts';
import { expect, test } from 'vitest';
import {
  decideFinish,
  evaluationsOf,
  type FinishingStep,
  instructionsDigest,
} from '../../../src/workflows/decide/finish.ts';
import { changeStep } from '../../../src/workflows/session.ts';
import type { StepState } from '../../../src/workflows/types.ts';

const step = stepOf('a', { reviews: [reviewOf('step'), reviewOf('out')] });
const outputs = { out: 'o.md' };
const digests = new Map([['o.md', 'x']]);
const evaluations = evaluationsOf(step, outputs, digests);
const [WHOLE = '', FILE = ''] = evaluations.map(({ digest }) => digest);
const [, file] = evaluations;
const names = evaluations.map(({ about }) => about);
const job = jobOf([step]);

const FACTS: FinishingStep = {
  ...{ session: sessionOf(job), job, step, outputs, digests },
  reviewer: BY_ONE,
  notes: null,
  override: null,
};
const state = (fields: Partial<StepState>) => ({ session: changeStep(FACTS.session, 'a', fields) });
const failed = state({ failed: [failedReview('step')] });
const instructed = (digest: string) => state({ instructed: { digest, file: 'x.md' as RepoPath, at: '2026-03-01' } });
const NOW = instructionsDigest(step, outputs);
const self = { reviewer: SELF } as const;
const unreviewed = { step: stepOf('a') };

test.each<[title: string, differs: Partial<FinishingStep>, decision: object]>([
  ['no reviews', unreviewed, { kind: 'review', evaluations: [], skipped: [] }],
  ['self-review without reviews', { ...self, ...unreviewed }, { kind: 'review', evaluations: [], skipped: [] }],
  ['a reason without reviews', { ...unreviewed, override: 'Why.' }, { kind: 'refuse', why: 'no-reviews' }],
  ['never judged', {}, { kind: 'review', evaluations, skipped: [] }],
  [
    'one evaluation already passed',
    state({ passed: [WHOLE] }),
    { kind: 'review', evaluations: [file], skipped: names.slice(0, 1) },
  ],
  ['a different evaluation passed', state({ passed: ['else'] }), { kind: 'review', evaluations, skipped: [] }],
  [
    'all evaluations already passed',
    state({ passed: [FILE, WHOLE] }),
    { kind: 'review', evaluations: [], skipped: names },
  ],
  ['failed before', failed, { kind: 'review', evaluations, skipped: [] }],
  ['a reason on the first call', { override: 'Why.' }, { kind: 'refuse', why: 'not-failed' }],
  [
    'a reason after passes only',
    { ...state({ passed: [WHOLE] }), override: 'Why.' },
    { kind: 'refuse', why: 'not-failed' },
  ],
  ['a reason after a failed review', { ...failed, override: ' Why. ' }, { kind: 'override', reason: 'Why.' }],
  ['an empty reason', { ...failed, override: ' \n' }, { kind: 'refuse', why: 'empty' }],
  [
    'a reason after instructions, but with an agent as reviewer',
    { ...instructed(NOW), override: 'Why.' },
    { kind: 'refuse', why: 'not-failed' },
  ],
  ['self-review, first call', self, { kind: 'instruct' }],
  ['self-review, second call without a reason', { ...self, ...instructed(NOW) }, { kind: 'instruct' }],
  ['self-review, a reason on the first call', { ...self, override: 'Why.' }, { kind: 'refuse', why: 'not-instructed' }],
  [
    'self-review, a reason for other outputs',
    { ...self, ...instructed('then'), override: 'Why.' },
    { kind: 'refuse', why: 'not-instructed' },
  ],
  [
    'self-review, a reason after instructions',
    { ...self, ...instructed(NOW), override: 'All pass.' },
    { kind: 'override', reason: 'All pass.' },
  ],
  ['self-review, an empty reason', { ...self, ...instructed(NOW), override: '' }, { kind: 'refuse', why: 'empty' }],
])('decides how to finish a step: %s', (_, differs, decision) => {
  expect(decideFinish({ ...FACTS, ...differs })).toEqual(decision);
});
