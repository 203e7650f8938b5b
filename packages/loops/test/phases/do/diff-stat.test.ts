import type { DiffSection } from '@onceover/base/kernel/repository';
import { path } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { diffStat } from '../../../src/phases/do/build-prompt.ts';

const section = (text: string, ...paths: string[]): DiffSection => ({ paths: paths.map(path), text });
const hunk = (...lines: string[]) => `--- a/x\n+++ b/x\n@@ -1 +1 @@ f() {\n${lines.join('\n')}\n`;

test.each<[string, readonly DiffSection[], readonly string[]]>([
  ['nothing', [], [' 0 files changed, +0 -0']],
  ['one file', [section(hunk('-old', '+new', '+more', ' same'), 'a.ts')], [' a.ts | +2 -1', ' 1 file changed, +2 -1']],
  [
    'several files, in their order',
    [section(hunk('+x'), 'b.ts'), section(hunk('-x', '-y'), 'a.ts')],
    [' b.ts | +1 -0', ' a.ts | +0 -2', ' 2 files changed, +1 -2'],
  ],
  ['a rename', [section(hunk('+x'), 'old.ts', 'new.ts')], [' old.ts => new.ts | +1 -0', ' 1 file changed, +1 -0']],
  [
    'lines that look like the head of a diff',
    [section(hunk('--- a list item', '+++ plus', '-- x'), 'a.md')],
    [' a.md | +1 -2', ' 1 file changed, +1 -2'],
  ],
  ['two hunks', [section(`${hunk('+x')}@@ -9 +9 @@\n+y\n`, 'a.ts')], [' a.ts | +2 -0', ' 1 file changed, +2 -0']],
  [
    'a binary file',
    [section('diff --git a/x b/x\nBinary files a/x and b/x differ\n', 'x.png')],
    [' x.png | +0 -0', ' 1 file changed, +0 -0'],
  ],
  [
    'only a mode',
    [section('diff --git a/x b/x\nold mode 100644\nnew mode 100755\n', 'x')],
    [' x | +0 -0', ' 1 file changed, +0 -0'],
  ],
])('%s', (_title, sections, lines) => {
  expect(diffStat(sections)).toBe(lines.join('\n'));
});

test('a name with a line break stays on its line', () => {
  expect(diffStat([section(hunk('+x'), 'a\n 9 files changed, +0 -0\u001b[2J')]).split('\n')).toHaveLength(2);
});
