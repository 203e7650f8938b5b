import { type Command, Option } from 'commander';
import { REPORT_FILES } from '../reports/types.ts';
import { BASE, collect, OR_FROM_LIST, PAGE, wholeNumber } from './options.ts';

/** Adds the commands `run`, `status`, `explain`, `resolve` and `publish`. */
export function addDailyCommands(program: Command): void {
  program
    .command('run')
    .summary('run the checks and reviews on your change')
    .description(
      'Runs the checks and reviews of onceover.yml, and the rules of .deepreview files, on everything that changed since the base branch: commits, staged, unstaged and untracked files. If every gate already passes, nothing runs. The exit code is 0 only if every gate passes.',
    )
    .argument('[paths...]', 'run only gates with changes in these files or folders')
    .option(...BASE)
    .option('--commit <commit>', 'review only this commit')
    .option('--uncommitted', 'review only uncommitted changes')
    .option('--files <files...>', `review only these changed files and folders; ${OR_FROM_LIST}`)
    .option('--gate <gate...>', 'run only these gates, by name or id')
    .option('--dry-run', 'show what would run, and run nothing')
    .option('--all', 'run reviews even if a check fails')
    .option('--force', 'run every reviewer that has not passed the current code, even after the retry limit')
    .option('--fresh', 'run every reviewer again in a new session')
    .option(
      '--report <format=file>',
      `also write a report: ${REPORT_FILES}, or github (annotations and job summary); repeatable`,
      collect,
    )
    .option('--share', 'share the passes of this run with other clones (see the setting passes)')
    .option('--no-accept', 'do not accept passes and waivers of other clones')
    .option('--remote', 'let workers of your team run the reviewers (see docs/team.md)')
    .option('--no-remote', 'run the reviewers here, even if your config file says "runs: remote"')
    .option('--publish', 'show the result on the pull request of this job; checks do not get its token')
    .option('--allow-unconfigured', 'exit with 0 if no gate and no rule is configured; without it the exit code is 2')
    .option('--until-pass', 'let a fixer fix the findings and review again, until every gate passes')
    .option('--fixer <agent>', 'with --until-pass: the agent that fixes')
    .option('--max-iterations <n>', 'with --until-pass: the maximum number of reviews', wholeNumber(1, 1000))
    .option(
      '--ratchet',
      'with --until-pass: new findings fail only if they are high or critical from review 3 on, and only if critical from review 4 on',
    )
    .option('--verbose', 'show every reviewer, waived findings and all files')
    .option('--quiet', 'show only findings, the verdict and the next step')
    .addOption(new Option('--started-by-agent').hideHelp())
    .action(async (paths, options) => (await import('./commands/run.ts')).runCommand(paths, options));

  program
    .command('status')
    .summary('show which gates pass and which findings are open')
    .description(
      'Shows the state of every gate, the open findings and the changed files that no gate covers. Runs nothing. The exit code is 0 only if every gate passes.',
    )
    .option('--prompt', 'print open findings and failed checks as a prompt for an agent')
    .option(...BASE)
    .option(...PAGE)
    .option('--verbose', 'show every reviewer, waived findings and all files')
    .action(async (options) => (await import('./commands/status.ts')).statusCommand(options));

  program
    .command('ui')
    .summary('see gates, findings, cost and transcripts in your browser')
    .description(
      'Opens a page with the state of every gate, the findings, the cost and every transcript, and keeps it up to date. You can start and stop runs and resolve findings there. The server listens on 127.0.0.1 only, and its link contains a token.',
    )
    .option('--port <n>', 'the port (default: any free one)', wholeNumber(1, 65_535))
    .option('--no-open', 'only print the link')
    .action(async (options) => (await import('./commands/ui.ts')).uiCommand(options));

  program
    .command('explain')
    .summary('explain why something ran, was skipped or failed')
    .description(
      'Explains a gate, a reviewer, a finding or a review: why it ran or was skipped, what happened, and what makes it run again.',
    )
    .argument('<name>', 'a gate ("review:src:code-quality"), a reviewer ("…@1"), a finding ("F1") or a review id')
    .option('--prompt', 'print the last prompt and answer of a reviewer, or the output of a check')
    .option('--transcript', 'print what the last review of a reviewer sent and paid for, request by request')
    .option(...BASE)
    .action(async (id, options) => (await import('./commands/records.ts')).explainCommand(id, options));

  program
    .command('resolve')
    .summary('mark findings as fixed, or waive them with a reason')
    .description(
      'Marks findings as fixed, or waives them. A finding marked as fixed stays open until its reviewer confirms the fix. A waived finding no longer fails its gate, and reviewers see your reason. If an agent waives a finding, that is a proposal: the finding stays open until you confirm the waiver in a terminal.',
    )
    .argument('<findings...>', 'the ids of findings, such as F1')
    .option('--fixed [how]', 'mark them as fixed; a reviewer has to confirm')
    .option('--skip <why>', 'waive them for this reason')
    .option('--confirm', 'confirm the waivers that an agent proposed')
    .action(async (ids, options) => (await import('./commands/records.ts')).resolveCommand(ids, options));

  program
    .command('publish')
    .summary('show the result of a run on its pull request')
    .description(
      'Publishes the result of a run on a pull request of GitHub or a merge request of GitLab: one summary that is updated, one thread per finding, and one check per gate. Run it in a job that has a token and runs no code of the change. If it is repeated, it writes only what is missing.',
    )
    .requiredOption('--from <file>', 'the result: the file that "onceover run --json" wrote')
    .option(
      '--pull <number>',
      'the pull request; default: the one that the CI job runs for',
      wholeNumber(1, 2_000_000_000),
    )
    .option('--commit <id>', 'the commit that was reviewed; default: the one that the CI job runs for')
    .option('--summary <when>', '"quiet": no comment if the first result passes; default: "always"')
    .option('--no-checks', 'create no checks')
    .option('--untrusted', 'the author of the change controls the job that made the result, so a pass does not count')
    .option('--report-url <url>', 'the address of a full report, for a link in the summary')
    .option('--dry-run', 'show what would be written, and write nothing')
    .action(async (options) => (await import('./commands/publish.ts')).publishCommand(options));
}

