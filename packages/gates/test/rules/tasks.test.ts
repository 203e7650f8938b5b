import { paths, rule } from '@onceover/testing/rules.ts';
import { describe, expect, test } from 'vitest';
import { planTasks } from '../../src/rules/tasks.ts';
import type { Rule } from '../../src/rules/types.ts';

const CHANGED = paths('src/b.py', 'src/a.py', 'README.md');
const UNCHANGED = paths('src/old.py', 'docs/x.md');

function planned(rules: readonly Rule[], unchanged = UNCHANGED) {
  return planTasks(rules, { changed: CHANGED, unchanged: () => unchanged }).map((task) => ({
    rule: task.rule.name,
    files: task.files,
    unchanged: task.unchangedMatching,
  }));
}

describe('tasks of a rule', () => {
  test.each([
    ['individual: one per matched file', { strategy: 'individual' }, [['src/a.py'], ['src/b.py']]],
    ['matches_together: one for all matched files', { strategy: 'matches_together' }, [['src/a.py', 'src/b.py']]],
    [
      'all_changed_files: one with every changed file, if any matches',
      { strategy: 'all_changed_files' },
      [['README.md', 'src/a.py', 'src/b.py']],
    ],
    ['individual: none without a match', { strategy: 'individual', include: ['**/*.go'] }, []],
    ['matches_together: none without a match', { strategy: 'matches_together', include: ['**/*.go'] }, []],
    ['all_changed_files: none without a match', { strategy: 'all_changed_files', include: ['**/*.go'] }, []],
    ['excluded files do not match', { strategy: 'individual', exclude: ['**/b.*'] }, [['src/a.py']]],
    [
      'globs are relative to the folder',
      { strategy: 'individual', folder: 'src', include: ['*.py'] },
      [['src/a.py'], ['src/b.py']],
    ],
    ['a rule does not reach above its folder', { strategy: 'individual', folder: 'docs', include: ['**'] }, []],
  ] as const)('%s', (_title, given, expected) => {
    expect(planned([rule(given)]).map((task) => task.files)).toEqual(expected);
  });

  test.each([
    ['matches_together', true, ['src/old.py']],
    ['matches_together', false, []],
    ['individual', true, []],
    ['all_changed_files', true, []],
  ] as const)(
    'lists unchanged matching files with %s, if requested: %s',
    (strategy, unchangedMatchingFiles, expected) => {
      const [first] = planned([rule({ strategy, context: { allChangedFilenames: false, unchangedMatchingFiles } })]);
      expect(first?.unchanged).toEqual(expected);
    },
  );

  test('does not list unchanged files if no rule needs them', () => {
    const listed = planTasks([rule()], {
      changed: CHANGED,
      unchanged: () => {
        throw new Error('asked for');
      },
    });
    expect(listed).toHaveLength(2);
  });

  test('treats rules with the same name in two folders as two rules', () => {
    const both = planned([
      rule({ strategy: 'matches_together' }),
      rule({ strategy: 'matches_together', folder: 'src' }),
    ]);
    expect(both.map((task) => task.files)).toEqual([
      ['src/a.py', 'src/b.py'],
      ['src/a.py', 'src/b.py'],
    ]);
  });

  test('uses a file once if it is given twice', () => {
    const tasks = planTasks([rule({ strategy: 'matches_together' })], {
      changed: paths('a.py', 'a.py'),
      unchanged: () => [],
    });
    expect(tasks.map((task) => task.files)).toEqual([['a.py']]);
  });
});
