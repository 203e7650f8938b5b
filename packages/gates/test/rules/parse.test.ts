import type { PlacedProblem } from '@onceover/base/kernel/failure';
import { ruleText } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { parseRules } from '../../src/rules/parse.ts';
import type { ParsedRuleFile } from '../../src/rules/types.ts';

const WHOLE = `security:
  description: Looks for holes.
  match:
    include: ["src/**/*.py", "*.sql"]
    exclude: ["**/test_*.py"]
  review:
    strategy: matches_together
    instructions:
      file: prompts/security.md
    agent: { claude: security-expert, codex: careful }
    additional_context:
      all_changed_filenames: true
      unchanged_matching_files: true
    reference_files:
      - path: docs/threats.md
        description: What we fear.
      - { path: ../shared.md }
    num_reviews: 20
    agents: [codex, house]
`;

describe('a good file', () => {
  test('gives the whole rule', () => {
    expect(parseRules(WHOLE)).toEqual({
      problems: [],
      rules: [
        {
          name: 'security',
          description: 'Looks for holes.',
          line: 1,
          include: ['src/**/*.py', '*.sql'],
          exclude: ['**/test_*.py'],
          strategy: 'matches_together',
          instructions: { file: 'prompts/security.md', line: 9, column: 13 },
          personas: { claude: 'security-expert', codex: 'careful' },
          allChangedFilenames: true,
          unchangedMatchingFiles: true,
          references: [
            { path: 'docs/threats.md', description: 'What we fear.', line: 15, column: 15 },
            { path: '../shared.md', description: null, line: 17, column: 17 },
          ],
          numReviews: 20,
          agents: ['codex', 'house'],
        },
      ],
    });
  });

  test('gives the defaults of what is not said', () => {
    expect(parseRules(`# rules\n\n${ruleText('lint')}`)).toEqual({
      problems: [],
      rules: [
        {
          name: 'lint',
          description: 'Checks lint.',
          line: 3,
          include: ['**/*.py'],
          exclude: [],
          strategy: 'individual',
          instructions: { text: 'Look closely.', line: 9, column: 19 },
          personas: {},
          allChangedFilenames: false,
          unchangedMatchingFiles: false,
          references: [],
          numReviews: 1,
          agents: null,
        },
      ],
    });
  });

  test.each([
    ['nothing', '', []],
    ['comments only', '# later\n', []],
    ['an empty document', '---\n', []],
    ['an empty map', '{}\n', []],
    ['rules in order', ruleText('b') + ruleText('a'), ['b', 'a']],
    ['a byte order mark', `\ufeff${ruleText('a')}`, ['a']],
    ['Windows line endings', (ruleText('a') + ruleText('b')).replaceAll('\n', '\r\n'), ['a', 'b']],
    ['names of what every object has', ruleText('__proto__') + ruleText('constructor'), ['__proto__', 'constructor']],
    ['names of digits and dashes', ruleText('1') + ruleText('-x_9'), ['1', '-x_9']],
    ['a name in quotes', ruleText('"a"'), ['a']],
    ['256 characters that are not ASCII', ruleText('a').replace('Checks a.', '\u{1f600}'.repeat(256)), ['a']],
  ])('may have %s', (_, text, expected) => {
    const { rules, problems } = parseRules(text);
    expect(problems).toEqual([]);
    expect(rules.map((rule) => rule.name)).toEqual(expected);
  });

  test('may use anchors', () => {
    const { rules, problems } = parseRules(`
a:
  description: One.
  match: &python { include: ["*.py"] }
  review: &look { strategy: individual, instructions: Look. }
b: { description: Two., match: *python, review: *look }
`);
    expect(problems).toEqual([]);
    expect(rules.map((rule) => [rule.name, rule.include, rule.instructions])).toMatchObject([
      ['a', ['*.py'], { text: 'Look.' }],
      ['b', ['*.py'], { text: 'Look.' }],
    ]);
  });
});

const FIRST = ruleText('first');
const GOOD = ruleText('lint');
const LAST = ruleText('last');
const include = (list: string) => GOOD.replace('["**/*.py"]', list);
const description = (text: string) => GOOD.replace('Checks lint.', text);
const instructions = (text: string) => GOOD.replace('Look closely.', text);
const more = (text: string) => ruleText('lint', { more: `    ${text}\n` });
const names = (file: ParsedRuleFile) => file.rules.map((rule) => rule.name);

