import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import { describe, expect, test } from 'vitest';
import {
  cleanCase,
  editsInLines,
  type HostedEdit,
  historyCase,
  mutantCase,
  newLines,
  type ReadCommit,
  roundOf,
  SCENARIOS,
  type Scenario,
  scenarioCase,
  withId,
} from '../../src/decide/cases.ts';
import type { SourceEdit } from '../../src/decide/edits.ts';
import type { BugClass, ProofCase } from '../../src/types.ts';

const A = 'src/a.ts' as RepoPath;
const B = 'src/deep/b.ts' as RepoPath;
const ID = `0123456789${'a'.repeat(30)}` as CommitId;
const PARENT = 'b'.repeat(40) as CommitId;
const TEXT = 'one\ntwo\nthree\nfour\n';

type Texts = readonly (readonly [path: RepoPath, before: string | null, after: string | null])[];

function readCommit(subject: string, texts: Texts): ReadCommit {
  return {
    commit: { id: ID, parent: PARENT, subject, files: texts.map(([path]) => ({ path, added: 1, removed: 1 })) },
    before: new Map(texts.map(([path, before]) => [path, before])),
    after: new Map(texts.map(([path, , after]) => [path, after])),
  };
}

/** Returns the edit that replaces a word of TEXT. */
function edit(word: string, text: string, kind: BugClass | null = 'guard'): SourceEdit {
  const start = TEXT.indexOf(word);
  return { class: kind, start, end: start + word.length, text, says: `${word} changed` };
}

const hostedEdit = (sourceEdit: SourceEdit): HostedEdit => ({ path: A, text: TEXT, edit: sourceEdit });

/** Returns the text of a file after each round. */
const textsOf = ({ rounds }: ProofCase, path: RepoPath) =>
  rounds.map(({ files }) => files.find((file) => file.path === path)?.text);

describe('the id of a case', () => {
  const fields: Omit<ProofCase, 'id'> = {
    source: 'own',
    title: 'a case',
    base: null,
    baseFiles: [],
    rounds: [roundOf('Add a', [{ path: A, text: 'a' }])],
    planted: null,
    unedited: null,
  };

  test('has 12 hexadecimal digits and is the same for the same content', () => {
    expect(withId(fields)).toEqual({ ...fields, id: expect.stringMatching(/^[0-9a-f]{12}$/) });
    expect(withId({ ...fields }).id).toBe(withId(fields).id);
  });

  test.each<[title: string, differs: Partial<ProofCase>]>([
    ['the title', { title: 'another case' }],
    ['the text of a file', { rounds: [roundOf('Add a', [{ path: A, text: 'b' }])] }],
    ['the bug', { planted: { class: 'guard', places: [{ file: A, from: 1, to: 1 }] } }],
  ])('depends on %s', (_title, differs) => {
    expect(withId({ ...fields, ...differs }).id).not.toBe(withId(fields).id);
  });
});

describe('a case that undoes a fix', () => {
  const places = [{ file: A, from: 2, to: 3 }];
  const fix = readCommit('Fix a crash', [
    [A, 'bad a', 'good a'],
    [B, 'bad b', 'good b'],
    ['test/a.test.ts' as RepoPath, null, 'a test'],
  ]);

  test('has the fixed source as its base, and the source before the fix as its change', () => {
    expect(historyCase(fix, [A, B], places)).toMatchObject({
      source: 'history',
      title: '0123456789 undone: Fix a crash',
      base: PARENT,
      baseFiles: [
        { path: A, text: 'good a' },
        { path: B, text: 'good b' },
      ],
      rounds: [
        {
          message: 'Simplify a.ts, b.ts',
          files: [
            { path: A, text: 'bad a' },
            { path: B, text: 'bad b' },
          ],
          patch: '',
          onBase: [],
        },
      ],
      planted: { class: 'fix', places },
      unedited: null,
    });
  });

  test('does not repeat the subject of the fix in its commit message', () => {
    expect(historyCase(fix, [A], places)?.rounds.map(({ message }) => message)).toEqual(['Simplify a.ts']);
  });

  test.each<[title: string, texts: Texts, source: readonly RepoPath[], places: typeof places]>([
    ['the fix added a source file', [[A, null, 'good']], [A], places],
    ['the fix removed a source file', [[A, 'bad', null]], [A], places],
    ['a source file was not read', [[A, 'bad', 'good']], [A, B], places],
    ['the bug has no place', [[A, 'bad', 'good']], [A], []],
  ])('does not exist if %s', (_title, texts, source, at) => {
    expect(historyCase(readCommit('Fix a crash', texts), source, at)).toBeNull();
  });
});

const host = readCommit('Add a parser', [
  [A, null, TEXT],
  [B, 'old b', null],
]);
const uneditedFiles = [
  { path: A, text: TEXT },
  { path: B, text: null },
];

test('a clean case is the change of the commit, with removed files', () => {
  expect(cleanCase(host)).toMatchObject({
    source: 'clean',
    title: '0123456789 as it is: Add a parser',
    base: PARENT,
    baseFiles: [],
    rounds: [{ message: 'Add a parser', files: uneditedFiles }],
    planted: null,
    unedited: null,
  });
});

