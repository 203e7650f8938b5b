import { version } from '@onceover/base/version';
import { Command, CommanderError } from 'commander';
import { addAgentCommands } from './define-agents.ts';
import { addDailyCommands, addRecordCommands, addSetupCommands } from './define-daily.ts';
import { FIRST_PAGE_END, HELP_STYLE } from './options.ts';

type AddCommands = (program: Command) => void;

/** Parses the command line and runs the command. The code of a command is loaded only when it runs. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  // Other commands need only the names of these commands, for the help page and for suggestions.
  const has = (words: RegExp) => argv.some((word) => words.test(word));
  const program = buildProgram({
    team: has(/^(?:worker|serve|serve-review|completion)$/)
      ? (await import('./define-team.ts')).addTeamCommands
      : addTeamNames,
    loops: has(/^(?:phase|workflow|completion)$/) ? (await import('./define-loops.ts')).addLoopCommands : addLoopNames,
  });
  try {
    await program.parseAsync(withHelpOption(argv));
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const { exitWith, printBug } = await import('./output.ts');
    const json = argv.includes('--json');
    if (!(error instanceof CommanderError)) return printBug(error, json);
    const message = error.code === 'commander.help' ? 'No command was given.' : toSentence(error.message);
    const command = program.commands.some((subcommand) => subcommand.name() === argv[2]) ? (argv[2] ?? null) : null;
    await exitWith({ kind: 'wrong-usage', said: message, command }, json);
  }
}

/**
 * Returns the program with all commands. `team` and `loops` add the commands that are rarely used. The page
 * docs/commands.md is generated from them.
 */
export function buildProgram({ team, loops }: Readonly<Record<'team' | 'loops', AddCommands>>): Command {
  const program = new Command('onceover')
    .description('AI review gates that never pay for the same review twice.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .usage('<command> [options]')
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureHelp(HELP_STYLE)
    .configureOutput({ writeErr: () => {}, getOutHelpWidth: () => Math.min(process.stdout.columns || 80, 100) })
    .exitOverride();
  const groups = {
    'Every day:': addDailyCommands,
    'Set up:': addSetupCommands,
    'Records:': addRecordCommands,
    'For agents:': addAgentCommands,
    'Teams:': team,
    'More:': loops,
  };
  for (const [title, add] of Object.entries(groups)) {
    program.commandsGroup(title);
    add(program);
  }
  for (const command of program.commands.flatMap((parent) => [parent, ...parent.commands])) {
    if (!WITHOUT_JSON.has(command.name())) command.option('--json', 'print one JSON document');
  }
  return program.addHelpText('after', FIRST_PAGE_END);
}

/** Adds the commands for teams without their options, which are in define-team.ts. */
function addTeamNames(program: Command): void {
  program.command('worker').summary('run reviewers for your team on this machine');
  program.command('serve').summary('review pull requests for your team, and show its pages');
}

/** Adds the commands for loops without their options, which are in define-loops.ts. */
function addLoopNames(program: Command): void {
  program
    .command('phase')
    .usage('<phase> <feature> [options]')
    .summary('review a spec, design, plan, tasks or code in loops');
  program.command('workflow').summary('work through a job step by step, with quality criteria');
}

/**
 * Commands that do not have the usual option `--json`: they only group other commands, or their output has another
 * format.
 */
const WITHOUT_JSON = new Set([
  'config',
  'worker',
  'serve',
  'serve-review',
  'hook',
  'workflow',
  'stop',
  'mcp',
  'completion',
  'demo-reviewer',
]);

/**
 * Returns the arguments in the form that the option parser needs: `help run` becomes `run --help`, no arguments become
 * `--help`, and `-V` becomes `-v`.
 */
function withHelpOption(argv: readonly string[]): string[] {
  const [node = '', file = '', first, ...args] = argv;
  if (first === undefined || first === 'help') return [node, file, ...args, '--help'];
  return [node, file, first === '-V' ? '-v' : first, ...args];
}

/** Rewrites a message of the option parser in the style of our messages. */
function toSentence(message: string): string {
  const sentence = message
    .replace(/^error: /, '')
    .replace(/\s+/g, ' ')
    .replaceAll("'", '"')
    .replace(/^./, (letter) => letter.toUpperCase())
    .replace(/ \(Did you mean (.*)\?\)$/, '. Did you mean "$1"?');
  return /[.?]$/.test(sentence) ? sentence : `${sentence}.`;
}