/** `line:column kind subject`, the line counted from the one after `from`. */
function brief(problem: PlacedProblem, from = 0): string {
  const { what, line, column } = problem;
  const subject = 'key' in what ? what.key : 'name' in what ? what.name : 'glob' in what ? what.glob : '';
  return `${line - from}:${column} ${what.kind} ${subject}`;
}

describe('a rule with a problem is left out, the others stay', () => {
  test.each([
    ['unknown key', more('colour: red'), '8:5 unknown-key colour'],
    ['unknown key of the rule', `${GOOD}  when: now\n`, '8:3 unknown-key when'],
    ['misspelt key', GOOD.replace('  review', '    exlude: [a]\n  review'), '5:5 unknown-key exlude'],
    ['nothing in the rule', 'lint:\n', '1:6 wrong-type lint'],
    ['a rule that is text', 'lint: look\n', '1:7 wrong-type lint'],
    ['include that is text', include('"**/*.py"'), '4:14 wrong-type lint.match.include'],
    ['a number as glob', include('["a", 3]'), '4:20 wrong-type lint.match.include #2'],
    ['empty include', include('[]'), '4:14 out-of-range lint.match.include'],
    ['empty glob', include('[""]'), '4:15 out-of-range lint.match.include #1'],
    ['bad include', include('["a", "../b"]'), '4:20 bad-glob ../b'],
    ['bad exclude', GOOD.replace('  review', '    exclude:\n      - "!x"\n  review'), '6:9 bad-glob !x'],
    ['no description', GOOD.replace(/ {2}description.*\n/, ''), '1:1 missing-key lint.description'],
    ['no match', GOOD.replace(/ {2}match:\n.*\n/, ''), '1:1 missing-key lint.match'],
    ['no include', GOOD.replace('include', 'exclude'), '3:3 missing-key lint.match.include'],
    ['no review', GOOD.replace(/ {2}review:\n.*\n.*\n/, ''), '1:1 missing-key lint.review'],
    ['no strategy', GOOD.replace(/ {4}strategy.*\n/, ''), '5:3 missing-key lint.review.strategy'],
    ['no instructions', GOOD.replace(/ {4}instructions.*\n/, ''), '5:3 missing-key lint.review.instructions'],
    ['a long description', description('x'.repeat(257)), '2:16 out-of-range lint.description'],
    ['an empty description', description('""'), '2:16 out-of-range lint.description'],
    ['a number as description', description('3'), '2:16 wrong-type lint.description'],
    ['a bad strategy', GOOD.replace('individual', 'together'), '6:15 not-one-of lint.review.strategy'],
    ['empty instructions', instructions('""'), '7:19 out-of-range lint.review.instructions'],
    ['a list of instructions', instructions('[a]'), '7:19 bad-value lint.review.instructions'],
    ['instructions without file', instructions('{ path: a.md }'), '7:19 bad-value lint.review.instructions'],
    ['num_reviews 0', more('num_reviews: 0'), '8:18 out-of-range lint.review.num_reviews'],
    ['num_reviews 21', more('num_reviews: 21'), '8:18 out-of-range lint.review.num_reviews'],
    ['num_reviews in words', more('num_reviews: "two"'), '8:18 wrong-type lint.review.num_reviews'],
    ['num_reviews 1.5', more('num_reviews: 1.5'), '8:18 wrong-type lint.review.num_reviews'],
    ['an empty list of agents', more('agents: []'), '8:13 out-of-range lint.review.agents'],
    ['a list as persona', more('agent: { claude: [a] }'), '8:22 wrong-type lint.review.agent.claude'],
    [
      'a reference without path',
      more('reference_files: [{}]'),
      '8:23 missing-key lint.review.reference_files #1: path',
    ],
    ['a space in the name', ruleText('"a b"'), '1:1 bad-rule-name a b'],
    ['no name', ruleText('""'), '1:1 bad-rule-name '],
    ['a name that is not ASCII', ruleText('prüfung'), '1:1 bad-rule-name prüfung'],
    ['a number as name', ruleText('1').replace('individual', 'x'), '6:15 not-one-of 1.review.strategy'],
  ])('%s', (_, rule, expected) => {
    const parsed = parseRules(FIRST + rule + LAST);
    expect(parsed.problems.map((problem) => brief(problem, 7))).toEqual([expected]);
    expect(names(parsed)).toEqual(['first', 'last']);
  });

  test('reports every problem of a rule', () => {
    const parsed = parseRules(`lint: { match: { include: [] }, review: 3, x: 1 }\n${LAST}`);
    expect(parsed.problems.map((problem) => brief(problem))).toEqual([
      '1:1 missing-key lint.description',
      '1:27 out-of-range lint.match.include',
      '1:41 wrong-type lint.review',
      '1:44 unknown-key x',
    ]);
    expect(names(parsed)).toEqual(['last']);
  });

  test('reports the expected values', () => {
    const facts = (text: string) => parseRules(text).problems[0]?.what;
    expect(facts(`${GOOD}  when: now\n`)).toMatchObject({ known: ['description', 'match', 'review'] });
    expect(facts(GOOD.replace('individual', 'x'))).toMatchObject({
      allowed: ['individual', 'matches_together', 'all_changed_files'],
    });
    expect(facts(description('x'.repeat(257)))).toMatchObject({ bound: 'at most', limit: 256, unit: 'characters' });
    expect(facts(include('[]'))).toMatchObject({ bound: 'at least', limit: 1, unit: 'entries' });
    expect(facts(more('num_reviews: 21'))).toMatchObject({ bound: 'at most', limit: 20, unit: null });
    expect(facts(more('num_reviews: 1.5'))).toMatchObject({ expected: 'a whole number' });
    expect(facts(include('["../b"]'))).toMatchObject({ said: 'reaches above its folder with ".."' });
  });

  test('accepts a rule name that YAML reads as null or true', () => {
    expect(names(parseRules(ruleText('null') + ruleText('true')))).toEqual(['null', 'true']);
  });

  test('reports a name that is given twice, as number and as text', () => {
    expect(parseRules(ruleText('1') + ruleText('"1"')).problems.map((one) => brief(one))).toEqual(['8:1 syntax ']);
  });
});

