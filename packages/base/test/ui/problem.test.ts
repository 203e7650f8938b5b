import { describe, expect, test } from 'vitest';
import type { ProblemKind, UnusableFile } from '../../src/kernel/failure.ts';
import { describeProblem } from '../../src/ui/describe-problem.ts';

const problemText = (problem: ProblemKind, file = 'a/.deepreview') =>
  describeProblem({ file, line: 3, column: 5, what: problem });

type OneOfEach = { readonly [Kind in ProblemKind['kind']]: readonly [Extract<ProblemKind, { kind: Kind }>, string] };

/** One problem per kind with its sentence, with `input` as every value from outside. */
function samples(input: string): OneOfEach {
  return {
    syntax: [{ kind: 'syntax', said: input }, `not valid YAML: ${input}`],
    'merge-conflict': [
      { kind: 'merge-conflict' },
      'unresolved merge conflict: keep one side and delete the lines with <<<<<<<, ======= and >>>>>>>',
    ],
    'unknown-key': [
      { kind: 'unknown-key', key: input, known: ['include', 'exclude'] },
      `unknown key "${input}"; known here: include, exclude`,
    ],
    'missing-key': [{ kind: 'missing-key', key: input }, `"${input}" is missing`],
    'wrong-type': [{ kind: 'wrong-type', key: input, expected: 'a list' }, `"${input}" must be a list`],
    'not-one-of': [{ kind: 'not-one-of', key: input, allowed: ['a', 'b'] }, `"${input}" must be one of a, b`],
    'out-of-range': [
      { kind: 'out-of-range', key: input, bound: 'at most', limit: 256, unit: 'characters' },
      `"${input}" must have at most 256 characters`,
    ],
    'bad-value': [{ kind: 'bad-value', key: input, said: 'is odd' }, `"${input}" is odd`],
    'bad-rule-name': [
      { kind: 'bad-rule-name', name: input },
      `rule name "${input}" may contain only letters, digits, "_" and "-"`,
    ],
    'unknown-role': [
      { kind: 'unknown-role', name: input, known: ['implementer', 'spec-reviewer'] },
      `there is no role "${input}"; known here: implementer, spec-reviewer`,
    ],
    'bad-glob': [{ kind: 'bad-glob', glob: input, said: 'is empty' }, `the glob "${input}" is empty`],
    'unusable-file': [{ kind: 'unusable-file', path: input, why: 'empty' }, `${input} is empty`],
    'job-name-differs': [
      { kind: 'job-name-differs', name: 'a', folder: input },
      `the job is called "a" and its folder "${input}"; both must have the same name`,
    ],
    'duplicate-step': [
      { kind: 'duplicate-step', id: input, line: 7 },
      `line 7 already has a step "${input}"; give every step its own id`,
    ],
    'duplicate-workflow': [
      { kind: 'duplicate-workflow', name: input, line: 7 },
      `line 7 already has a workflow "${input}"; give every workflow its own name`,
    ],
    'unknown-step': [
      { kind: 'unknown-step', id: input, known: ['research', 'report'] },
      `there is no step "${input}"; known here: research, report`,
    ],
    'dependency-cycle': [
      { kind: 'dependency-cycle', steps: ['a', input, 'a'] },
      `these steps depend on each other, so none can ever start: "a" → "${input}" → "a"`,
    ],
    'input-of-no-dependency': [
      { kind: 'input-of-no-dependency', step: 'report', from: input },
      `"report" does not depend on "${input}", whose outputs may not exist yet; add "${input}" to "dependencies"`,
    ],
    'unknown-output': [
      { kind: 'unknown-output', step: 'research', output: input, known: ['notes', 'sources'] },
      `the step "research" has no output "${input}"; known here: notes, sources`,
    ],
    'reserved-output': [
      { kind: 'reserved-output', name: input },
      `"${input}" cannot be the name of an output: in "run_each" it means all outputs together`,
    ],
    'no-criteria': [
      { kind: 'no-criteria' },
      'a review needs at least one criterion: a name, and a question whose answer must be yes',
    ],
    'outside-job': [
      { kind: 'outside-job', path: input, folder: '.deepwork/jobs/a' },
      `${input} is outside .deepwork/jobs/a; move the instructions into the folder of their job`,
    ],
    'step-twice': [
      { kind: 'step-twice', workflow: 'full', step: input },
      `the workflow "full" has the step "${input}" twice; list each step once`,
    ],
    'step-out-of-order': [
      { kind: 'step-out-of-order', workflow: 'full', step: 'report', needs: input, why: 'later' },
      `the workflow "full" has the step "report" before "${input}", which it depends on`,
    ],
  };
}

