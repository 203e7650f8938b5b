import { describe, expect, test } from 'vitest';
import type { ProblemKind, UnusableFile } from '../../src/domain/problem.ts';
import { tellProblem } from '../../src/text/problem.ts';

const tell = (what: ProblemKind, file = 'a/.deepreview') => tellProblem({ file, line: 3, column: 5, what });

type OneOfEach = { readonly [Kind in ProblemKind['kind']]: readonly [Extract<ProblemKind, { kind: Kind }>, string] };

/** One of each kind with its sentence, with `given` wherever a value comes from outside. */
function samples(given: string): OneOfEach {
  return {
    syntax: [{ kind: 'syntax', said: given }, `not valid YAML: ${given}`],
    'merge-conflict': [
      { kind: 'merge-conflict' },
      'a merge conflict is left here: keep one side, and take out the lines with <<<<<<<, ======= and >>>>>>>',
    ],
    'unknown-key': [
      { kind: 'unknown-key', key: given, known: ['include', 'exclude'] },
      `unknown key "${given}"; known here: include, exclude`,
    ],
    'missing-key': [{ kind: 'missing-key', key: given }, `"${given}" is missing`],
    'wrong-type': [{ kind: 'wrong-type', key: given, expected: 'a list' }, `"${given}" must be a list`],
    'not-one-of': [{ kind: 'not-one-of', key: given, allowed: ['a', 'b'] }, `"${given}" must be one of a, b`],
    'out-of-range': [
      { kind: 'out-of-range', key: given, bound: 'at most', limit: 256, unit: 'characters' },
      `"${given}" must have at most 256 characters`,
    ],
    'bad-value': [{ kind: 'bad-value', key: given, said: 'is odd' }, `"${given}" is odd`],
    'bad-rule-name': [
      { kind: 'bad-rule-name', name: given },
      `rule name "${given}" may only have letters, digits, "_" and "-"`,
    ],
    'unknown-role': [
      { kind: 'unknown-role', name: given, known: ['implementer', 'spec-reviewer'] },
      `there is no role "${given}"; known here: implementer, spec-reviewer`,
    ],
    'bad-glob': [{ kind: 'bad-glob', glob: given, said: 'is empty' }, `the glob "${given}" is empty`],
    'unusable-file': [{ kind: 'unusable-file', path: given, why: 'empty' }, `${given} is empty`],
    'job-name-differs': [
      { kind: 'job-name-differs', name: 'a', folder: given },
      `the job is called "a" and its folder "${given}"; both must have the same name`,
    ],
    'duplicate-step': [
      { kind: 'duplicate-step', id: given, line: 7 },
      `there is a step "${given}" already, in line 7; every step needs an id of its own`,
    ],
    'duplicate-workflow': [
      { kind: 'duplicate-workflow', name: given, line: 7 },
      `there is a workflow "${given}" already, in line 7; every workflow needs a name of its own`,
    ],
    'unknown-step': [
      { kind: 'unknown-step', id: given, known: ['research', 'report'] },
      `there is no step "${given}"; known here: research, report`,
    ],
    'dependency-cycle': [
      { kind: 'dependency-cycle', steps: ['a', given, 'a'] },
      `these steps wait for one another, so none could ever begin: "a" → "${given}" → "a"`,
    ],
    'input-of-no-dependency': [
      { kind: 'input-of-no-dependency', step: 'report', from: given },
      `"${given}" is no dependency of "report", so its outputs may not be there yet; add it to "dependencies"`,
    ],
    'unknown-output': [
      { kind: 'unknown-output', step: 'research', output: given, known: ['notes', 'sources'] },
      `the step "research" has no output "${given}"; known here: notes, sources`,
    ],
    'reserved-output': [
      { kind: 'reserved-output', name: given },
      `no output can be called "${given}": in "run_each" that means all outputs together`,
    ],
    'no-criteria': [
      { kind: 'no-criteria' },
      'a review needs at least one criterion: a name, and the question to be answered with yes',
    ],
    'outside-job': [
      { kind: 'outside-job', path: given, folder: '.deepwork/jobs/a' },
      `${given} is outside .deepwork/jobs/a; instructions are read from the folder of their job only`,
    ],
    'step-twice': [
      { kind: 'step-twice', workflow: 'full', step: given },
      `the workflow "full" has the step "${given}" twice; a step is done once`,
    ],
    'step-out-of-order': [
      { kind: 'step-out-of-order', workflow: 'full', step: 'report', needs: given, why: 'later' },
      `the workflow "full" has the step "report" before "${given}", which it depends on`,
    ],
  };
}

