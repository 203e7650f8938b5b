import type { CommitId } from '@onceover/base/kernel/ids';
import type { BranchContext, Entry, Scope } from '@onceover/base/kernel/repository';
import type { Priority } from '@onceover/repo/config/settings';
import { ownFacts, slotRecord } from '@onceover/testing/record-samples.ts';
import { claim, entry, finding, HERE, waiver } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import type { FindingState, KnownFinding } from '../../../src/findings/types.ts';
import { isOpen } from '../../../src/findings/types.ts';
import { findingState, isInCycle, isSameBranch } from '../../../src/run/decide/gate-state.ts';

const commit = (text: string) => text as CommitId;
const ON_WORK: BranchContext = { branch: 'work', mergeBase: commit('b1') };
const DETACHED: BranchContext = { branch: null, mergeBase: commit('b1') };
const warns = (failOn: Priority, rerunNewIssueThreshold: Priority = 'low') => ({
  levels: { failOn, rerunNewIssueThreshold },
});
const NARROW: Scope = { key: 'uncommitted', kind: 'narrow' };

describe('whether a record was made on this branch', () => {
  test.each<[string, BranchContext, BranchContext, boolean]>([
    ['on this branch', ON_WORK, ON_WORK, true],
    ['on this branch, before the base moved', { branch: 'work', mergeBase: commit('b0') }, ON_WORK, true],
    ['on another branch', { branch: 'other', mergeBase: commit('b1') }, ON_WORK, false],
    ['detached then, on a branch now', DETACHED, ON_WORK, false],
    ['detached from the same merge-base', DETACHED, DETACHED, true],
    ['detached from another merge-base', { branch: null, mergeBase: commit('b0') }, DETACHED, false],
    ['on a branch then, detached now', ON_WORK, DETACHED, false],
  ])('%s', (_title, made, where, expected) => {
    expect(isSameBranch(made, where)).toBe(expected);
  });
});

describe('the records of a cycle', () => {
  const made = (differs: Parameters<typeof ownFacts>[0]) => slotRecord({ own: ownFacts(differs) });
  test.each([
    ['made on this branch', made({}), HERE.scope, true],
    ['made on another branch', made({ branch: 'other' }), HERE.scope, false],
    ['without a branch: by hand or by another tool', slotRecord({ own: null }), HERE.scope, true],
    ['of a narrow run, in a full one', made({ scope: 'uncommitted' }), HERE.scope, false],
    ['of a full run, in a narrow one', made({}), NARROW, false],
    ['of a narrow run, in the same narrow one', made({ scope: 'uncommitted' }), NARROW, false],
    ['without a branch, in a narrow run', slotRecord({ own: null }), NARROW, false],
  ])('%s', (_title, record, scope, expected) => {
    expect(isInCycle(record, 0, { scope, where: ON_WORK })).toBe(expected);
  });
});

describe('the start of a cycle', () => {
  test.each<[string, number, boolean]>([
    ['before it', 2, false],
    ['at it', 3, true],
  ])('a record %s', (_title, iteration, expected) => {
    for (const own of [ownFacts(), null]) {
      expect(isInCycle(slotRecord({ iteration, own }), 3, { scope: HERE.scope, where: ON_WORK })).toBe(expected);
    }
  });
});