/** Adds the commands about the results of past runs (`cost`, `passes` and `clean`), and `prove`. */
export function addRecordCommands(program: Command): void {
  program
    .command('cost')
    .summary('show what your reviews cost and what onceover saved')
    .description(
      'Shows the tokens and the money that the runs in this clone cost, and an estimate of what onceover saved. With the folder of a feature: what each call of its review loops sent and cost, compared with new sessions every time.',
    )
    .argument('[feature]', 'the folder of a feature that was reviewed with "onceover phase"')
    .option('--since <when>', 'only runs since then: a number of days, or a date such as 2026-03-01')
    .option('--branch <name>', 'only runs on this branch')
    .option('--details', 'also show why sessions were not resumed, and the rates of review loops')
    .addOption(new Option('--all').hideHelp().implies({ details: true }))
    .option('--csv', 'print one row per review, for spreadsheets')
    .option(...PAGE)
    .action(async (feature, options) => (await import('./commands/records.ts')).costCommand(feature, options));

  addPassesCommand(program);

  program
    .command('prove')
    .summary('measure what your reviewers catch, with planted bugs')
    .description(
      'Plants bugs in changes of this repository, lets your reviewers review them in a temporary repository, and shows how many they find, how often they fail a change without a bug, and what that costs. Without --yes it only shows the plan and calls no agent. Answers are kept: a proof that was interrupted continues without paying again.',
    )
    .option('--yes', 'run the proof; without it, only the plan is shown')
    .option('--gate <gate...>', 'prove only these reviews, by name or id')
    .option('--cases <n>', 'the number of cases (default: 20)', wholeNumber(1, 1000))
    .option('--budget <limit>', 'stop at this cost: dollars, such as 5, or "40 calls"')
    .option('--kinds <list>', 'only cases of these kinds: own, history, mutant, scenario, trap, clean')
    .option('--own <folder>', 'also play the patches in this folder')
    .option('--set', 'use the cases that come with onceover, not cases from this repository')
    .option('--reviewers <list>', 'compare numbers of reviewers, such as 1,3')
    .option('--sessions <list>', 'compare sessions after the first round: new, resumed, skipped')
    .option('--reading <list>', 'compare values of share_reading: off, reviews, all')
    .option('--repeat <n>', 'review each case n times, to measure how often the verdict changes', wholeNumber(1, 20))
    .option('--seed <n>', 'choose other cases (default: 1)', wholeNumber(0, 4_294_967_295))
    .option('--report <format=file>', 'also write the result to a file: html=FILE or markdown=FILE', collect)
    .option('--remote', 'let workers of your team run the reviewers (see docs/team.md)')
    .option('--no-remote', 'run the reviewers here, even if your config file says "runs: remote"')
    .option('--verbose', 'list the cases of the plan')
    .action(async (options) => (await import('./commands/prove.ts')).proveCommand(options));

  program
    .command('clean')
    .summary('archive the records and start again at run 1')
    .description('Archives the records of past runs and says how many findings are open. The next run is number 1.')
    .action(async (options) => (await import('./commands/records.ts')).cleanCommand(options));
}

/**
 * Adds the command `passes` with its subcommands, which share passes between clones. Every subcommand reads the options
 * of `passes` too, because `--json` belongs to both.
 */
