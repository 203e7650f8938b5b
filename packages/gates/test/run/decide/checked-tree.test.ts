import type { SnapshotId } from '@onceover/base/kernel/ids';
import { path } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { checkedTree } from '../../../src/run/decide/cycles.ts';

const TREE = 't1' as SnapshotId;
const LIB = { path: path('lib'), print: 'p1' };

test('the key of a check is the tree if no nested repository is dirty', () => {
  expect([checkedTree(TREE), checkedTree(TREE, [])]).toEqual([TREE, TREE]);
});

test('the key changes with uncommitted changes in a nested repository', () => {
  expect(checkedTree(TREE, [LIB])).toBe(checkedTree(TREE, [{ ...LIB }]));
  const all = [[], [LIB], [{ ...LIB, print: 'p2' }], [{ ...LIB, path: path('other') }], [LIB, LIB]];
  expect(new Set(all.map((dirty) => checkedTree(TREE, dirty))).size).toBe(all.length);
});