const each = (given: string) => Object.values(samples(given)).map(([what, said]) => [what.kind, what, said] as const);

describe('a problem is one line that begins with its place', () => {
  test.each(each('some-thing'))('%s', (_, what, said) => {
    expect(tell(what)).toBe(`a/.deepreview:3:5: ${said}`);
  });

  test.each<[title: string, what: ProblemKind, said: string]>([
    ['one value allowed', { kind: 'not-one-of', key: 'version', allowed: ['1'] }, '"version" must be 1'],
    [
      'a number',
      { kind: 'out-of-range', key: 'timeout', bound: 'at least', limit: 1, unit: null },
      '"timeout" must be at least 1',
    ],
    [
      'a list',
      { kind: 'out-of-range', key: 'agents', bound: 'at least', limit: 2, unit: 'entries' },
      '"agents" must have at least 2 entries',
    ],
    [
      'a step that needs itself',
      { kind: 'dependency-cycle', steps: ['a', 'a'] },
      'the step "a" depends on itself, so it could never begin',
    ],
    [
      'a step without outputs',
      { kind: 'unknown-output', step: 'a', output: 'x', known: [] },
      'the step "a" has no output "x"; it has none',
    ],
    [
      'at the same time',
      { kind: 'step-out-of-order', workflow: 'w', step: 'b', needs: 'a', why: 'same-group' },
      'the workflow "w" has the step "b" at the same time as "a", which it depends on',
    ],
    [
      'not at all',
      { kind: 'step-out-of-order', workflow: 'w', step: 'b', needs: 'a', why: 'left-out' },
      'the workflow "w" has the step "b" but not "a", which it depends on',
    ],
    ['empty instructions', { kind: 'unusable-file', path: '', why: 'empty' }, 'the instructions are empty'],
  ])('%s', (_, what, said) => {
    expect(tell(what)).toBe(`a/.deepreview:3:5: ${said}`);
  });

  test('one of something is said in the singular', () => {
    const at = (unit: 'characters' | 'entries') =>
      tell({ kind: 'out-of-range', key: 'a', bound: 'at least', limit: 1, unit });
    expect(at('entries')).toMatch(/at least (1|one) entry$/);
    expect(at('characters')).toMatch(/at least (1|one) character$/);
  });

  const UNUSABLE: Readonly<Record<UnusableFile, RegExp>> = {
    missing: /does not exist/,
    'not-a-file': /is not a plain file/,
    outside: /is outside the repository/,
    'not-utf8': /is not UTF-8/,
    'too-large': /is larger than 1 MiB/,
    empty: /is empty/,
    unreadable: /cannot be read/,
  };
  test.each(Object.entries(UNUSABLE) as [UnusableFile, RegExp][])('a file that is %s', (why, said) => {
    expect(tell({ kind: 'unusable-file', path: 'docs/how.md', why })).toMatch(said);
    expect(tell({ kind: 'unusable-file', path: 'docs/how.md', why })).toContain('docs/how.md');
  });
});

describe('an unknown key', () => {
  const known = ['description', 'match', 'review', 'include', 'exclude', 'num_reviews'];
  const told = (key: string) => tell({ kind: 'unknown-key', key, known });

  test.each([
    ['desciption', 'description'],
    ['Description', 'description'],
    ['REVIEW', 'review'],
    ['mtach', 'match'],
    ['exlude', 'exclude'],
    ['eclude', 'exclude'],
    ['xclude', 'exclude'],
    ['nclude', 'include'],
    ['num_review', 'num_reviews'],
  ])('%s: did you mean %s?', (key, meant) => {
    expect(told(key)).toMatch(new RegExp(`did you mean "${meant}"\\?$`));
  });

  test.each(['colour', 'x', 'reviewers_per_file'])('%s is near none, so all are named', (key) => {
    expect(told(key)).toBe(`a/.deepreview:3:5: unknown key "${key}"; known here: ${known.join(', ')}`);
  });

  test('where nothing is known, nothing is suggested', () => {
    expect(tell({ kind: 'unknown-key', key: 'x', known: [] })).toBe('a/.deepreview:3:5: unknown key "x"');
  });
});

describe('a hostile value cannot break the line', () => {
  const evil = 'a\nb\x1b[31mc\u2028d\u202ee\x9bf\r';
  test.each(each(evil))('%s', (_, what) => {
    expect(tell(what)).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  });

  test('nor can a file name', () => {
    expect(tell({ kind: 'missing-key', key: 'a' }, `${evil}/.deepreview`)).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  });
});
