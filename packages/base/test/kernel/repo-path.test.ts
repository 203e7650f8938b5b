import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { folderOf, repoPath } from '../../src/kernel/paths.ts';

describe('a path from the root', () => {
  test.each<[path: string, from: string, expected: string | null]>([
    ['a/b.py', '', 'a/b.py'],
    ['./a//b/./c.py', '', 'a/b/c.py'],
    ['a/b/', '', 'a/b'],
    ['', '', ''],
    ['.', '', ''],
    ['b.py', 'a', 'a/b.py'],
    ['', 'a/b', 'a/b'],
    ['../x.py', 'a/b', 'a/x.py'],
    ['../../x.py', 'a/b', 'x.py'],
    ['..', 'a', ''],
    ['c/../../x.py', 'a', 'x.py'],
    ['...', '', '...'],
    ['..a/b', '', '..a/b'],
    ['a\\..\\b', '', 'a\\..\\b'],
    ['../x.py', '', null],
    ['../../../x.py', 'a/b', null],
    ['a/../../x.py', '', null],
    ['../repo/x.py', '', null],
    ['/etc/passwd', '', null],
    ['/a', 'a', null],
    ['a\0b', '', null],
  ])('%j from %j is %j', (path, from, result) => {
    expect(repoPath(path, from)).toBe(result);
  });

  test('is the normalized path, or null if it leaves the root', () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'b', '...', '..a');
    const path = fc.array(part, { maxLength: 12 }).map((parts) => parts.join('/'));
    const from = fc.array(fc.constantFrom('x', 'y'), { maxLength: 4 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(path, from, (relativePath, folder) => {
        const whole = posix.normalize(posix.join(folder, relativePath)).replace(/^\.?\/?$|\/$/, '');
        const leaves = relativePath.startsWith('/') || whole === '..' || whole.startsWith('../');
        expect(repoPath(relativePath, folder)).toBe(leaves ? null : whole);
      }),
    );
  });
});

test.each([
  ['a/b/c.py', 'a/b'],
  ['a/.deepreview', 'a'],
  ['.deepreview', ''],
  ['', ''],
])('the folder of %j is %j', (path, folder) => {
  expect(folderOf(path)).toBe(folder);
});
