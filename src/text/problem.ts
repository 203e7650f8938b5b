import type { Problem, ProblemKind, UnusableFile } from '../domain/problem.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';

/** `file:line:column: what is wrong and what would be right`. */
export function tellProblem(problem: Problem): string {
  return `${quoteName(problem.file)}:${problem.line}:${problem.column}: ${tellKind(problem.what, problem.file)}`;
}

function tellKind(what: ProblemKind, file: string): string {
  switch (what.kind) {
    case 'syntax':
      return `not valid YAML: ${showUnseen(what.said)}`;
    case 'unknown-key':
      return `unknown key "${showUnseen(what.key)}"${suggestion(what.key, what.known)}`;
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
      return `rule name "${showUnseen(what.name)}" may only have letters, digits, "_" and "-"`;
    case 'unknown-role':
      return `there is no role "${showUnseen(what.name)}"${suggestion(what.name, what.known)}`;
    case 'bad-glob':
      return `the glob "${showUnseen(what.glob)}" ${what.said}`;
    case 'unusable-file':
      if (what.path === '') return 'the instructions are empty';
      if (what.path === file) return `the file ${UNUSABLE[what.why]}`;
      return `${quoteName(what.path)} ${UNUSABLE[what.why]}${what.why === 'missing' ? RELATIVE : ''}`;
  }
}

const UNITS = { characters: ['character', 'characters'], entries: ['entry', 'entries'] } as const;

const RELATIVE = ' (paths are relative to the folder of the file that names them)';

const UNUSABLE: Readonly<Record<UnusableFile, string>> = {
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
  return key === 'the file' ? key : `"${showUnseen(key)}"`;
}

function suggestion(key: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const far = (one: string) => distance(one.toLowerCase(), key.toLowerCase());
  const near = [...known].sort((a, b) => far(a) - far(b)).find((one) => far(one) <= 2);
  return near === undefined ? `; known here: ${known.join(', ')}` : `; did you mean "${near}"?`;
}

/** How many single-character edits lie between two keys. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
