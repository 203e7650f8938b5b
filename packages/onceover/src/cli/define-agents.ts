import type { Command } from 'commander';
import { BASE, OR_FROM_LIST, PLATFORM } from './options.ts';

/** Adds the commands that agents call, and `hook`, which programs such as Claude Code call. */
export function addAgentCommands(program: Command): void {
  program
    .command('instructions')
    .summary('write instructions for the reviews that an agent has to do')
    .description(
      'Writes one instruction file for each review that the change needs, and lists the reviews to run. onceover skips a review that passed if its files have not changed. To review other files instead of the change, name these files or pipe a list of them.',
    )
    .argument('[files...]', `files or folders to review instead of the change; ${OR_FROM_LIST}`)
    .option(...PLATFORM)
    .option(...BASE)
    .action(async (files, options) => (await import('./commands/rules.ts')).instructionsCommand(files, options));

  program
    .command('rules')
    .summary('list the review rules (.deepreview files)')
    .description('Lists the rules of all .deepreview files, or only those that match the given files.')
    .argument('[files...]', `list only rules that match one of these files; ${OR_FROM_LIST}`)
    .action(async (files, options) => (await import('./commands/rules.ts')).rulesCommand(files, options));

  program
    .command('pass')
    .summary('mark a review as passed')
    .description(
      'Marks a review as passed, like the MCP tool mark_review_as_passed. onceover skips the review until one of its files changes.',
    )
    .argument('<review_id>', 'the id exactly as the instruction file gives it')
    .action(async (id, options) => (await import('./commands/rules.ts')).passCommand(id, options));

  program
    .command('mcp')
    .summary('start the MCP server on stdio')
    .description('Starts the MCP server on standard input and output, for the repository of the working directory.')
    .option('--root <folder>', 'the repository to serve')
    .option(...PLATFORM)
    .option('--reviewer <agent>', 'in workflows: the agent that reviews outputs (default: Claude Code, if installed)')
    .option('--self-review', 'in workflows: the agent that calls the tools reviews outputs with its own sub-agent')
    .action(async (options) => (await import('./commands/mcp.ts')).mcpCommand(options));

  const hook = program
    .command('hook')
    .usage('<command> [options]')
    .helpCommand(false)
    .summary('let an agent stop only when the gates pass')
    .description(
      'The program of an agent calls this hook when the agent wants to stop. "onceover init --hook claude" installs the hook.',
    );
  hook
    .command('stop')
    .summary('decide whether the agent may stop')
    .description(
      'Reads the stop event as JSON from standard input. Prints nothing if every gate passes. If a gate fails, the agent gets the open findings and may not stop. If the hook has stopped the agent three times without progress, or if the gates cannot run, the agent may stop and you get a message.',
    )
    .option('--deadline <seconds>', 'answer within this time (default: 540)');
  hook
    .command('snooze')
    .summary('turn the stop hook off for a while')
    .description('Turns the stop hook of this clone off for some minutes. The argument "off" turns the hook on again.')
    .argument('[minutes]', 'how long (default: 60), or "off"')
    .action(async (minutes, options) => (await import('./commands/setup.ts')).snoozeCommand(minutes, options));
}
