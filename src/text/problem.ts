import type { Problem, ProblemKind, UnusableFile } from '../domain/problem.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import { didYouMean } from './did-you-mean.ts';
import { tellJobProblem } from './job-problem.ts';
import { quoted } from './quoted.ts';

/** `file:line:column: what is wrong and what would be right`. */
export function tellProblem(problem: Problem): string {
  return `${quoteName(problem.file)}:${problem.line}:${problem.column}: ${tellKind(problem.what, problem.file)}`;
}

function tellKind(what: ProblemKind, file: string): string {
  switch (what.kind) {
    case 'syntax':
      return `not valid YAML: ${showUnseen(what.said)}`;
    case 'merge-conflict':
      return 'a merge conflict is left here: keep one side, and take out the lines with <<<<<<<, ======= and >>>>>>>';
    case 'unknown-key':
      return `unknown key ${quoted(what.key)}${didYouMean(what.key, what.known)}`;
    case 'missing-key':
      return `${named(what.key)} is missing`;
    case 'wrong-type':
      return `${named(what.key)} must be ${what.expected}`;
    case 'not-one-of':
      return `${named(what.key)} must be ${what.allowed.length === 1 ? '' : 'one of '}${what.allowed.join(', ')}`;
    case 'out-of-range':
      return `${named(what.key)} must ${what.unit === null ? 'be' : 'have'} ${what.bound} ${what.limit}${what.unit === null ? '' : ` ${UNITS[what.unit][what.limit === 1 ? 0 : 1]}`}`;
    case 'bad-value':
      return `${named(what.key)} ${showUnseen(what.said)}`;
    case 'bad-rule-name':
      return `rule name ${quoted(what.name)} may only have letters, digits, "_" and "-"`;
    case 'unknown-role':
      return `there is no role ${quoted(what.name)}${didYouMean(what.name, what.known)}`;
    case 'bad-glob':
      return `the glob ${quoted(what.glob)} ${what.said}`;
    case 'unusable-file':
      if (what.path === '') return 'the instructions are empty';
      if (what.path === file) return `the file ${UNUSABLE[what.why]}`;
      return `${quoteName(what.path)} ${UNUSABLE[what.why]}${what.why === 'missing' ? RELATIVE : ''}`;
    default:
      return tellJobProblem(what);
  }
}

const UNITS = { characters: ['character', 'characters'], entries: ['entry', 'entries'] } as const;

const RELATIVE = ' (paths are relative to the folder of the file that names them)';

/** What is wrong with a file that is named somewhere, to follow its name. */
export const UNUSABLE: Readonly<Record<UnusableFile, string>> = {
  missing: 'does not exist',
  'not-a-file': 'is not a plain file',
  outside: 'is outside the repository; only files inside it are read',
  'not-utf8': 'is not UTF-8 text',
  'too-large': 'is larger than 1 MiB',
  empty: 'is empty',
  unreadable: 'cannot be read',
};

/** A key in quotes; the file as a whole has no key. */
function named(key: string): string {
  return key === 'the file' ? key : `${quoted(key)}`;
}
