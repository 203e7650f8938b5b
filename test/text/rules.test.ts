import { describe, expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { Rule } from '../../src/domain/rule.ts';
import { definingFile, tellRules } from '../../src/text/rules.ts';

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

describe('the configured rules', () => {
  test('come with name, place and description', () => {
    const rules = [rule('lint', 'Checks style.'), rule('lint', 'Checks more.', 'a/.deepreview', 12)];
    expect(tellRules(rules, null)).toBe(`lint (.deepreview:1)
  Checks style.
lint (a/.deepreview:12)
  Checks more.`);
  });

  test.each<[title: string, asked: readonly string[] | null, said: RegExp]>([
    ['none at all', null, /^No rule is defined\. "onceover init --rules"/],
    ['none for these files', ['a.py'], /^No rule matches these files\.$/],
  ])('%s', (_, asked, said) => {
    expect(tellRules([], asked)).toMatch(said);
  });

  test('a description or a folder with line breaks takes no more lines', () => {
    const told = tellRules([rule('lint', ' One\n\n  two\x1b[31m three\u2028 ', 'a\nb/.deepreview', 7)], null);
    expect(told).toBe('lint ("a\\nb/.deepreview:7")\n  One two\\u001b[31m three');
  });

  test('a rule is defined at a line of a file', () => {
    expect(definingFile(rule('lint', '', 'a b/.deepreview', 3))).toBe('a b/.deepreview:3');
  });
});