function addPassesCommand(program: Command): void {
  const passes = program
    .command('passes')
    .usage('[command] [options]')
    .helpCommand(false)
    .summary('list, fetch and share the passes of other clones')
    .description(
      'Lists the signed passes of other clones: who signed what, how old it is, and whether it counts for the current change. See docs/sharing-passes.md.',
    )
    .action(async (options) => (await passesCommands()).passesListCommand(options));
  passes
    .command('fetch')
    .summary('get the newest passes')
    .description('Gets the newest passes of other clones. A run does this by itself.')
    .action(async (_options, command) => (await passesCommands()).passesFetchCommand(command.optsWithGlobals()));
  passes
    .command('push')
    .summary('share your passes for the current change')
    .description(
      'Signs the passes that reviewers gave in this clone for the current change, and your waivers, with the SSH key that git signs with. Then it shares them with other clones.',
    )
    .action(async (_options, command) => (await passesCommands()).passesPushCommand(command.optsWithGlobals()));
  passes
    .command('prune')
    .summary('remove old passes for everyone')
    .description('Removes statements that are too old to count, and those that no version can read, from the remote.')
    .option('--days <n>', 'remove statements that are older than this (default: max_age)', wholeNumber(1, 9999))
    .action(async (_options, command) => (await passesCommands()).passesPruneCommand(command.optsWithGlobals()));
  passes
    .command('verify')
    .summary('verify the signature of a statement file')
    .description(
      'Verifies a statement with the signature in FILE.sig, and says whether the base branch lets its signer vouch. The exit code is 0 only if it does.',
    )
    .argument('<file>', 'the statement')
    .action(async (file, _options, command) =>
      (await passesCommands()).passesVerifyCommand(file, command.optsWithGlobals()),
    );
}

const passesCommands = () => import('./commands/passes.ts');

/** Adds `init` and the other commands that set onceover up, check the set-up or explain how onceover works. */
export function addSetupCommands(program: Command): void {
  program
    .command('init')
    .summary('set up onceover in this repository')
    .description(
      'Writes the files you ask for if they do not exist yet, and shows what it wrote. Without options it writes onceover.yml and a first review prompt. It never overwrites your files.',
    )
    .option('--gates', 'write onceover.yml with your own lint and test commands, and a first review prompt')
    .option(
      '--from [tool]',
      'import gates from "gauntlet", "coderabbit" or "continue"; without a name, from the one that is configured here',
    )
    .option('--rules', 'write a starter .deepreview for the languages found')
    .option('--mcp <agent>', 'add the MCP server to the agent\'s project settings ("claude": .mcp.json)')
    .option('--hook <agent>', 'run the gates when the agent wants to stop ("claude", "codex" or "gemini")')
    .option('--passes', 'share passes between clones: write the setting and a signers file with your key')
    .option('--remove', 'list the files that onceover wrote here; with --yes, remove them')
    .option('--yes', 'with --remove: remove the files; init itself asks no questions')
    .action(async (options) => (await import('./commands/setup.ts')).initCommand(options));

  program
    .command('doctor')
    .summary('show which agents are installed and what they can do')
    .description(
      "Lists the agents with version and abilities, what is missing, and how to install it. With --resume it tests whether agents can resume a session, with four short questions to each agent's real model.",
    )
    .option('--resume [agent]', 'test whether this agent, or every installed agent, can resume a session')
    .action(async (options) => (await import('./commands/setup.ts')).doctorCommand(options));

  const config = program
    .command('config')
    .usage('<command> [options]')
    .helpCommand(false)
    .summary('check the configuration files')
    .description('Works with the configuration of this repository.');
  config
    .command('check')
    .summary('check onceover.yml, rules, roles, prompts and jobs')
    .description(
      'Reads onceover.yml, review prompts, .deepreview rules, roles and workflow jobs, and reports every mistake with its line. Runs nothing. The exit code is 0 if all files are valid, else 2.',
    )
    .action(async (options) => (await import('./commands/setup.ts')).configCheckCommand(options));

  program
    .command('trust')
    .summary('allow agents to run the configured commands')
    .description(
      'Approves the checks and commands of onceover.yml in this clone, so that agents and the stop hook can start runs. "onceover run" in a terminal and "onceover init" approve them too.',
    )
    .action(async (options) => (await import('./commands/setup.ts')).trustCommand(options));

  program
    .command('demo')
    .summary('see what it does, without an agent, key or network')
    .description(
      'Plays real runs in a temporary repository with scripted reviewers: two bugs, two fixes, a pass. Explains what ran, what was skipped and what that saved. It does not read or write your files.',
    )
    .option('--keep', 'keep the temporary repository')
    .action(async (options) => (await import('./commands/demo.ts')).demoCommand(options));
  program
    .command('demo-reviewer', { hidden: true })
    .argument('<name>')
    .action(async (name) => (await import('./commands/demo.ts')).demoReviewerCommand(name));

  program
    .command('completion')
    .summary('print a completion script for your shell')
    .description('Prints a script that completes commands and options. Load it in the start-up file of your shell.')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell) => (await import('./commands/completion.ts')).completionCommand(shell, program));
}
