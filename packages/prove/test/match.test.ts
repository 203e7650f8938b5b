import type { RepoPath } from '@onceover/base/kernel/ids';
import { expect, test } from 'vitest';
import { findsBug } from '../src/judge/match.ts';
import type { BugClass } from '../src/types.ts';

const bug = (kind: BugClass) => ({ class: kind, places: [{ file: 'src/a.ts' as RepoPath, from: 20, to: 22 }] });

test.each<[title: string, kind: BugClass, finding: [string | null, number | null, string], found: boolean]>([
  ['at the line of the bug, whatever it says', 'boundary', ['src/a.ts', 21, 'strange'], true],
  ['at the last line', 'boundary', ['src/a.ts', 22, 'strange'], true],
  ['near the bug with a word of its class', 'await', ['src/a.ts', 15, 'the promise is not awaited'], true],
  ['near the bug about something else', 'await', ['src/a.ts', 15, 'a name is too long'], false],
  ['far from the bug with a word of its class', 'await', ['src/a.ts', 60, 'the promise is not awaited'], false],
  [
    'in the file without a line, with a word of its class',
    'resource',
    ['src/a.ts', null, 'the file is never closed'],
    true,
  ],
  ['in the file without a line, about something else', 'resource', ['src/a.ts', null, 'this is slow'], false],
  ['in another file at the same line', 'boundary', ['src/b.ts', 21, 'off by one'], false],
  ['without a file', 'boundary', [null, 21, 'off by one'], false],
  ['near an undone fix, whose class has no words', 'fix', ['src/a.ts', 17, 'a check is missing'], false],
])('a finding %s', (_title, kind, [file, line, issue], isFound) => {
  expect(findsBug({ file, line, issue, fix: null }, bug(kind))).toBe(isFound);
});