const casesOf = (input: string) =>
  Object.values(samples(input)).map(([problem, sentence]) => [problem.kind, problem, sentence] as const);

describe('describeProblem', () => {
  test.each(casesOf('some-thing'))('starts with the position: %s', (_, problem, sentence) => {
    expect(problemText(problem)).toBe(`a/.deepreview:3:5: ${sentence}`);
  });

  test.each<[title: string, what: ProblemKind, said: string]>([
    ['names a single allowed value', { kind: 'not-one-of', key: 'version', allowed: ['1'] }, '"version" must be 1'],
    [
      'names the smallest number',
      { kind: 'out-of-range', key: 'timeout', bound: 'at least', limit: 1, unit: null },
      '"timeout" must be at least 1',
    ],
    [
      'names the shortest list',
      { kind: 'out-of-range', key: 'agents', bound: 'at least', limit: 2, unit: 'entries' },
      '"agents" must have at least 2 entries',
    ],
    [
      'says that a step depends on itself',
      { kind: 'dependency-cycle', steps: ['a', 'a'] },
      'the step "a" depends on itself, so it can never start',
    ],
    [
      'says that a step has no outputs',
      { kind: 'unknown-output', step: 'a', output: 'x', known: [] },
      'the step "a" has no output "x"; it has none',
    ],
    [
      'says that a step runs at the same time as its dependency',
      { kind: 'step-out-of-order', workflow: 'w', step: 'b', needs: 'a', why: 'same-group' },
      'the workflow "w" has the step "b" at the same time as "a", which it depends on',
    ],
    [
      'says that the dependency of a step is left out',
      { kind: 'step-out-of-order', workflow: 'w', step: 'b', needs: 'a', why: 'left-out' },
      'the workflow "w" has the step "b" but not "a", which it depends on',
    ],
    [
      'says that instructions are empty',
      { kind: 'unusable-file', path: '', why: 'empty' },
      'the instructions are empty',
    ],
  ])('%s', (_, problem, sentence) => {
    expect(problemText(problem)).toBe(`a/.deepreview:3:5: ${sentence}`);
  });

  test('uses the singular for a limit of one', () => {
    const at = (unit: 'characters' | 'entries') =>
      problemText({ kind: 'out-of-range', key: 'a', bound: 'at least', limit: 1, unit });
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
  test.each(Object.entries(UNUSABLE) as [UnusableFile, RegExp][])(
    'says why a file is unusable: %s',
    (why, sentence) => {
      expect(problemText({ kind: 'unusable-file', path: 'docs/how.md', why })).toMatch(sentence);
      expect(problemText({ kind: 'unusable-file', path: 'docs/how.md', why })).toContain('docs/how.md');
    },
  );
});

describe('describeProblem of an unknown key', () => {
  const knownKeys = ['description', 'match', 'review', 'include', 'exclude', 'num_reviews'];
  const keyText = (key: string) => problemText({ kind: 'unknown-key', key, known: knownKeys });

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
  ])('suggests for %s the key %s', (key, suggestion) => {
    expect(keyText(key)).toMatch(new RegExp(`did you mean "${suggestion}"\\?$`));
  });

  test.each(['colour', 'x', 'reviewers_per_file'])('lists all keys for %s, which is near none', (key) => {
    expect(keyText(key)).toBe(`a/.deepreview:3:5: unknown key "${key}"; known here: ${knownKeys.join(', ')}`);
  });

  test('suggests nothing if no key is known', () => {
    expect(problemText({ kind: 'unknown-key', key: 'x', known: [] })).toBe('a/.deepreview:3:5: unknown key "x"');
  });
});

describe('describeProblem with a hostile value', () => {
  const evil = 'a\nb\x1b[31mc\u2028d\u202ee\x9bf\r';
  test.each(casesOf(evil))('stays in one line: %s', (_, problem) => {
    expect(problemText(problem)).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  });

  test('escapes the file name', () => {
    expect(problemText({ kind: 'missing-key', key: 'a' }, `${evil}/.deepreview`)).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  });
});
