import { quoteName, showInvisible } from '../kernel/escape.ts';
import type { Problem, ProblemKind, UnusableFile } from '../kernel/failure.ts';
import { type ByKind, byKind, count, didYouMean, quoted } from './wording.ts';

/** Returns the message for a problem in a file: `file:line:column: what is wrong and how to fix it`. */
export function describeProblem({ file, line, column, what }: Problem): string {
  const sentence = what.kind === 'unusable-file' ? describeUnusable(what, file) : byKind(PROBLEMS, what);
  return `${quoteName(file)}:${line}:${column}: ${sentence}`;
}

function describeUnusable({ path, why }: Extract<ProblemKind, { kind: 'unusable-file' }>, file: string): string {
  if (path === '') return 'the instructions are empty';
  if (path === file) return `the file ${UNUSABLE[why]}`;
  return `${quoteName(path)} ${UNUSABLE[why]}${why === 'missing' ? RELATIVE : ''}`;
}

const PROBLEMS: ByKind<Exclude<ProblemKind, { kind: 'unusable-file' }>, string> = {
  syntax: ({ said }) => `not valid YAML: ${showInvisible(said)}`,
  'merge-conflict': () =>
    'unresolved merge conflict: keep one side and delete the lines with <<<<<<<, ======= and >>>>>>>',
  'unknown-key': ({ key, known }) => `unknown key ${quoted(key)}${didYouMean(key, known)}`,
  'missing-key': ({ key }) => `${keyName(key)} is missing`,
  'wrong-type': ({ key, expected }) => `${keyName(key)} must be ${expected}`,
  'not-one-of': ({ key, allowed }) =>
    `${keyName(key)} must be ${allowed.length === 1 ? '' : 'one of '}${allowed.join(', ')}`,
  'out-of-range': (problem) => {
    const { bound, limit, unit } = problem;
    return `${keyName(problem.key)} must ${unit === null ? `be ${bound} ${limit}` : `have ${bound} ${count(limit, UNITS[unit][0], UNITS[unit][1])}`}`;
  },
  'bad-value': ({ key, said }) => `${keyName(key)} ${showInvisible(said)}`,
  'bad-rule-name': ({ name }) => `rule name ${quoted(name)} may contain only letters, digits, "_" and "-"`,
  'unknown-role': ({ name, known }) => `there is no role ${quoted(name)}${didYouMean(name, known)}`,
  'bad-glob': ({ glob, said }) => `the glob ${quoted(glob)} ${said}`,
  'job-name-differs': ({ name, folder }) =>
    `the job is called ${quoted(name)} and its folder ${quoted(folder)}; both must have the same name`,
  'duplicate-step': ({ line, id }) => `line ${line} already has a step ${quoted(id)}; give every step its own id`,
  'duplicate-workflow': ({ line, name }) =>
    `line ${line} already has a workflow ${quoted(name)}; give every workflow its own name`,
  'unknown-step': ({ id, known }) => `there is no step ${quoted(id)}${didYouMean(id, known)}`,
  'dependency-cycle': ({ steps }) =>
    steps.length === 2
      ? `the step ${quoted(steps[0] ?? '')} depends on itself, so it can never start`
      : `these steps depend on each other, so none can ever start: ${steps.map(quoted).join(' → ')}`,
  'input-of-no-dependency': ({ step, from }) =>
    `${quoted(step)} does not depend on ${quoted(from)}, whose outputs may not exist yet; add ${quoted(from)} to "dependencies"`,
  'unknown-output': ({ step, output, known }) =>
    `the step ${quoted(step)} has no output ${quoted(output)}${known.length === 0 ? '; it has none' : didYouMean(output, known)}`,
  'reserved-output': ({ name }) =>
    `${quoted(name)} cannot be the name of an output: in "run_each" it means all outputs together`,
  'no-criteria': () => 'a review needs at least one criterion: a name, and a question whose answer must be yes',
  'outside-job': ({ path, folder }) =>
    `${quoteName(path)} is outside ${quoteName(folder)}; move the instructions into the folder of their job`,
  'step-twice': ({ workflow, step }) =>
    `the workflow ${quoted(workflow)} has the step ${quoted(step)} twice; list each step once`,
  'step-out-of-order': ({ workflow, step, why, needs }) =>
    `the workflow ${quoted(workflow)} has the step ${quoted(step)} ${ORDER[why]} ${quoted(needs)}, which it depends on`,
};

const UNITS = { characters: ['character', 'characters'], entries: ['entry', 'entries'] } as const;

const RELATIVE = ' (paths are relative to the folder of the file that names them)';

/** For each reason why a file cannot be used, the words that follow the file's name in a message. */
export const UNUSABLE: Readonly<Record<UnusableFile, string>> = {
  missing: 'does not exist',
  'not-a-file': 'is not a plain file',
  outside: 'is outside the repository; onceover reads only files inside it',
  'not-utf8': 'is not UTF-8 text',
  'too-large': 'is larger than 1 MiB',
  empty: 'is empty',
  unreadable: 'cannot be read',
};

/** Returns a key in quotes. The text "the file" is not a key but means the whole file, so it gets no quotes. */
function keyName(key: string): string {
  return key === 'the file' ? key : quoted(key);
}

const ORDER = { later: 'before', 'same-group': 'at the same time as', 'left-out': 'but not' } as const;
