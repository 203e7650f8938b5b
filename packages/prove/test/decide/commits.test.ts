import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import { describe, expect, test } from 'vitest';
import { cleanChanges, isSourceFile, type PastCommit, readLog, smallFixes } from '../../src/decide/commits.ts';

type Row = readonly [path: string, added: number, removed: number];

function commit(subject: string, ...rows: readonly Row[]): PastCommit {
  const files = rows.map(([path, addedCount, removedCount]) => ({
    path: path as RepoPath,
    added: addedCount,
    removed: removedCount,
  }));
  return { id: 'a'.repeat(40) as CommitId, parent: 'b'.repeat(40) as CommitId, subject, files };
}

const subjects = (commits: readonly PastCommit[]) => commits.map(({ subject }) => subject);

test.each<[path: string, isSource: boolean]>([
  ['src/a.ts', true],
  ['a.mjs', true],
  ['lib/view.TSX', true],
  ['pkg/server.go', true],
  ['app/models.py', true],
  ['src/latest/contest.rs', true],
  ['README.md', false],
  ['package.json', false],
  ['test/a.ts', false],
  ['src/__tests__/a.ts', false],
  ['src/a.test.ts', false],
  ['src/a-spec.js', false],
  ['pkg/server_test.go', false],
  ['app/test_models.py', false],
  ['app/conftest.py', false],
  ['examples/a.ts', false],
  ['node_modules/a/index.js', false],
  ['web/vendor/a.js', false],
  ['dist/a.js', false],
  ['lib/a.min.js', false],
  ['types/a.d.ts', false],
])('%s: a source file is %j', (path, isSource) => {
  expect(isSourceFile(path)).toBe(isSource);
});

describe('small fixes', () => {
  const small: Row = ['src/a.ts', 2, 1];
  test.each<[title: string, commit: PastCommit, isFix: boolean]>([
    ['a fix of one line', commit('Fix a crash in the parser', small), true],
    ['a fix with its test', commit('Fix the parser', small, ['test/a.test.ts', 300, 0]), true],
    ['a fix of three files', commit('Fixes #12', small, ['src/b.ts', 1, 1], ['src/c.ts', 1, 1]), true],
    ['a fix of four files', commit('Fixes #12', small, ['b.ts', 1, 1], ['c.ts', 1, 1], ['d.ts', 1, 1]), false],
    ['a fix of 20 lines', commit('Handle off-by-one', ['src/a.ts', 15, 5]), true],
    ['a fix of 21 lines', commit('Handle off-by-one', ['src/a.ts', 15, 6]), false],
    ['a fix that only removes lines', commit('Fix a leak', ['src/a.ts', 0, 3]), false],
    ['a fix of a test', commit('Fix a race', ['test/a.test.ts', 2, 1]), false],
    ['a fix of a typo', commit('Fix a typo in a message', small), false],
    ['a fix of the build', commit('Fix the build', small), false],
    ['a new feature', commit('Add a parser', small), false],
    ['a word that only contains "fix"', commit('Add a prefix option', small), false],
  ])('%s', (_title, pastCommit, isFix) => {
    expect(smallFixes([pastCommit])).toEqual(isFix ? [pastCommit] : []);
  });
});

