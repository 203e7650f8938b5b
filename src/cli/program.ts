import { Command, CommanderError } from 'commander';
import { version } from '../version.ts';
import { FIRST_PAGE_END, HELP_LOOKS, helpWidth } from './help.ts';
import { addEveryDay } from './program/every-day.ts';
import { addForAgents } from './program/for-agents.ts';
import { addLoops } from './program/loops.ts';
import { addRecords } from './program/records.ts';
import { addSetUp } from './program/set-up.ts';

/** Reads the command line and runs the command it names; what only some commands need is loaded when they run. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const program = buildProgram();
  try {
    await program.parseAsync(withHelpOption(argv));
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const { fail, tellBug } = await import('./output.ts');
    const json = argv.includes('--json');
    if (!(error instanceof CommanderError)) return tellBug(error, json);
    const said = error.code === 'commander.help' ? 'No command was given.' : inOurWords(error.message);
    const command = program.commands.some((one) => one.name() === argv[2]) ? (argv[2] ?? null) : null;
    await fail({ kind: 'wrong-usage', said, command }, json);
  }
}

/** The commands with their options; docs/commands.md is made from it too. */
export function buildProgram(): Command {
  const program = new Command('onceover')
    .description('AI review gates that never pay for the same review twice.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .usage('<command> [options]')
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureHelp(HELP_LOOKS)
    .configureOutput({ writeErr: () => {}, getOutHelpWidth: helpWidth })
    .exitOverride();
  program.commandsGroup('Every day:');
  addEveryDay(program);
  program.commandsGroup('Set up:');
  addSetUp(program);
  program.commandsGroup('For agents:');
  addForAgents(program);
  program.commandsGroup('Loops:');
  addLoops(program);
  program.commandsGroup('Records:');
  addRecords(program);
  return program.addHelpText('after', FIRST_PAGE_END);
}

/** `help run` is what others call `run --help`. */
function withHelpOption(argv: readonly string[]): string[] {
  const [node = '', file = '', first, ...rest] = argv;
  return first === 'help' ? [node, file, ...rest, '--help'] : [...argv];
}

/** What the reader of flags says, as the rest of the program would say it. */
function inOurWords(message: string): string {
  const said = message
    .replace(/^error: /, '')
    .replace(/\s+/g, ' ')
    .replaceAll("'", '"')
    .replace(/^./, (letter) => letter.toUpperCase())
    .replace(/ \(Did you mean (.*)\?\)$/, '. Did you mean $1?');
  return /[.?]$/.test(said) ? said : `${said}.`;
}
