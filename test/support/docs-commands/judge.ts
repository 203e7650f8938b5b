import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Told } from './commands.ts';
import { againstHelp } from './help.ts';
import { PROJECT } from './pages.ts';
import { NAMES, OTHERS, type Place, placeOf, STEPS } from './places.ts';
import { pipeline, wordsOf } from './words.ts';

/** The result for a command: run it, it was only looked up, or it has a problem. */
export type Judged =
  | { readonly kind: 'run'; readonly place: Place }
  | { readonly kind: 'looked-up' }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

const TABLE = 'test/support/docs-commands/places.ts';
const { name, version, scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
  scripts: Readonly<Record<string, string>>;
};

/** Looks up a command; an unknown command is a problem. */
export async function judge(told: Told): Promise<Judged> {
  const parts = pipeline(told.command);
  const judged = await Promise.all(parts.map((command) => judgePart({ ...told, command })));
  const problems = judged.flatMap((one) => (one.kind === 'wrong' ? one.problems : []));
  if (problems.length > 0) return { kind: 'wrong', problems };
  // A pipeline is tried in the repository of its onceover command.
  const runs = judged.flatMap((one, index) => (one.kind === 'run' ? [{ ...one, command: parts[index] ?? '' }] : []));
  return runs.find(({ command }) => command.startsWith('onceover ')) ?? runs[0] ?? { kind: 'looked-up' };
}

async function judgePart(told: Told): Promise<Judged> {
  const { command } = told;
  const known = told.inSentence ? NAMES : STEPS;
  if (known.some((pattern) => pattern.test(command))) return FINE;
  switch (wordsOf(command)[0]) {
    case 'onceover':
      return judgeOwn(told);
    case 'npm':
      return judgeNpm(command);
    case 'npx':
    case 'node':
      return judgeFile(command);
    case 'git':
      if (isTriedElsewhere(command)) return FINE;
      return told.inSentence ? judgeGit(command) : placed(command);
    case 'echo':
      return placed(command);
    default:
      return isTriedElsewhere(command) ? FINE : unknown(command);
  }
}

function isTriedElsewhere(command: string): boolean {
  return OTHERS.some(([pattern]) => pattern.test(command));
}

async function judgeOwn(told: Told): Promise<Judged> {
  const { command, isSynopsis, inSentence } = told;
  const { problems, isComplete } = await againstHelp(told);
  if (problems.length > 0) return { kind: 'wrong', problems };
  if (isSynopsis) return FINE;
  if (isComplete) return placed(command);
  return inSentence ? FINE : wrong(`"${command}" is not complete, so it cannot be copied`);
}

function judgeNpm(command: string): Judged {
  const [, verb = '', ...words] = wordsOf(command);
  if (verb === 'run' || verb === 'test') {
    const script = verb === 'test' ? 'test' : (words.find((word) => !word.startsWith('-')) ?? '');
    return script in scripts ? FINE : wrong(`package.json has no script "${script}"`);
  }
  if (!isTriedElsewhere(command)) return unknown(command);
  const own = words.filter((word) => word === name || word.startsWith(`${name}@`));
  const other = own.find((word) => ![name, `${name}@${version}`].includes(word));
  return other === undefined ? FINE : wrong(`${other} is not the present version, ${version}`);
}

/** A program or a script of the project. */
function judgeFile(command: string): Judged {
  const [program, first = '', ...rest] = wordsOf(command);
  const file = program === 'npx' ? join('node_modules/.bin', first) : first;
  const files = [file, ...rest.filter((word) => /\.[a-z]+$/.test(word))];
  const missing = files.filter((one) => !existsSync(join(PROJECT, one)));
  if (missing.length > 0) return wrong(`there is no ${missing.join(', ')}`);
  return isTriedElsewhere(command) ? FINE : unknown(command);
}

let gitCommands: readonly string[] | null = null;

/** A git command that is only named must exist; a git command with arguments is tried. */
function judgeGit(command: string): Judged {
  const [, verb = '', ...words] = wordsOf(command);
  if (words.length > 0) return placed(command);
  gitCommands ??= execFileSync('git', ['--list-cmds=main'], { encoding: 'utf8' }).split('\n');
  return gitCommands.includes(verb) ? FINE : wrong(`git has no command "${verb}"`);
}

function placed(command: string): Judged {
  const place = placeOf(command);
  return place === null ? unknown(command) : { kind: 'run', place };
}

const FINE: Judged = { kind: 'looked-up' };

function wrong(problem: string): Judged {
  return { kind: 'wrong', problems: [problem] };
}

function unknown(command: string): Judged {
  return wrong(`no test knows how to try "${command}": say so in ${TABLE}`);
}
