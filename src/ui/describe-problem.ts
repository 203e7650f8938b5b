import { quoteName, showInvisible } from '../kernel/escape.ts';
import type { JobProblem, Problem, ProblemKind, UnusableFile } from '../kernel/failure.ts';
import { count, didYouMean, quoted } from './wording.ts';

/** Returns `file:line:column: what is wrong and how to fix it`. */
export function describeProblem(problem: Problem): string {
  return `${quoteName(problem.file)}:${problem.line}:${problem.column}: ${describeKind(problem.what, problem.file)}`;
}

function describeKind(what: ProblemKind, file: string): string {
  switch (what.kind) {
    case 'syntax':
      return `not valid YAML: ${showInvisible(what.said)}`;
    case 'merge-conflict':
      return 'unresolved merge conflict: keep one side and delete the lines with <<<<<<<, ======= and >>>>>>>';
    case 'unknown-key':
      return `unknown key ${quoted(what.key)}${didYouMean(what.key, what.known)}`;
    case 'missing-key':
      return `${named(what.key)} is missing`;
    case 'wrong-type':
      return `${named(what.key)} must be ${what.expected}`;
    case 'not-one-of':
      return `${named(what.key)} must be ${what.allowed.length === 1 ? '' : 'one of '}${what.allowed.join(', ')}`;
    case 'out-of-range': {
      const { bound, limit, unit } = what;
      return `${named(what.key)} must ${unit === null ? `be ${bound} ${limit}` : `have ${bound} ${count(limit, UNITS[unit][0], UNITS[unit][1])}`}`;
    }
    case 'bad-value':
      return `${named(what.key)} ${showInvisible(what.said)}`;
    case 'bad-rule-name':
      return `rule name ${quoted(what.name)} may contain only letters, digits, "_" and "-"`;
    case 'unknown-role':
      return `there is no role ${quoted(what.name)}${didYouMean(what.name, what.known)}`;
    case 'bad-glob':
      return `the glob ${quoted(what.glob)} ${what.said}`;
    case 'unusable-file':
      if (what.path === '') return 'the instructions are empty';
      if (what.path === file) return `the file ${UNUSABLE[what.why]}`;
      return `${quoteName(what.path)} ${UNUSABLE[what.why]}${what.why === 'missing' ? RELATIVE : ''}`;
    default:
      return describeJobProblem(what);
  }
}

const UNITS = { characters: ['character', 'characters'], entries: ['entry', 'entries'] } as const;

const RELATIVE = ' (paths are relative to the folder of the file that names them)';

/** The reason why a rule or a setting cannot use a file, to follow the file name. */
export const UNUSABLE: Readonly<Record<UnusableFile, string>> = {
  missing: 'does not exist',
  'not-a-file': 'is not a plain file',
  outside: 'is outside the repository; onceover reads only files inside it',
  'not-utf8': 'is not UTF-8 text',
  'too-large': 'is larger than 1 MiB',
  empty: 'is empty',
  unreadable: 'cannot be read',
};

/** Returns a key in quotes. The whole file has no key and gets no quotes. */
function named(key: string): string {
  return key === 'the file' ? key : quoted(key);
}

/** Returns what is wrong with a job and how to fix it. */
function describeJobProblem(what: JobProblem): string {
  switch (what.kind) {
    case 'job-name-differs':
      return `the job is called ${quoted(what.name)} and its folder ${quoted(what.folder)}; both must have the same name`;
    case 'duplicate-step':
      return `line ${what.line} already has a step ${quoted(what.id)}; give every step its own id`;
    case 'duplicate-workflow':
      return `line ${what.line} already has a workflow ${quoted(what.name)}; give every workflow its own name`;
    case 'unknown-step':
      return `there is no step ${quoted(what.id)}${didYouMean(what.id, what.known)}`;
    case 'dependency-cycle':
      return what.steps.length === 2
        ? `the step ${quoted(what.steps[0] ?? '')} depends on itself, so it can never start`
        : `these steps depend on each other, so none can ever start: ${what.steps.map(quoted).join(' → ')}`;
    case 'input-of-no-dependency':
      return `${quoted(what.step)} does not depend on ${quoted(what.from)}, whose outputs may not exist yet; add ${quoted(what.from)} to "dependencies"`;
    case 'unknown-output':
      return `the step ${quoted(what.step)} has no output ${quoted(what.output)}${what.known.length === 0 ? '; it has none' : didYouMean(what.output, what.known)}`;
    case 'reserved-output':
      return `${quoted(what.name)} cannot be the name of an output: in "run_each" it means all outputs together`;
    case 'no-criteria':
      return 'a review needs at least one criterion: a name, and a question whose answer must be yes';
    case 'outside-job':
      return `${quoteName(what.path)} is outside ${quoteName(what.folder)}; move the instructions into the folder of their job`;
    case 'step-twice':
      return `the workflow ${quoted(what.workflow)} has the step ${quoted(what.step)} twice; list each step once`;
    case 'step-out-of-order':
      return `the workflow ${quoted(what.workflow)} has the step ${quoted(what.step)} ${ORDER[what.why]} ${quoted(what.needs)}, which it depends on`;
  }
}

const ORDER = { later: 'before', 'same-group': 'at the same time as', 'left-out': 'but not' } as const;