const twice = (name: string, of: string) => `${name}: &${name} [${of}, ${of}]\n`;
const BOMB = Array.from({ length: 15 }, (_, i) => twice(`a${i + 1}`, `*a${i}`)).join('');

describe('a file that cannot be read as rules', () => {
  test.each([
    ['a tab', `${GOOD}b:\n\tdescription: x\n`, '9:1 syntax '],
    ['a rule twice', GOOD + GOOD, '8:1 syntax '],
    ['a key twice', GOOD.replace('  match', '  description: y\n  match'), '3:3 syntax '],
    ['a quote left open', 'a: "b\n', '2:1 syntax '],
    ['a tag', `${GOOD}b: !x y\n`, '8:4 syntax '],
    ['an alias without an anchor', `${GOOD}b: *x\n`, '8:4 syntax '],
    ['an alias of its own parent', `${GOOD}b: &x [{ y: *x }]\n`, '8:13 syntax '],
    ['a second document', `${GOOD}---\n${LAST}`, '8:1 syntax '],
    ['an alias bomb', twice('a0', 'x') + BOMB, '1:1 syntax '],
    ['a list', '# rules\n- a\n- b\n', '2:1 wrong-type the file'],
    ['text', 'look closely\n', '1:1 wrong-type the file'],
    ['a number', '3\n', '1:1 wrong-type the file'],
  ])('%s', (_, text, expected) => {
    const { rules, problems } = parseRules(text);
    expect(problems.map((problem) => brief(problem))).toEqual([expected]);
    expect(rules).toEqual([]);
  });

  // A parser that searches the whole file for each alias would need minutes, so the test timeout is a sufficient check.
  test('parses very many aliases quickly', () => {
    expect(parseRules(`${GOOD}b: &x y\nc: [${'*x, '.repeat(30_000)}]\n`)).toMatchObject({ rules: [], problems: [{}] });
  });

  test('describes a second document in plain words', () => {
    expect(JSON.stringify(parseRules(`${GOOD}---\n${LAST}`))).not.toContain('parseAllDocuments');
  });

  test('describes very deep nesting in plain words', () => {
    const { problems } = parseRules(`${GOOD}b: ${'['.repeat(5000)}${']'.repeat(5000)}\n`);
    expect(new Set(problems.map(({ what }) => (what.kind === 'syntax' ? what.said : what.kind)))).toEqual(
      new Set(['the value here is nested too deeply']),
    );
  });

  test.each([
    ['a byte order mark', `\ufeff${GOOD}`],
    ['Windows line endings', GOOD.replaceAll('\n', '\r\n')],
  ])('keeps positions with %s', (_, text) => {
    expect(parseRules(text.replace('individual', 'x')).problems).toMatchObject([{ line: 6, column: 15 }]);
    expect(parseRules(text.replace('lint', '"l t"')).problems).toMatchObject([{ line: 1, column: 1 }]);
  });
});
