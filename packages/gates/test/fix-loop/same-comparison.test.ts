import type { CommitId } from '@onceover/base/kernel/ids';
import type { Comparison } from '@onceover/base/kernel/repository';
import { expect, test } from 'vitest';
import { isSameComparison } from '../../src/fix-loop/decide-end.ts';

const MAIN: Comparison = {
  scope: { key: 'full', kind: 'full' },
  where: { branch: 'work', mergeBase: 'b1' as CommitId },
  baseName: 'main',
  baseTree: 'b1',
  headCommit: 'h1' as CommitId,
  headTree: null,
  files: null,
};

test.each<[string, Partial<Comparison>, boolean]>([
  ['nothing', {}, true],
  ['a commit on the branch', { headCommit: 'h2' as CommitId }, true],
  ['another base', { baseTree: 'b2' }, false],
  ['another merge-base', { where: { branch: 'work', mergeBase: 'b2' as CommitId } }, false],
  ['another branch', { where: { branch: 'other', mergeBase: 'b1' as CommitId } }, false],
  ['no branch', { where: { branch: null, mergeBase: 'b1' as CommitId } }, false],
  ['another scope', { scope: { key: 'uncommitted', kind: 'narrow' } }, false],
])('what differs is %s', (_title, differs, isSame) => {
  expect(isSameComparison(MAIN, { ...MAIN, ...differs })).toBe(isSame);
});
