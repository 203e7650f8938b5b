import { expect, test } from 'vitest';
import { hiddenNewFiles, isSameComparison } from '../../src/fix-loop/decide-end.ts';
import type { CommitId } from '../../src/kernel/ids.ts';
import type { Comparison } from '../../src/kernel/repository.ts';
import { entry } from '../support/run-samples.ts';

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

test('lists new files that left the change, but no reverted files', () => {
  const before = [
    entry({ path: 'new.ts', baseBlob: null }),
    entry({ path: 'old.ts' }),
    entry({ path: 'kept.ts', baseBlob: null }),
  ];
  expect(hiddenNewFiles(before, [entry({ path: 'kept.ts', baseBlob: null })])).toEqual(['new.ts']);
});
