import type { Command } from 'commander';
import { wholeNumber } from './options.ts';

/** Adds the commands for teams whose members share a PostgreSQL store. */
export function addTeamCommands(program: Command): void {
  const limit = wholeNumber(1, 1_000_000_000);
  program
    .command('worker')
    .summary('run reviewers for your team on this machine')
    .description(
      'Takes reviews of "onceover run --remote" from the store of your team, and runs them on this machine with the agents that you name. The command runs nothing else. The address of the store is in ONCEOVER_STORE or in your own config file. See docs/team.md.',
    )
    .requiredOption('--agents <names>', 'the agents to run, such as claude,codex')
    .option('--concurrency <n>', 'the largest number of calls at the same time (default: 4)', wholeNumber(1, 64))
    .option(
      '--settings <folder>',
      'read the commands, paths and variables of these agents from onceover.yml in this folder',
    )
    .option('--account <name>', 'the login to which the limits apply (default: the name of the agent)')
    .option('--most-at-once <n>', 'the most calls at the same time with this account, over all workers', limit)
    .option('--calls-per-minute <n>', 'the most calls per minute with this account, over all workers', limit)
    .option('--tokens-per-minute <n>', 'the most tokens per minute with this account, over all workers', limit)
    .option('--name <name>', 'the name of this worker in logs (default: the name of the machine)')
    .option('--folder <folder>', 'the folder for checkouts (default: your cache folder)')
    .option(
      '--heartbeat <seconds>',
      'if a worker is silent for this time, give its calls to other workers (default: 60)',
      wholeNumber(10, 3600),
    )
    .option('--json', 'print one line of JSON per event')
    .action(async (options) => {
      if (ONCEOVER_TEAM) return (await import('./commands/worker.ts')).workerCommand(options);
      return (await import('./no-team.ts')).reportNoTeam(options.json === true);
    });

  program
    .command('serve')
    .summary('review pull requests for your team, and show its pages')
    .description(
      'Receives webhooks of GitHub and GitLab, reviews the pull requests with the workers of your team, and publishes the results. Also serves metrics, and pages about all repositories in the store. Prints one line of JSON per event. See docs/server.md.',
    )
    .option('--config <file>', 'the settings of the server (default: server.yml in your own config folder)')
    .action(async (options) => {
      if (ONCEOVER_TEAM) return (await import('./commands/serve.ts')).serveCommand(options);
      return (await import('./no-team.ts')).reportNoTeam(false);
    });

  if (ONCEOVER_TEAM) {
    program
      .command('serve-review', { hidden: true })
      .action(async () => (await import('./commands/serve.ts')).serveReviewCommand());
  }
}
