import { path } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findFile, readFileName } from '../../src/findings/finding-path.ts';

const ROOT = '/home/me/repo';
const CHANGED = ['src/a.ts', 'src/lib/Util.ts', 'docs/x/index.md', 'docs/y/index.md', 'with space.ts'].map(path);
const OTHERS = ['b/own.ts', 'lib/old.ts'].map(path);

const found = (given: string) => {
  const known = new Set([...CHANGED, ...OTHERS]);
  return findFile(readFileName(given, ROOT), CHANGED, (one) => known.has(one));
};

describe('the file that a reviewer names', () => {
  test.each<[given: string, expected: string | null]>([
    ['src/a.ts', 'src/a.ts'],
    ['./src/a.ts', 'src/a.ts'],
    ['src//a.ts', 'src/a.ts'],
    ['b/src/a.ts', 'src/a.ts'],
    ['a/src/a.ts', 'src/a.ts'],
    ['w/src/a.ts', 'src/a.ts'],
    ['b/own.ts', 'b/own.ts'],
    ['src/a.ts:1', 'src/a.ts'],
    ['src/a.ts:1:5', 'src/a.ts'],
    ['src/a.ts:1-3', 'src/a.ts'],
    ['src/a.ts#L1', 'src/a.ts'],
    ['src/a.ts#L1-L3', 'src/a.ts'],
    ['src/a.ts (line 1)', 'src/a.ts'],
    ['src/a.ts, line 1', 'src/a.ts'],
    ['src/a.ts lines 1-3', 'src/a.ts'],
    ['src/a.ts(12)', 'src/a.ts'],
    ['`src/a.ts`', 'src/a.ts'],
    ['`src/a.ts`:3', 'src/a.ts'],
    ['**src/a.ts**', 'src/a.ts'],
    ['"b/src/a.ts:1"', 'src/a.ts'],
    ['[src/a.ts](src/a.ts#L3)', 'src/a.ts'],
    ['<src/a.ts>', 'src/a.ts'],
    [' src/a.ts\n', 'src/a.ts'],
    ['src\\a.ts', 'src/a.ts'],
    ['/src/a.ts', 'src/a.ts'],
    ['/home/me/repo/src/a.ts', 'src/a.ts'],
    ['file:///home/me/repo/src/a.ts', 'src/a.ts'],
    ['/home/me/repo/src/a.ts:7', 'src/a.ts'],
    ['/tmp/copy/src/a.ts', 'src/a.ts'],
    ['a.ts', 'src/a.ts'],
    ['lib/Util.ts', 'src/lib/Util.ts'],
    ['SRC/A.TS', 'src/a.ts'],
    ['util.ts', 'src/lib/Util.ts'],
    ['with space.ts:2', 'with space.ts'],
    ['lib/old.ts', 'lib/old.ts'],
    ['index.md', null],
    ['x/index.md', 'docs/x/index.md'],
    ['other/a.ts', null],
    ['src/b.ts', null],
    ['../a.ts', null],
    ['', null],
    ['the whole change', null],
    ['src/a.ts, src/lib/Util.ts', null],
  ])('%j is %j', (given, expected) => {
    expect(found(given)).toBe(expected);
  });

  test('is the literal path if it exists, whatever it looks like', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab]?\/?[\w`:#() -]{1,12}$/), (name) => {
        const { literal } = readFileName(name, ROOT);
        fc.pre(literal !== null && name === name.trim());
        expect(findFile(readFileName(name, ROOT), [], (one) => one === literal)).toBe(literal);
      }),
    );
  });
});

test.each([
  ['src/a.ts:12', 12],
  ['src/a.ts#L12-L15', 12],
  ['src/a.ts (lines 12-15)', 12],
  ['src/a.ts', null],
  ['src/v2', null],
])('the line in %j is %j', (given, expected) => {
  expect(readFileName(given, ROOT).line).toBe(expected);
});
