import { describe, expect, test } from 'vitest';
import type { Finding } from '../../src/domain/finding.ts';
import { letBeAfter, type RatchetedLook, ratchetBelow } from '../../src/plan/ratchet.ts';
import { finding } from '../support/run-samples.ts';

test.each([
  [1, null],
  [2, null],
  [3, 'high'],
  [4, 'critical'],
  [9, 'critical'],
])('round %i', (round, below) => {
  expect(ratchetBelow(round)).toBe(below);
});

describe('what is let be', () => {
  const medium = finding({ id: 'F5', priority: 'medium' });
  const high = finding({ id: 'F6', priority: 'high' });
  const closed = (how: 'fixed' | 'withdrawn' | 'silent'): Finding =>
    finding({ id: 'F1', priority: 'low', kept: 'closed', closed: { how, why: '', iteration: 3 } });
  const LOOK: RatchetedLook = { isRerun: true, isStale: false, updated: [], added: [medium, high] };

  test.each<[string, Partial<RatchetedLook>, readonly string[]]>([
    ['what is new and below', {}, ['F5']],
    ['nothing in a first look', { isRerun: false }, []],
    ['nothing where the files changed meanwhile', { isStale: true }, []],
    ['nothing where a finding was dropped without a word', { updated: [closed('silent')] }, []],
    ['what is new where the reviewer calls the others fixed', { updated: [closed('fixed')] }, ['F5']],
    ['what is new where the reviewer withdraws the others', { updated: [closed('withdrawn')] }, ['F5']],
    ['nothing that is a warning anyway', { added: [{ ...medium, kept: 'warning' }] }, []],
  ])('%s', (_title, differs, ids) => {
    const ratchet = { below: 'high', letBe: new Set<string>() } as const;
    expect([...letBeAfter(ratchet, { ...LOOK, ...differs })]).toEqual(ids);
  });

  test('nothing while the ratchet is at rest', () => {
    expect([...letBeAfter({ below: null, letBe: new Set() }, LOOK)]).toEqual([]);
  });

  test('from before, unless it is reported as graver', () => {
    const before = { below: 'high', letBe: new Set(['F2', 'F3']) } as const;
    const updated = [finding({ id: 'F2', priority: 'critical' }), finding({ id: 'F3', priority: 'low' })];
    expect([...letBeAfter(before, { ...LOOK, updated, added: [] })]).toEqual(['F3']);
  });
});
