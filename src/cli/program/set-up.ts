import type { Command } from 'commander';
import { JSON_ANSWER } from './options.ts';

/** What is used once, or when something is not right. */
export function addSetUp(program: Command): void {
  addInit(program);
  addDoctor(program);
  addTrust(program);
  addDemo(program);
}

function addInit(program: Command): void {
  program
    .command('init')
    .summary('set up gates, rules, the MCP server or a stop hook')
    .description(
      'Writes what is asked for and not there yet, and shows what it wrote; without options, the gates. Running it again ' +
        'changes nothing.',
    )
    .option('--gates', 'write a first onceover.yml with your own lint and test commands, and the prompt of a review')
    .option(
      '--from [tool]',
      'carry over the gates of another tool ("gauntlet", "coderabbit" or "continue"; without a name, of the one that is here)',
    )
    .option('--rules', 'write a starter .deepreview fitted to the languages found')
    .option('--mcp <agent>', 'add the MCP server to the agent\'s project settings ("claude": .mcp.json)')
    .option('--hook <agent>', 'have the gates decide when the agent may stop ("claude", "codex" or "gemini")')
    .option('--remove', 'show what onceover has written here, to be rid of it; with --yes, take it away')
    .option('--yes', 'with --remove: take it away')
    .option(...JSON_ANSWER)
    .action(async (options) => (await import('../commands/init.ts')).initCommand(options));
}

function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('show which agents are here and what they can do')
    .description(
      'Shows which agents are here, their versions, what each can do, what is missing and how to get it. With --resume it ' +
        'tries whether agents can be resumed: four short questions to the real model of each.',
    )
    .option('--resume [agent]', 'try whether the agent, or every agent that is found, can be resumed')
    .option(...JSON_ANSWER)
    .action(async (options) => (await import('../commands/doctor.ts')).doctorCommand(options));
}

function addTrust(program: Command): void {
  program
    .command('trust')
    .summary('agree to the commands of the configuration')
    .description(
      'Agrees to the checks and commands of onceover.yml in this clone, so that the stop hook and agents may start runs. ' +
        '"onceover run" in a terminal and "onceover init" do the same.',
    )
    .option(...JSON_ANSWER)
    .action(async (options) => (await import('../commands/trust.ts')).trustCommand(options));
}

function addDemo(program: Command): void {
  program
    .command('demo')
    .summary('see what it saves, without an agent, key or network')
    .description(
      'Plays real runs in a temporary repository, with scripted reviewers: two mistakes, a fix, another one, a pass. Says what ' +
        'happened and why, and what each lever saved. Nothing of yours is read or written.',
    )
    .option('--keep', 'keep the repository, to look around in')
    .option(...JSON_ANSWER)
    .action(async (options) => (await import('../commands/demo.ts')).demoCommand(options));
  program
    .command('demo-reviewer', { hidden: true })
    .argument('<name>')
    .action(async (name) => (await import('../commands/demo-reviewer.ts')).demoReviewerCommand(name));
}
