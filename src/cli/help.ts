import { type Command, Help } from 'commander';
import { COLOURED } from '../text/paint.ts';

const usual = new Help();

/** How help looks: titles stand out, and commands are named without "[options]", which nearly all of them have. */
export const HELP_LOOKS: Partial<Help> = {
  subcommandTerm: (command: Command) => {
    const usage = command.usage().replace(/\[options\]|\[command\]|<command>|--goal TEXT/g, '');
    return `${command.name()} ${usage.replace(/ +/g, ' ').trim()}`.trim();
  },
  // The end of the first page says what the program's own two do.
  visibleOptions: (command: Command) => (command.parent === null ? [] : usual.visibleOptions(command)),
  styleUsage: (usage) => usage,
  styleTitle: (title) => COLOURED('strong', title),
  styleSubcommandText: (name) => COLOURED('good', name),
  styleOptionText: (name) => COLOURED('good', name),
};

/** Lines are as long as the terminal is wide, as far as they are pleasant to read. */
export function helpWidth(): number {
  return Math.min(process.stdout.columns || 80, 100);
}

/** What stands at the end of the first page of help. */
export const FIRST_PAGE_END = `
Begin with "onceover init" and "onceover run"; "onceover demo" plays an example.
"onceover <command> --help" says more of a command, --version which one this is.

Exit codes: 0 every gate holds; 1 something fails or is open; 2 wrong usage or
configuration; 3 could not judge; 130 interrupted.`;
