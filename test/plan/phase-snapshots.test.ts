import { expect, test } from 'vitest';
import type { SnapshotId } from '../../src/domain/brand.ts';
import type { PhaseState } from '../../src/domain/phase-step.ts';
import { neededSnapshots } from '../../src/plan/phase-snapshots.ts';
import { keptLoop } from '../support/phase/kept-loop.ts';

const waiting: PhaseState = keptLoop().state;
const reviewed = { snapshot: 'tree2' as SnapshotId, content: 'c' };

test.each<[string, Partial<PhaseState>, readonly string[]]>([
  ['a session: what it saw', {}, ['tree1']],
  ['and what was reviewed last', { reviewed }, ['tree2', 'tree1']],
  ['without sessions: what was reviewed last', { reviewed, resume: {} }, ['tree2']],
  ['nothing reviewed yet: nothing', { resume: {} }, []],
  ['both the same: once', { reviewed: { ...reviewed, snapshot: 'tree1' as SnapshotId } }, ['tree1']],
])('a loop that waits needs the snapshots of %s', (_title, differs, expected) => {
  expect([...neededSnapshots({ ...waiting, ...differs })]).toEqual(expected);
});

test('a loop that has ended needs none', () => {
  const position = {
    at: 'ended',
    end: { status: 'approved', why: 'approved', failure: null, open: [], paths: [] },
  } as const;
  expect(neededSnapshots({ ...waiting, reviewed, position }).size).toBe(0);
});
