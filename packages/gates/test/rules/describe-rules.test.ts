import type { RepoPath } from '@onceover/base/kernel/ids';
import { describe, expect, test } from 'vitest';
import { definingFile, describeRules } from '../../src/rules/describe.ts';
import type { Rule } from '../../src/rules/types.ts';

function rule(name: string, description: string, file = '.deepreview', line = 1): Rule {
  return {
    name,
    description,
    source: { file: file as RepoPath, line },
    folder: '',
    include: ['**'],
    exclude: [],
    strategy: 'individual',
    instructions: 'Look.',
    personas: {},
    context: { allChangedFilenames: false, unchangedMatchingFiles: false },
    references: [],
    numReviews: 1,
    agents: null,
  };
}

describe('describes rules:', () => {
  test('name, file, line and description', () => {
    const rules = [rule('lint', 'Checks style.'), rule('lint', 'Checks more.', 'a/.deepreview', 12)];
    expect(describeRules(rules, null)).toBe(`lint (.deepreview:1)
  Checks style.
lint (a/.deepreview:12)
  Checks more.`);
  });

  test.each<[title: string, asked: readonly string[] | null, said: RegExp]>([
    ['none at all', null, /^No rule is defined\. Create a first \.deepreview with "onceover init --rules"/],
    ['none for these files', ['a.py'], /^No rule matches these files\.$/],
  ])('%s', (_, asked, said) => {
    expect(describeRules([], asked)).toMatch(said);
  });

  test('line breaks in a description or folder add no lines', () => {
    const told = describeRules([rule('lint', ' One\n\n  two\x1b[31m three\u2028 ', 'a\nb/.deepreview', 7)], null);
    expect(told).toBe('lint ("a\\nb/.deepreview:7")\n  One two\\u001b[31m three');
  });

  test('the defining file of a rule includes the line', () => {
    expect(definingFile(rule('lint', '', 'a b/.deepreview', 3))).toBe('a b/.deepreview:3');
  });
});