describe('a case with an edit', () => {
  test('an edit with a class plants a bug at its line and leaves the other files as they are', () => {
    const mutant = mutantCase(host, hostedEdit(edit('two', 'TWO\nTWO')));
    expect(mutant).toMatchObject({
      source: 'mutant',
      title: 'src/a.ts:2: two changed, in 0123456789 Add a parser',
      base: PARENT,
      planted: { class: 'guard', places: [{ file: A, from: 2, to: 3 }] },
      unedited: uneditedFiles,
    });
    expect(textsOf(mutant, A)).toEqual(['one\nTWO\nTWO\nthree\nfour\n']);
    expect(textsOf(mutant, B)).toEqual([null]);
  });

  test('an edit without a class is a trap, which has no bug', () => {
    const trap = mutantCase(host, hostedEdit(edit('two', 'TWO', null)));
    expect(trap).toMatchObject({ source: 'trap', planted: null, unedited: uneditedFiles });
    expect(textsOf(trap, A)).toEqual(['one\nTWO\nthree\nfour\n']);
  });
});

describe('a case of two rounds', () => {
  const [first, second] = [hostedEdit(edit('two', 'TWO')), hostedEdit(edit('four', 'FOUR', 'unit'))];
  const [clean, secondBugText] = [TEXT, 'one\ntwo\nthree\nFOUR\n'];

  test.each<[kind: Scenario, start: string]>([
    ['fix-brings-bug', 'one\nTWO\nthree\nfour\n'],
    ['sibling-left', 'one\nTWO\nthree\nFOUR\n'],
    ['after-pass', clean],
    ['rebase', clean],
  ])('%s ends with only the second bug', (kind, start) => {
    const scenario = scenarioCase(host, kind, first, second);
    expect(textsOf(scenario, A)).toEqual([start, secondBugText]);
    expect(scenario).toMatchObject({
      source: 'scenario',
      title: `${kind}: src/a.ts: four changed, in 0123456789 Add a parser`,
      base: PARENT,
      rounds: [{ message: 'Add a parser', onBase: [] }, { message: 'Address the review' }],
      planted: { class: 'unit', places: [{ file: A, from: 4, to: 4 }] },
      unedited: uneditedFiles,
    });
  });

  test('only a rebase changes a file on the base branch, before the second round', () => {
    const scenarios = SCENARIOS.filter((kind) =>
      scenarioCase(host, kind, first, second).rounds.some(({ onBase }) => onBase.length > 0),
    );
    expect(scenarios).toEqual(['rebase']);
    expect(scenarioCase(host, 'rebase', first, second).rounds[1]?.onBase).toEqual([
      { path: 'NOTES-ON-BASE.md', text: 'A change of someone else.\n' },
    ]);
  });

  test('a second edit without a class has the class "other"', () => {
    const scenario = scenarioCase(host, 'after-pass', first, hostedEdit(edit('four', 'FOUR', null)));
    expect(scenario.planted?.class).toBe('other');
  });
});

describe('edits in added lines', () => {
  const long = `${'line\n'.repeat(60)}`;
  const at = (start: number, end: number): SourceEdit => ({ class: 'guard', start, end, text: '', says: 'removed' });
  test.each<[title: string, source: string, edit: SourceEdit, from: number, to: number, isIn: boolean]>([
    ['in the only added line', TEXT, edit('two', ''), 2, 2, true],
    ['in the last added line', TEXT, edit('three', ''), 1, 3, true],
    ['before the added lines', TEXT, edit('one', ''), 2, 3, false],
    ['after the added lines', TEXT, edit('four', ''), 2, 3, false],
    ['that starts before the added lines and ends in them', TEXT, edit('one\ntwo', ''), 2, 2, false],
    ['that starts in the added lines and ends after them', TEXT, edit('two\nthree', ''), 2, 2, true],
    ['without a length', TEXT, at(4, 4), 2, 2, true],
    ['of 40 lines', long, at(0, 40 * 5), 1, 1, true],
    ['of 41 lines', long, at(0, 41 * 5), 1, 1, false],
  ])('an edit %s', (_title, source, sourceEdit, from, to, isIn) => {
    expect(editsInLines([sourceEdit], source, [{ from, to }])).toEqual(isIn ? [sourceEdit] : []);
  });

  test('no added lines, no edits', () => {
    expect(editsInLines([edit('two', '')], TEXT, [])).toEqual([]);
  });
});

test.each<[title: string, diff: string, expected: readonly { from: number; to: number }[]]>([
  ['no diff', '', []],
  ['one added line', '@@ -0,0 +1 @@\n+a\n', [{ from: 1, to: 1 }]],
  ['several lines with the name of a function', '@@ -4,2 +5,3 @@ function f() {\n', [{ from: 5, to: 7 }]],
  ['removed lines', '@@ -4,2 +3,0 @@\n-a\n-b\n', [{ from: 3, to: 4 }]],
  ['removed lines at the start of the file', '@@ -1,2 +0,0 @@\n-a\n-b\n', [{ from: 1, to: 1 }]],
  [
    'two hunks',
    'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n@@ -9,0 +10,2 @@\n+c\n+d\n',
    [
      { from: 1, to: 1 },
      { from: 10, to: 11 },
    ],
  ],
  ['a line of the file that looks like a hunk', '@@ -1 +1 @@\n+@@ -5 +5 @@\n', [{ from: 1, to: 1 }]],
])('the new lines of %s', (_title, diff, ranges) => {
  expect(newLines(diff)).toEqual(ranges);
});
