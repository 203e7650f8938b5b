import type { DiffSection } from '@onceover/base/kernel/repository';
import { entry, path } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { changedLines, isMostlyKept, touchesReviewed } from '../../../src/run/decide/same-change.ts';

const A = entry({ path: 'src/a.ts', baseBlob: 'b0', headBlob: 'h2' });
const B = entry({ path: 'src/b.ts', baseBlob: null, headBlob: 'h2' });

describe('whether the files of a gate were part of an earlier change', () => {
  test.each<[string, [string, string | null][], boolean]>([
    ['no file was', [['src/c.ts', 'h1']], false],
    ['a file was, with other content', [['src/a.ts', 'h1']], true],
    ['a file was, and its content is in the base now: it was merged', [['src/a.ts', 'b0']], false],
    [
      'one was merged, and one was not',
      [
        ['src/a.ts', 'b0'],
        ['src/b.ts', 'h1'],
      ],
      true,
    ],
    ['a file was deleted', [['src/a.ts', null]], true],
    ['a file was deleted, and the base does not have it now', [['src/b.ts', null]], false],
  ])('%s', (_title, before, expected) => {
    expect(touchesReviewed([A, B], new Map(before.map(([name, id]) => [path(name), id])))).toBe(expected);
  });
});

const HEAD = 'diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n';
const diff = (name: string, ...lines: string[]): DiffSection => {
  return { paths: [path(name)], text: `${HEAD}@@ -1,2 +1,2 @@\n${lines.join('\n')}\n` };
};
const binary = (name: string, ids: string): DiffSection => {
  return { paths: [path(name)], text: `diff --git a/x b/x\nindex ${ids} 100644\nBinary files a/x and b/x differ\n` };
};

describe('whether a change still contains an earlier one', () => {
  test.each<[string, readonly DiffSection[], readonly DiffSection[], boolean]>([
    ['the same', [diff('src/a.ts', '-one', '+two')], [diff('src/a.ts', '-one', '+two')], true],
    ['with more', [diff('src/a.ts', '+one')], [diff('src/a.ts', '+one', '+two'), diff('src/b.ts', '+x')], true],
    ['half of it', [diff('src/a.ts', '+one', '+two')], [diff('src/a.ts', '+one', '+zwei')], true],
    ['less than half', [diff('src/a.ts', '+one', '+two', '+three')], [diff('src/a.ts', '+one', '+zwei')], false],
    ['nothing of it', [diff('src/a.ts', '+one')], [diff('src/a.ts', '+eins')], false],
    ['the same line in another file', [diff('src/a.ts', '+one')], [diff('src/b.ts', '+one')], false],
    ['added lines that were deleted before', [diff('src/a.ts', '-one')], [diff('src/a.ts', '+one')], false],
    ['a line that was there twice', [diff('src/a.ts', '+x', '+x', '+x')], [diff('src/a.ts', '+x')], false],
    [
      'only brackets and empty lines',
      [diff('src/a.ts', '+}', '+', '+one')],
      [diff('src/a.ts', '+}', '+', '+two')],
      false,
    ],
    [
      'files of other gates do not count',
      [diff('docs/c', '+one'), diff('src/a.ts', '+x')],
      [diff('src/a.ts', '+x')],
      true,
    ],
    ['no file of the gate', [diff('docs/c', '+one')], [diff('docs/c', '+one')], false],
    ['the same binary file', [binary('src/a.ts', '1..2')], [binary('src/a.ts', '1..2')], true],
    ['another binary file', [binary('src/a.ts', '1..2')], [binary('src/a.ts', '1..3')], false],
    ['headers are not content', [diff('src/a.ts', '+one')], [diff('src/a.ts')], false],
  ])('%s', (_title, before, now, expected) => {
    expect(isMostlyKept(changedLines(before), changedLines(now), [A, B])).toBe(expected);
  });
});
