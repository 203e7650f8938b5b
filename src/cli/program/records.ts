import type { Command } from 'commander';
import { JSON_ANSWER } from './options.ts';

/** What looks back at runs. */
export function addRecords(program: Command): void {
  addCost(program);
  addClean(program);
}

function addCost(program: Command): void {
  program
    .command('cost')
    .summary('show what was paid, and what was not')
    .description(
      'Shows the tokens and money of the runs and review loops of this clone, by gate, feature, agent and run, and an estimate ' +
        'of what was not paid, by lever: reviews that passed, slots that rested, sessions that were resumed, prompts that were ' +
        'shared. With the folder of a feature: what each dispatch of its review loops sent and cost, beside fresh ones each time.',
    )
    .argument('[feature]', 'the folder of a feature that went through "onceover phase"')
    .option('--since <when>', 'only what ended since then: a number of days, or a date such as 2026-03-01')
    .option('--branch <name>', 'only what ended on this branch')
    .option(
      '--all',
      'all runs, and how the review loops of all features went: what they sent, and the rates that are watched',
    )
    .option(...JSON_ANSWER)
    .option('--csv', 'answer with one row a look, for spreadsheets')
    .action(async (feature, options) => (await import('../commands/cost.ts')).costCommand(feature, options));
}

function addClean(program: Command): void {
  program
    .command('clean')
    .summary('archive the records and begin anew')
    .description(
      'Archives the records of past iterations, after saying how many findings are open. The next run counts from 1.',
    )
    .option(...JSON_ANSWER)
    .action(async (options) => (await import('../commands/clean.ts')).cleanCommand(options));
}
