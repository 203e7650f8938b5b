import type { SnapshotId } from '@onceover/base/kernel/ids';
import { keptLoop } from '@onceover/testing/phase/kept-loop.ts';
import { expect, test } from 'vitest';
import { neededSnapshots } from '../../../src/phases/read/subject.ts';
import type { PhaseState } from '../../../src/phases/state.ts';

const waiting: PhaseState = keptLoop().state;
const reviewed = { snapshot: 'tree2' as SnapshotId, content: 'c' };

test.each<[string, Partial<PhaseState>, readonly string[]]>([
  ['the snapshot that a session saw', {}, ['tree1']],
  ['and the last reviewed snapshot', { reviewed }, ['tree2', 'tree1']],
  ['without sessions: the last reviewed snapshot', { reviewed, resume: {} }, ['tree2']],
  ['nothing reviewed yet: none', { resume: {} }, []],
  ['both are the same: once', { reviewed: { ...reviewed, snapshot: 'tree1' as SnapshotId } }, ['tree1']],
])('a waiting loop needs the snapshots of %s', (_title, differs, expected) => {
  expect([...neededSnapshots({ ...waiting, ...differs })]).toEqual(expected);
});

test('a finished loop needs none', () => {
  const position = {
    at: 'ended',
    end: { status: 'approved', why: 'approved', failure: null, open: [], paths: [] },
  } as const;
  expect(neededSnapshots({ ...waiting, reviewed, position }).size).toBe(0);
});
