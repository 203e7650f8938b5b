import type { Entry } from '@onceover/base/kernel/repository';
import { entry } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { passMarkCovers } from '../../src/rules/decide.ts';

test.each<[string, Partial<Entry>, boolean]>([
  ['an edited file', { baseBlob: 'a', headBlob: 'b' }, true],
  ['an edited file that was already executable', { mode: '100755', baseBlob: 'a', headBlob: 'b' }, true],
  ['a new file', { baseBlob: null, headBlob: 'b' }, true],
  ['a new symlink', { mode: '120000', baseBlob: null, headBlob: 'b' }, true],
  ['a new executable file', { mode: '100755', baseBlob: null, headBlob: 'b' }, false],
  ['a file that became executable', { mode: '100755', baseMode: '100644', baseBlob: 'a', headBlob: 'a' }, false],
  ['a deleted file', { baseBlob: 'a', headBlob: null }, false],
  ['a submodule', { mode: '160000', baseBlob: 'a', headBlob: 'b' }, false],
])('whether a pass mark covers %s', (_title, differs, expected) => {
  expect(passMarkCovers(entry({ mode: '100644', ...differs }))).toBe(expected);
});
