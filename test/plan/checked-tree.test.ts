import { expect, test } from 'vitest';
import type { SnapshotId } from '../../src/domain/brand.ts';
import { checkedTree } from '../../src/plan/checked-tree.ts';
import { path } from '../support/run-samples.ts';

const TREE = 't1' as SnapshotId;
const LIB = { path: path('lib'), print: 'p1' };

test('a tree without anything beside it is what is checked', () => {
  expect([checkedTree(TREE), checkedTree(TREE, [])]).toEqual([TREE, TREE]);
});

test('what is not committed in a repository inside it makes it another, as long as that is the same', () => {
  expect(checkedTree(TREE, [LIB])).toBe(checkedTree(TREE, [{ ...LIB }]));
  const all = [[], [LIB], [{ ...LIB, print: 'p2' }], [{ ...LIB, path: path('other') }], [LIB, LIB]];
  expect(new Set(all.map((dirty) => checkedTree(TREE, dirty))).size).toBe(all.length);
});
