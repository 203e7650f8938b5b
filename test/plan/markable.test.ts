import { expect, test } from 'vitest';
import type { Entry } from '../../src/domain/gate.ts';
import { isMarkable } from '../../src/plan/markable.ts';
import { entry } from '../support/run-samples.ts';

test.each<[string, Partial<Entry>, boolean]>([
  ['an edited file', { baseBlob: 'a', headBlob: 'b' }, true],
  ['an edited file that was executable before', { mode: '100755', baseBlob: 'a', headBlob: 'b' }, true],
  ['a new file', { baseBlob: null, headBlob: 'b' }, true],
  ['a new symlink', { mode: '120000', baseBlob: null, headBlob: 'b' }, true],
  ['a new file that can be executed', { mode: '100755', baseBlob: null, headBlob: 'b' }, false],
  ['a file that can be executed now', { mode: '100755', baseMode: '100644', baseBlob: 'a', headBlob: 'a' }, false],
  ['a file that is gone', { baseBlob: 'a', headBlob: null }, false],
  ['a repository inside', { mode: '160000', baseBlob: 'a', headBlob: 'b' }, false],
])('a mark and %s', (_title, differs, expected) => {
  expect(isMarkable(entry({ mode: '100644', ...differs }))).toBe(expected);
});
