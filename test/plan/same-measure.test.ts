import { expect, test } from 'vitest';
import type { CommitId } from '../../src/domain/brand.ts';
import type { Comparison } from '../../src/domain/ports.ts';
import { droppedFiles, isSameMeasure } from '../../src/plan/same-measure.ts';
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
  expect(isSameMeasure(MAIN, { ...MAIN, ...differs })).toBe(isSame);
});

test('a new file that is no longer part of the change was dropped; one that is as in the base was taken back', () => {
  const before = [
    entry({ path: 'new.ts', baseBlob: null }),
    entry({ path: 'old.ts' }),
    entry({ path: 'kept.ts', baseBlob: null }),
  ];
  expect(droppedFiles(before, [entry({ path: 'kept.ts', baseBlob: null })])).toEqual(['new.ts']);
});
