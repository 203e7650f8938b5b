import { COLOURED } from '@onceover/base/ui/style';
import { type Command, Help, InvalidArgumentError } from 'commander';

const usual = new Help();

/** The style of help pages. The list of commands omits "[options]", because nearly all commands have options. */
export const HELP_STYLE: Partial<Help> = {
  subcommandTerm: (command: Command) => {
    const usage = command.usage().replace(/\[options\]|\[command\]|<command>|--goal TEXT/g, '');
    return `${command.name()} ${usage.replace(/ +/g, ' ').trim()}`.trim();
  },
  // The first help page lists only commands, without the options --help and --version.
  visibleOptions: (command: Command) => (command.parent === null ? [] : usual.visibleOptions(command)),
  styleUsage: (usage) => usage,
  styleTitle: (title) => COLOURED('strong', title),
  styleSubcommandText: (name) => COLOURED('good', name),
  styleOptionText: (name) => COLOURED('good', name),
};

/** The text at the end of `onceover --help`. */
export const FIRST_PAGE_END = `
Start with "onceover init" and "onceover run", or watch "onceover demo".
Run "onceover <command> --help" for details.

Exit codes: 0 every gate passes; 1 a gate fails or a finding is open; 2 wrong
usage or configuration; 3 the gates could not run; 130 interrupted.`;

/** Options that several commands share, each with its help text. */
export const BASE = ['--base <ref>', 'the branch or commit to compare with'] as const;

export const PLATFORM = ['--for <platform>', 'use the sub-agents that rules name for this platform', 'claude'] as const;

/** The end of the help text for arguments and options that name files. */
export const OR_FROM_LIST = '"-" reads a list from standard input';

/** Returns the values of an option that can be given several times, with one more value added. */
export function collect(addition: string, before: readonly string[] = []): readonly string[] {
  return [...before, addition];
}

/** The option `--report` of commands whose only report is an HTML page. */
export const PAGE = ['--report <html=file>', 'also write the result as a page for the browser', collect] as const;

/** Returns a function that parses whole numbers from `minimum` to `maximum`. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`Give a whole number from ${minimum} to ${maximum}.`);
  };
}
