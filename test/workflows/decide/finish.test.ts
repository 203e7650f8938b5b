import { expect, test } from 'vitest';
import type { RepoPath } from '../../../src/kernel/ids.ts';
import { decideFinish, evaluationsOf, type FinishFacts } from '../../../src/workflows/decide/finish.ts';
import { failedReview, reviewOf, stepOf } from '../../support/workflow/samples.ts';

const step = stepOf('a', { reviews: [reviewOf('step'), reviewOf('out')] });
const evaluations = evaluationsOf(step, { out: 'o.md' }, new Map([['o.md', 'x']]));
const [WHOLE = '', FILE = ''] = evaluations.map(({ digest }) => digest);
const [, file] = evaluations;
const names = evaluations.map(({ about }) => about);

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
  ['no reviews', { evaluations: [] }, { kind: 'finish', override: null, skipped: [] }],
  ['self-review without reviews', { ...self, evaluations: [] }, { kind: 'finish', override: null, skipped: [] }],
  ['a reason without reviews', { evaluations: [], override: 'Why.' }, { kind: 'refuse', why: 'no-reviews' }],
  ['never judged', {}, { kind: 'judge', evaluations, skipped: [] }],
  [
    'one evaluation already passed',
    state({ passed: [WHOLE] }),
    { kind: 'judge', evaluations: [file], skipped: names.slice(0, 1) },
  ],
  ['a different evaluation passed', state({ passed: ['else'] }), { kind: 'judge', evaluations, skipped: [] }],
  [
    'all evaluations already passed',
    state({ passed: [FILE, WHOLE] }),
    { kind: 'finish', override: null, skipped: names },
  ],
  ['failed before', failed, { kind: 'judge', evaluations, skipped: [] }],
  ['a reason on the first call', { override: 'Why.' }, { kind: 'refuse', why: 'not-failed' }],
  [
    'a reason after passes only',
    { ...state({ passed: [WHOLE] }), override: 'Why.' },
    { kind: 'refuse', why: 'not-failed' },
  ],
  [
    'a reason after a failed review',
    { ...failed, override: ' Why. ' },
    { kind: 'finish', override: 'Why.', skipped: [] },
  ],
  ['an empty reason', { ...failed, override: ' \n' }, { kind: 'refuse', why: 'empty' }],
  [
    'a reason after instructions, but with an agent as reviewer',
    { ...instructed('now'), override: 'Why.' },
    { kind: 'refuse', why: 'not-failed' },
  ],
  ['self-review, first call', self, { kind: 'instruct' }],
  ['self-review, second call without a reason', { ...self, ...instructed('now') }, { kind: 'instruct' }],
  ['self-review, a reason on the first call', { ...self, override: 'Why.' }, { kind: 'refuse', why: 'not-instructed' }],
  [
    'self-review, a reason for other outputs',
    { ...self, ...instructed('then'), override: 'Why.' },
    { kind: 'refuse', why: 'not-instructed' },
  ],
  [
    'self-review, a reason after instructions',
    { ...self, ...instructed('now'), override: 'All pass.' },
    { kind: 'finish', override: 'All pass.', skipped: [] },
  ],
  ['self-review, an empty reason', { ...self, ...instructed('now'), override: '' }, { kind: 'refuse', why: 'empty' }],
])('decides how to finish a step: %s', (_, differs, decision) => {
  expect(decideFinish({ ...FACTS, ...differs })).toEqual(decision);
});