describe('clean changes', () => {
  const change: Row = ['src/a.ts', 10, 2];
  const withTests = (tests: number) =>
    commit('Add a parser', change, ...Array.from({ length: tests }, (_, i): Row => [`test/${i}.test.ts`, 1, 0]));
  test.each<[title: string, commit: PastCommit, isClean: boolean]>([
    ['a feature', commit('Add a parser', change), true],
    ['a feature with documentation', commit('Add a parser', change, ['README.md', 10, 0]), true],
    ['a change of documentation only', commit('Describe the parser', ['README.md', 10, 0]), false],
    ['3 added lines', commit('Add a parser', ['src/a.ts', 3, 0]), true],
    ['2 added lines', commit('Add a parser', ['src/a.ts', 2, 90]), false],
    ['250 added lines', commit('Add a parser', ['src/a.ts', 250, 0]), true],
    ['251 added lines', commit('Add a parser', ['src/a.ts', 250, 0], ['README.md', 1, 0]), false],
    ['8 source files', commit('Add parsers', ...Array.from({ length: 8 }, (_, i): Row => [`src/${i}.ts`, 1, 0])), true],
    [
      '9 source files',
      commit('Add parsers', ...Array.from({ length: 9 }, (_, i): Row => [`src/${i}.ts`, 1, 0])),
      false,
    ],
    ['24 files, most of them tests', withTests(23), true],
    ['25 files, most of them tests', withTests(24), false],
    ['a fix', commit('Fix the parser', change), false],
    ['a revert', commit('Revert "Add a parser"', change), false],
  ])('%s', (_title, pastCommit, isClean) => {
    expect(cleanChanges([pastCommit])).toEqual(isClean ? [pastCommit] : []);
  });

  const feature = commit('Add a parser', change);
  const printerChange = commit('Add a printer', ['src/b.ts', 5, 0]);
  const fixOf = (path: string) => commit('Fix a crash', [path, 1, 1]);
  const filler = (count: number) => Array.from({ length: count }, () => commit('Edit the notes', ['NOTES.md', 1, 0]));

  test.each<[title: string, newestFirst: readonly PastCommit[], expected: readonly string[]]>([
    ['a later fix of the same file', [fixOf('src/a.ts'), feature], []],
    ['a later revert of the same file', [commit('Revert the parser', ['src/a.ts', 1, 9]), feature], []],
    ['a later fix of another file', [fixOf('src/b.ts'), feature], ['Add a parser']],
    ['an earlier fix of the same file', [feature, fixOf('src/a.ts')], ['Add a parser']],
    [
      'a later feature in the same file',
      [commit('Grow the parser', change), feature],
      ['Grow the parser', 'Add a parser'],
    ],
    ['only the fixed one of two changes is left out', [fixOf('src/a.ts'), printerChange, feature], ['Add a printer']],
    ['a fix 40 commits later', [fixOf('src/a.ts'), ...filler(39), feature], []],
    ['a fix 41 commits later', [fixOf('src/a.ts'), ...filler(40), feature], ['Add a parser']],
  ])('%s', (_title, newestFirst, keptSubjects) => {
    expect(subjects(cleanChanges(newestFirst))).toEqual(keptSubjects);
  });
});

describe('reading the log of git', () => {
  const [id, parent, long] = ['1'.repeat(40), '2'.repeat(40), '3'.repeat(64)];
  const files = (...paths: readonly string[]) => paths.map((path) => ({ path, added: 3, removed: 1 }));

  test.each<[title: string, output: string, expected: readonly object[]]>([
    ['no output', '', []],
    [
      'a commit with a file',
      `\0${id} ${parent}\nAdd a parser\n\n3\t1\tsrc/a.ts\n`,
      [{ id, parent, subject: 'Add a parser', files: files('src/a.ts') }],
    ],
    [
      'two commits, one with SHA-256',
      `\0${id} ${parent}\nOne\n\n3\t1\ta.ts\n3\t1\tb c.ts\n\0${long} ${long}\nTwo\n\n3\t1\tc.ts\n`,
      [
        { id, parent, subject: 'One', files: files('a.ts', 'b c.ts') },
        { id: long, parent: long, subject: 'Two', files: files('c.ts') },
      ],
    ],
    ['the first commit, which has no parent', `\0${id} \nStart\n\n3\t1\ta.ts\n`, []],
    ['a line that is not a commit', `\0warning: something\nelse\n`, []],
    ['a commit without files', `\0${id} ${parent}\nEmpty\n`, []],
    ['a commit with only a binary file', `\0${id} ${parent}\nAdd a logo\n\n-\t-\tlogo.png\n`, []],
    [
      'a commit with a binary file, a quoted name and a row without a name',
      `\0${id} ${parent}\nMix\n\n-\t-\tlogo.png\n3\t1\t"\\303\\274.ts"\n3\t1\n3\t-\tx.ts\n3\t1\ta.ts\n`,
      [{ id, parent, subject: 'Mix', files: files('a.ts') }],
    ],
  ])('%s', (_title, output, commits) => {
    expect(readLog(output)).toEqual(commits);
  });
});
