import { finding } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { type RatchetedReview, ratchetBelow, toleratedAfter } from '../../src/findings/priority.ts';
import type { Finding } from '../../src/findings/types.ts';

test.each([
  [1, null],
  [2, null],
  [3, 'high'],
  [4, 'critical'],
  [9, 'critical'],
])('round %i', (round, below) => {
  expect(ratchetBelow(round)).toBe(below);
});

describe('tolerated findings', () => {
  const medium = finding({ id: 'F5', priority: 'medium' });
  const high = finding({ id: 'F6', priority: 'high' });
  const closed = (how: 'fixed' | 'withdrawn' | 'silent'): Finding =>
    finding({ id: 'F1', priority: 'low', kept: 'closed', closed: { how, why: '', iteration: 3 } });
  const LOOK: RatchetedReview = { isRerun: true, isStale: false, updated: [], added: [medium, high] };

  test.each<[string, Partial<RatchetedReview>, readonly string[]]>([
    ['new findings below the threshold', {}, ['F5']],
    ['none on the first review', { isRerun: false }, []],
    ['none if files changed during the review', { isStale: true }, []],
    ['none if a finding was dropped silently', { updated: [closed('silent')] }, []],
    ['new findings if the reviewer calls the others fixed', { updated: [closed('fixed')] }, ['F5']],
    ['new findings if the reviewer withdraws the others', { updated: [closed('withdrawn')] }, ['F5']],
    ['no findings that are warnings anyway', { added: [{ ...medium, kept: 'warning' }] }, []],
  ])('%s', (_title, differs, ids) => {
    const ratchet = { below: 'high', tolerated: new Set<string>() } as const;
    expect([...toleratedAfter(ratchet, { ...LOOK, ...differs })]).toEqual(ids);
  });

  test('none before the ratchet starts', () => {
    expect([...toleratedAfter({ below: null, tolerated: new Set() }, LOOK)]).toEqual([]);
  });

  test('earlier ones, unless they are reported as more severe', () => {
    const before = { below: 'high', tolerated: new Set(['F2', 'F3']) } as const;
    const updated = [finding({ id: 'F2', priority: 'critical' }), finding({ id: 'F3', priority: 'low' })];
    expect([...toleratedAfter(before, { ...LOOK, updated, added: [] })]).toEqual(['F3']);
  });
});
