import { tmpdir } from 'node:os';
import { onceover } from '../cli.ts';
import type { Told } from './commands.ts';
import { isSynopsis, wordsOf } from './words.ts';

/** The help of a command. */
type Help = {
  readonly required: number;
  readonly most: number;
  /** Options by name, and whether they take a value. */
  readonly options: ReadonlyMap<string, 'no' | 'maybe' | 'yes'>;
  readonly needed: readonly string[];
  readonly commands: readonly string[];
};

const known = new Map<string, Promise<Help>>();

function helpOf(path: readonly string[]): Promise<Help> {
  const key = path.join(' ');
  const help = known.get(key) ?? onceover(tmpdir(), [...path, '--help']).then(({ stdout }) => readHelp(stdout));
  known.set(key, help);
  return help;
}

function readHelp(text: string): Help {
  const [, usage = ''] = /^Usage: onceover ([^\n]*)/.exec(text) ?? [];
  const options = new Map<string, 'no' | 'maybe' | 'yes'>();
  for (const [, name = '', value = ''] of text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)(?: ([<[]))?/gm)) {
    options.set(name, value === '<' ? 'yes' : value === '[' ? 'maybe' : 'no');
  }
  const commands: string[] = [];
  let heading = '';
  for (const line of text.split('\n')) {
    heading = /^\S.*:$/.test(line) ? line : heading;
    const [, name] = /^ {2}([a-z]+)(?: .*)?$/.exec(line) ?? [];
    if (name !== undefined && name !== 'help' && !/^(?:Options|Arguments):/.test(heading)) commands.push(name);
  }
  const optional = usage.match(/\[(?!options\]|command\])[a-z_]+(?:\.\.\.)?\]/g) ?? [];
  const required = usage.match(/<(?!command>)[a-z_]+(?:\.\.\.)?>/g)?.length ?? 0;
  return {
    required,
    most: /\.\.\.[\]>]/.test(usage) ? Number.POSITIVE_INFINITY : required + optional.length,
    options,
    needed: usage.match(/--[\w-]+(?= [A-Z])/g) ?? [],
    commands,
  };
}

/** Returns every command of the program that has an action, and every option of these commands. */
export async function everything(): Promise<{
  readonly commands: readonly string[];
  readonly options: ReadonlySet<string>;
}> {
  const commands: string[] = [];
  const options = new Set<string>();
  const walk = async (path: readonly string[]): Promise<void> => {
    const help = await helpOf(path);
    for (const option of help.options.keys()) options.add(option);
    if (help.commands.length === 0) commands.push(path.join(' '));
    await Promise.all(help.commands.map((name) => walk([...path, name])));
  };
  await walk([]);
  return { commands: commands.sort(), options };
}

/** Returns the problems of a command by the program's own help, and whether the command is complete and can run. */
export async function againstHelp({
  command,
  besides,
}: Pick<Told, 'command' | 'besides'>): Promise<{ readonly problems: readonly string[]; readonly isComplete: boolean }> {
  const [first = '', ...rest] = wordsOf(oneWordEach(command)).slice(1);
  if (first.includes('|')) {
    const each = await Promise.all(
      first.split('|').map((one) => againstHelp({ command: ['onceover', one, ...rest].join(' '), besides })),
    );
    return { problems: each.flatMap(({ problems }) => problems), isComplete: false };
  }
  const path: string[] = [];
  const words = [first, ...rest];
  let help = await helpOf(path);
  while (words[0] !== undefined && help.commands.includes(words[0])) {
    path.push(words.shift() as string);
    help = await helpOf(path);
  }
  if (help.commands.length > 0) return group(path, words[0] ?? '', help);
  return { ...readWords(help, words, besides, path.join(' ')) };
}

/** Drops redirections. A placeholder is one word, and a choice of options stands for all of them. */
function oneWordEach(command: string): string {
  return command
    .replace(/<[^>]*>/g, '<one>')
    .replace(/ [|/] (?=-)/g, ' ')
    .replace(/ \d?>>? ?\S+/g, '');
}

/** Every program has these options, even if its help does not list them. */
const USUAL = ['--help', '-h', '--version', '-V'];

function group(path: readonly string[], word: string, help: Help) {
  const isOption = USUAL.includes(word) || help.options.has(word);
  const isKnown = word === '' || isOption || isSynopsis(word);
  const problems = isKnown ? [] : [`there is no command "${['onceover', ...path, word].join(' ')}"`];
  return { problems, isComplete: isOption };
}

function readWords(help: Help, words: readonly string[], besides: readonly string[], name: string) {
  const problems: string[] = [];
  let [given, isWhole] = [0, true];
  const seen = new Set<string>();
  for (let index = 0; index < words.length; index++) {
    const word = (words[index] ?? '').replace(/^\[+|[\],]+$/g, '');
    const [, option = '', value] = /^(--[\w-]+)(=.*)?$/.exec(word) ?? [];
    if (option === '') {
      if (!['', '…', '...'].includes(word)) given++;
      continue;
    }
    seen.add(option);
    const takes = help.options.get(option);
    if (takes === undefined) problems.push(`"onceover ${name}" has no option ${option}`);
    const next = words[index + 1];
    const hasNext = next !== undefined && !next.startsWith('--');
    if (takes === 'no' || takes === undefined || value !== undefined) continue;
    if (hasNext) index++;
    else if (takes === 'yes') isWhole = false;
  }
  for (const option of besides) {
    if (!help.options.has(option)) problems.push(`"onceover ${name}" has no option ${option}`);
  }
  if (given > help.most) problems.push(`"onceover ${name}" takes ${help.most} arguments, and not ${given}`);
  const isComplete = isWhole && given >= help.required && help.needed.every((one) => seen.has(one));
  return { problems, isComplete };
}
