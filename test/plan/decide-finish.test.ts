import { expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import { decideFinish, type FinishFacts } from '../../src/plan/decide-finish.ts';
import { evaluationsOf } from '../../src/plan/evaluations.ts';
import { failedReview, reviewOf, stepOf } from '../support/workflow/samples.ts';

const step = stepOf('a', { reviews: [reviewOf('step'), reviewOf('out')] });
const evaluations = evaluationsOf(step, { out: 'o.md' }, new Map([['o.md', 'x']]));
const [WHOLE = '', FILE = ''] = evaluations.map(({ digest }) => digest);
const [whole, file] = evaluations;

const FACTS: FinishFacts = {
  state: { passed: [], failed: [], instructed: null },
  reviewer: 'agent',
  evaluations,
  instructionsDigest: 'now',
  override: null,
};
const state = (more: Partial<FinishFacts['state']>) => ({ state: { ...FACTS.state, ...more } });
const failed = state({ failed: [failedReview('step')] });
const instructed = (digest: string) => state({ instructed: { digest, file: 'x.md' as RepoPath, at: '2026-03-01' } });
const self = { reviewer: 'self' } as const;

test.each<[title: string, differs: Partial<FinishFacts>, decision: object]>([
  ['no reviews', { evaluations: [] }, { kind: 'finish', override: null, rests: [] }],
  ['no reviews, by itself', { ...self, evaluations: [] }, { kind: 'finish', override: null, rests: [] }],
  ['no reviews, and a reason', { evaluations: [], override: 'Why.' }, { kind: 'refuse', why: 'no-reviews' }],
  ['never judged', {}, { kind: 'judge', evaluations, rests: [] }],
  ['one passed on the same', state({ passed: [WHOLE] }), { kind: 'judge', evaluations: [file], rests: [whole] }],
  ['another passed', state({ passed: ['else'] }), { kind: 'judge', evaluations, rests: [] }],
  ['all passed on the same', state({ passed: [FILE, WHOLE] }), { kind: 'finish', override: null, rests: evaluations }],
  ['failed before', failed, { kind: 'judge', evaluations, rests: [] }],
  ['a reason on the first call', { override: 'Why.' }, { kind: 'refuse', why: 'not-failed' }],
  [
    'a reason after passes alone',
    { ...state({ passed: [WHOLE] }), override: 'Why.' },
    { kind: 'refuse', why: 'not-failed' },
  ],
  [
    'a reason after a failed review',
    { ...failed, override: ' Why. ' },
    { kind: 'finish', override: 'Why.', rests: [] },
  ],
  ['an empty reason', { ...failed, override: ' \n' }, { kind: 'refuse', why: 'empty' }],
  [
    'instructions do not make a reason count',
    { ...instructed('now'), override: 'Why.' },
    { kind: 'refuse', why: 'not-failed' },
  ],
  ['by itself, first', self, { kind: 'instruct' }],
  ['by itself, again without a reason', { ...self, ...instructed('now') }, { kind: 'instruct' }],
  ['by itself, a reason on the first call', { ...self, override: 'Why.' }, { kind: 'refuse', why: 'not-instructed' }],
  [
    'by itself, a reason for other outputs',
    { ...self, ...instructed('then'), override: 'Why.' },
    { kind: 'refuse', why: 'not-instructed' },
  ],
  [
    'by itself, a reason after instructions',
    { ...self, ...instructed('now'), override: 'All pass.' },
    { kind: 'finish', override: 'All pass.', rests: [] },
  ],
  ['by itself, an empty reason', { ...self, ...instructed('now'), override: '' }, { kind: 'refuse', why: 'empty' }],
])('%s', (_, differs, decision) => {
  expect(decideFinish({ ...FACTS, ...differs })).toEqual(decision);
});
