import type { Command } from 'commander';
import { BASE, JSON_ANSWER, OR_LISTED, PLATFORM } from './options.ts';

/** What agents and their programs call. */
export function addForAgents(program: Command): void {
  addInstructions(program);
  addRules(program);
  addPass(program);
  addMcp(program);
  addHook(program);
}

function addInstructions(program: Command): void {
  program
    .command('instructions')
    .summary('write one instruction file for each review to do')
    .description(
      'Writes one instruction file for each review that the change asks for, and says what to dispatch. Reviews that passed ' +
        'and whose files have not changed since are skipped. Give files, or pipe a list of them, to review those instead.',
    )
    .argument('[files...]', `files or folders to review instead of the change; ${OR_LISTED}`)
    .option(...PLATFORM)
    .option(...BASE)
    .option(...JSON_ANSWER)
    .action(async (files, options) =>
      (await import('../commands/instructions.ts')).instructionsCommand(files, options),
    );
}

function addRules(program: Command): void {
  program
    .command('rules')
    .summary('list the configured review rules')
    .description('Lists the rules of all .deepreview files; with files, those that match one of them.')
    .argument('[files...]', `only rules that match one of these; ${OR_LISTED}`)
    .option(...JSON_ANSWER)
    .action(async (files, options) => (await import('../commands/rules.ts')).rulesCommand(files, options));
}

function addPass(program: Command): void {
  program
    .command('pass')
    .summary('mark a review as passed')
    .description(
      'Marks a review as passed, as the MCP tool mark_review_as_passed does: it is skipped until one of its files changes.',
    )
    .argument('<review_id>', 'the id exactly as the instruction file gives it')
    .option(...JSON_ANSWER)
    .action(async (id, options) => (await import('../commands/pass.ts')).passCommand(id, options));
}

function addMcp(program: Command): void {
  program
    .command('mcp')
    .summary('serve the MCP tools to an agent over stdio')
    .description('Runs the MCP server on standard input and output, for the repository of the working directory.')
    .option('--root <folder>', 'the repository to serve')
    .option(...PLATFORM)
    .option('--reviewer <agent>', 'workflows: the agent that reviews outputs (default: Claude Code, where it is here)')
    .option('--self-review', 'workflows: have outputs reviewed by a sub-agent of the agent that makes them')
    .action(async (options) => (await import('../commands/mcp.ts')).mcpCommand(options));
}

function addHook(program: Command): void {
  const hook = program
    .command('hook')
    .usage('<command> [options]')
    .helpCommand(false)
    .summary('have the gates decide whether an agent may stop')
    .description(
      'What an agent\'s program calls when the agent wants to stop: it may, once the gates hold. "onceover init --hook claude" installs it.',
    );
  hook
    .command('stop')
    .summary('answer a stop')
    .description(
      'Reads the stop as JSON from standard input. Nothing is printed where every gate holds. Where one fails, the agent is ' +
        'told what is open and goes on; after three times without progress it is let go. Where nothing could be judged it may ' +
        'stop, and the person is told.',
    )
    .option('--deadline <seconds>', 'answer within this time (default: 540)');
  hook
    .command('snooze')
    .summary('let agents stop unjudged for a while')
    .description('Puts the stop hook of this clone to sleep; "off" wakes it.')
    .argument('[minutes]', 'for how long (default: 60), or "off"')
    .option(...JSON_ANSWER)
    .action(async (minutes, options) => (await import('../commands/snooze.ts')).snoozeCommand(minutes, options));
}