describe('the state of a finding', () => {
  const MOVED = entry({ headBlob: 'h2' });
  const NOWHERE = { file: null, entry: null, seen: null } as const;
  const ELSEWHERE = { branch: 'other' } as const;
  const ended = { cycleEnded: true } as const;
  type Now = { readonly entry?: Entry | null; readonly scope?: Scope };

  test.each<[string, Partial<KnownFinding>, Now, FindingState]>([
    ['as it was reported', {}, {}, 'open'],
    ['its file has changed', {}, { entry: MOVED }, 'open'],
    ['its path no longer has an entry', {}, { entry: null }, 'gone'],
    ['it had no entry when it was reported', { entry: null }, {}, 'open'],
    ['it has no file', NOWHERE, {}, 'open'],
    ['closed', { kept: 'closed' }, {}, 'closed'],
    ['closed, and its path has no entry', { kept: 'closed' }, { entry: null }, 'closed'],
    ['a warning', { kept: 'warning' }, {}, 'warning'],
    ['a warning without an entry', { kept: 'warning' }, { entry: null }, 'gone'],
    ['claimed as fixed: open until a reviewer confirms', { resolution: claim() }, {}, 'fixed_claimed'],
    ['a warning claimed as fixed', { kept: 'warning', resolution: claim() }, {}, 'warning'],
    ['waived', { resolution: waiver() }, {}, 'waived'],
    ['waived, its file has changed', { resolution: waiver() }, { entry: MOVED }, 'waived'],
    ['waived, its path no longer has an entry', { resolution: waiver() }, { entry: null }, 'gone'],
    ['waived, in another cycle', { resolution: waiver(), ...ended }, { entry: MOVED }, 'waived'],
    ['waived, on another branch', { resolution: waiver(), ...ELSEWHERE }, { entry: MOVED }, 'waived'],
    ['waived, in a narrow run', { resolution: waiver(), scope: 'uncommitted' }, {}, 'waived'],
    ['waived in a full run, in a narrow one', { resolution: waiver() }, { scope: NARROW }, 'waived'],
    ['closed although waived', { kept: 'closed', resolution: waiver() }, {}, 'closed'],
    ['of an ended cycle, its entry is unchanged', ended, {}, 'open'],
    ['of an ended cycle, its entry has changed', ended, { entry: MOVED }, 'gone'],
    ['of an ended cycle, its base has changed', ended, { entry: entry({ baseBlob: 'b9' }) }, 'gone'],
    ['of an ended cycle, it had no entry', { ...ended, entry: null }, {}, 'gone'],
    ['of an ended cycle, claimed as fixed', { ...ended, resolution: claim() }, {}, 'fixed_claimed'],
    ['of an ended cycle, a warning', { ...ended, kept: 'warning' }, {}, 'warning'],
    ['of another branch, its entry is the same here', ELSEWHERE, {}, 'open'],
    ['of another branch, its entry differs here', ELSEWHERE, { entry: MOVED }, 'gone'],
    ['of a narrow run', { scope: 'uncommitted' }, {}, 'gone'],
    ['of a full run, in a narrow one', {}, { scope: NARROW }, 'gone'],
    ['of the same narrow run', { scope: 'uncommitted' }, { scope: NARROW }, 'open'],
  ])('%s', (_title, given, now, expected) => {
    const there = now.entry === undefined ? entry() : now.entry;
    const entryOf = (path: string) => (there !== null && path === there.path ? there : undefined);
    expect(findingState(finding(given), { scope: now.scope ?? HERE.scope, where: ON_WORK, entryOf })).toBe(expected);
  });

  test.each<[string, Partial<KnownFinding>, Partial<Parameters<typeof findingState>[1]>, FindingState]>([
    ['a finding that the loop tolerates', {}, { tolerated: new Set(['F1']) }, 'warning'],
    ['a finding beside a tolerated one', {}, { tolerated: new Set(['F2']) }, 'open'],
    [
      'a tolerated finding that is claimed as fixed',
      { resolution: claim() },
      { tolerated: new Set(['F1']) },
      'warning',
    ],
    ['a tolerated finding of another branch', ELSEWHERE, { tolerated: new Set(['F1']), where: ON_WORK }, 'warning'],
    ['a warning under the original settings', { kept: 'warning', priority: 'low' }, warns('medium'), 'warning'],
    ['a warning under stricter settings', { kept: 'warning', priority: 'low' }, warns('low'), 'open'],
    ['a warning under a rerun threshold', { kept: 'warning', priority: 'low' }, warns('low', 'high'), 'open'],
    [
      'a warning of a rerun under a rerun threshold',
      { kept: 'warning', priority: 'low', onRerun: true },
      warns('low', 'high'),
      'warning',
    ],
    ['an open finding under laxer settings', { priority: 'low' }, warns('critical'), 'open'],
  ])('%s', (_title, given, options, expected) => {
    const one = finding({ id: 'F1', ...given });
    expect(findingState(one, { scope: HERE.scope, where: ON_WORK, ...options, entryOf: () => entry() })).toBe(expected);
  });

  test('only open and claimed findings keep a gate from passing', () => {
    const states: FindingState[] = ['open', 'fixed_claimed', 'warning', 'waived', 'closed', 'gone'];
    expect(states.filter(isOpen)).toEqual(['open', 'fixed_claimed']);
  });
});
