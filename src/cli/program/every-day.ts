import { type Command, Option } from 'commander';
import { BASE, JSON_ANSWER, OR_LISTED, several, wholeNumber } from './options.ts';

/** What is used every day. */
export function addEveryDay(program: Command): void {
  addRun(program);
  addStatus(program);
  addExplain(program);
  addResolve(program);
}

function addRun(program: Command): void {
  program
    .command('run')
    .summary('run checks and review gates on the change')
    .description(
      'Runs the checks and reviews of onceover.yml and the rules of .deepreview files on everything that changed since the ' +
        'base: commits, staged, unstaged and untracked. What passed and has not changed is not run again. Exit code 0 only if every gate holds.',
    )
    .argument('[paths...]', 'only gates with changes at or below these; they are judged whole')
    .option(...BASE)
    .option('--commit <commit>', 'only this commit')
    .option('--uncommitted', 'only what is not committed')
    .option('--files <files...>', `only these files and folders of the change; ${OR_LISTED}`)
    .option('--gate <gate...>', 'only these gates, by name or id')
    .option('--dry-run', 'say what would be run, and run nothing')
    .option('--all', 'run reviews although a check fails')
    .option('--force', 'ask every slot without a pass on what is there now, also beyond the retry limit')
    .option('--fresh', 'ask every slot anew, in a new session')
    .option(
      '--report <format=file>',
      'also write a report: markdown=FILE, sarif=FILE, junit=FILE, rdjson=FILE, or github (annotations and job summary); may be given several times',
      several,
    )
    .option('--until-pass', 'have a fixer mend what is found, and review again, until every gate holds')
    .option('--fixer <agent>', 'with --until-pass: the agent that mends')
    .addOption(
      new Option('--max-iterations <n>', 'with --until-pass: at most so many reviews').argParser(wholeNumber(1, 1000)),
    )
    .option(
      '--ratchet',
      'with --until-pass: from the third review on, new findings must be high, then critical, to fail',
    )
    .option(...JSON_ANSWER)
    .addOption(new Option('--started-by-agent').hideHelp())
    .action(async (paths, options) => (await import('../commands/run.ts')).runCommand(paths, options));
}

function addStatus(program: Command): void {
  program
    .command('status')
    .summary('show what holds, what rests and what is open')
    .description(
      'Shows where every gate stands and which files no review covers, without running anything. Exit code 0 only if every ' +
        'gate holds.',
    )
    .option('--prompt', 'print the open findings and the checks that failed as one text for an agent')
    .option(...BASE)
    .option(...JSON_ANSWER)
    .action(async (options) => (await import('../commands/status.ts')).statusCommand(options));
}

function addExplain(program: Command): void {
  program
    .command('explain')
    .summary('say why something ran or did not, and what was said')
    .description(
      'Says of a gate, a slot, a finding or a review why it ran or did not, what happened, and what would make it run again.',
    )
    .argument('<name>', 'a gate ("review:src:code-quality"), a slot ("…@1"), a finding ("F1") or a review id')
    .option('--prompt', 'of a slot: print exactly what was sent and said the last time; of a check: what it printed')
    .option(...BASE)
    .option(...JSON_ANSWER)
    .action(async (id, options) => (await import('../commands/explain.ts')).explainCommand(id, options));
}

function addResolve(program: Command): void {
  program
    .command('resolve')
    .summary('say that a finding is fixed, or why it is waived')
    .description(
      'Says of a finding that it is fixed, which a reviewer has to confirm, or waives it: it stays as it is, for a reason. A ' +
        'finding that is waived no longer keeps its gate from holding; reviewers are told the reason.',
    )
    .argument('<finding>', 'the id of a finding, such as F1')
    .option('--fixed [how]', 'say that it is fixed; it is open until a reviewer confirms it')
    .option('--skip <why>', 'waive it, for this reason')
    .option(...JSON_ANSWER)
    .action(async (id, options) => (await import('../commands/resolve.ts')).resolveCommand(id, options));
}
