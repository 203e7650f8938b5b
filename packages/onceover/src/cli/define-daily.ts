import { REPORT_FILES } from '@onceover/gates/reports/types';
import { type Command, Option } from 'commander';
import { BASE, collect, OR_FROM_LIST, PAGE, wholeNumber } from './options.ts';

/** Adds the commands `run`, `status`, `explain`, `resolve` and `publish`. */
export function addDailyCommands(program: Command): void {
  program
    .command('run')
    .summary('run the checks and reviews on your change')
    .description(
      'Runs the checks and reviews of onceover.yml, and the rules of .deepreview files, on everything that differs from the base branch: commits, staged, unstaged and untracked files. If every gate already passes, nothing runs. The exit code is 0 only if every gate passes.',
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
      `also write a report: ${REPORT_FILES}, or github (annotations and job summary); you can repeat this option`,
      collect,
    )
    .option('--share', 'share the passes of this run with other clones (see the setting passes)')
    .option('--no-accept', 'do not accept passes and waivers of other clones')
    .option('--remote', 'let workers of your team run the reviewers (see docs/team.md)')
    .option('--no-remote', 'run the reviewers here, even if your config file says "runs: remote"')
    .option('--publish', 'show the result on the pull request of this CI job; checks do not get the token of the job')
    .option(
      '--allow-unconfigured',
      'exit with 0 if no gate and no rule is configured; without this option the exit code is 2',
    )
    .option('--until-pass', 'let an agent fix the findings and review again, until every gate passes')
    .option('--fixer <agent>', 'with --until-pass: the agent that fixes the findings')
    .option('--max-iterations <n>', 'with --until-pass: the maximum number of reviews', wholeNumber(1, 1000))
    .option(
      '--ratchet',
      'with --until-pass: from review 3 on, new findings fail only if they are high or critical; from review 4 on, only if they are critical',
    )
    .option('--verbose', 'show every reviewer, waived findings and all files')
    .option('--quiet', 'show only findings, the verdict and the next step')
    .addOption(new Option('--started-by-agent').hideHelp())
    .action(async (paths, options) => (await import('./commands/run.ts')).runCommand(paths, options));

  program
    .command('status')
    .summary('show which gates pass and which findings are open; run nothing')
    .description(
      'Shows the state of every gate, the open findings and the changed files that no gate reviews. The command runs no gate. The exit code is 0 only if every gate passes.',
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
      'Opens a page in your browser with the state of every gate, the findings, the cost and every transcript. The page updates itself. You can start and stop runs and resolve findings on the page. The server listens on 127.0.0.1 only, and the link contains a token.',
    )
    .option('--port <n>', 'the port (default: any free one)', wholeNumber(1, 65_535))
    .option('--no-open', 'only print the link')
    .action(async (options) => (await import('./commands/ui.ts')).uiCommand(options));

  program
    .command('explain')
    .summary('explain why something ran, was skipped or failed')
    .description(
      'Explains why a gate, a reviewer or a review ran or was skipped, what happened, and what makes it run again. For a finding, explains why the finding is open or closed.',
    )
    .argument('<name>', 'a gate ("review:src:code-quality"), a reviewer ("…@1"), a finding ("F1") or a review id')
    .option('--prompt', 'print the last prompt and answer of a reviewer, or the output of a check')
    .option('--transcript', 'print each request of the last review by a reviewer, with its tokens')
    .option(...BASE)
    .action(async (id, options) => (await import('./commands/records.ts')).explainCommand(id, options));

  program
    .command('resolve')
    .summary('mark findings as fixed, or waive them with a reason')
    .description(
      'Marks findings as fixed, or waives them. A finding marked as fixed stays open until its reviewer confirms the fix. A waived finding no longer fails its gate, and reviewers see your reason. An agent can only propose to waive a finding: the finding stays open until you confirm the waiver in a terminal.',
    )
    .argument('<findings...>', 'the ids of findings, such as F1')
    .option('--fixed [how]', 'mark the findings as fixed; a reviewer has to confirm each fix')
    .option('--skip <why>', 'waive the findings for this reason')
    .option('--confirm', 'confirm the waivers that an agent proposed for these findings')
    .action(async (ids, options) => (await import('./commands/records.ts')).resolveCommand(ids, options));

  program
    .command('publish')
    .summary('show the result of a run on its pull request')
    .description(
      'Publishes the result of a run on a pull request of GitHub or a merge request of GitLab: one summary that later runs update, one thread per finding, and one check per gate. Use this command in a CI job that has a token and runs no code of the change. If you repeat the command, it writes only what is missing.',
    )
    .requiredOption('--from <file>', 'the file with the result, written by "onceover run --json"')
    .option(
      '--pull <number>',
      'the number of the pull request (default: the pull request that the CI job runs for)',
      wholeNumber(1, 2_000_000_000),
    )
    .option('--commit <id>', 'the commit that was reviewed (default: the commit that the CI job runs for)')
    .option('--summary <when>', '"quiet": write no comment if the first result passes (default: "always")')
    .option('--no-checks', 'create no checks')
    .option(
      '--untrusted',
      'do not let a pass count, because the author of the change controls the job that made the result',
    )
    .option('--report-url <url>', 'the address of a full report, for a link in the summary')
    .option('--dry-run', 'show what the command would write, and write nothing')
    .action(async (options) => (await import('./commands/publish.ts')).publishCommand(options));
}

/** Adds the commands about the results of past runs (`cost`, `passes` and `clean`), and `prove`. */
export function addRecordCommands(program: Command): void {
  program
    .command('cost')
    .summary('show what your reviews cost and what onceover saved')
    .description(
      'Shows the tokens and the money that the runs in this clone cost, and an estimate of what onceover saved. With the folder of a feature, shows what each call of its review loops sent and cost, compared with a new session for every call.',
    )
    .argument('[feature]', 'the folder of a feature that was reviewed with "onceover phase"')
    .option('--since <when>', 'only runs since this time: a number of days, or a date such as 2026-03-01')
    .option('--branch <name>', 'only runs on this branch')
    .option('--details', 'also show why sessions were not resumed, and how often resuming failed in review loops')
    .addOption(new Option('--all').hideHelp().implies({ details: true }))
    .option('--csv', 'print one row per review, for spreadsheets')
    .option(...PAGE)
    .action(async (feature, options) => (await import('./commands/records.ts')).costCommand(feature, options));

  addPassesCommand(program);

  program
    .command('prove')
    .summary('measure what your reviewers catch, with planted bugs')
    .description(
      'Plants bugs in changes of this repository, and lets your reviewers review the changes in a temporary repository. Shows how many bugs the reviewers find, how often they fail a change without a bug, and what the reviews cost. Without --yes, the command only shows the plan and calls no agent. onceover stores the answers, so if you interrupt a proof and start it again, you do not pay for the same answers again.',
    )
    .option('--yes', 'run the proof; without this option, the command only shows the plan')
    .option('--gate <gate...>', 'prove only these reviews, by name or id')
    .option('--cases <n>', 'the number of cases (default: 20)', wholeNumber(1, 1000))
    .option('--budget <limit>', 'stop at this cost: dollars, such as 5, or "40 calls"')
    .option('--kinds <list>', 'only cases of these kinds: own, history, mutant, scenario, trap, clean')
    .option('--own <folder>', 'also use the patches in this folder as cases')
    .option('--set', 'use the cases that come with onceover, not cases from this repository')
    .option('--reviewers <list>', 'compare numbers of reviewers, such as 1,3')
    .option('--sessions <list>', 'compare what reviewers get after the first round: new, resumed or skipped sessions')
    .option('--reading <list>', 'compare values of the setting share_reading: off, reviews, all')
    .option('--repeat <n>', 'review each case n times, to measure how often the verdict changes', wholeNumber(1, 20))
    .option('--seed <n>', 'the number that selects the random cases (default: 1)', wholeNumber(0, 4_294_967_295))
    .option('--report <format=file>', 'also write the result to a file: html=FILE or markdown=FILE', collect)
    .option('--remote', 'let workers of your team run the reviewers (see docs/team.md)')
    .option('--no-remote', 'run the reviewers here, even if your config file says "runs: remote"')
    .option('--verbose', 'list the cases of the plan')
    .action(async (options) => (await import('./commands/prove.ts')).proveCommand(options));

  program
    .command('clean')
    .summary('archive the results of past runs and start again at run 1')
    .description(
      'Archives the results of past runs and says how many findings are open. The next run has the number 1.',
    )
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
      'Lists the signed passes of other clones: who signed each pass, how old the pass is, and whether it counts for the current change. See docs/sharing-passes.md.',
    )
    .action(async (options) => (await passesCommands()).passesListCommand(options));
  passes
    .command('fetch')
    .summary('get the newest passes')
    .description('Gets the newest passes of other clones. A run also gets them by itself.')
    .action(async (_options, command) => (await passesCommands()).passesFetchCommand(command.optsWithGlobals()));
  passes
    .command('push')
    .summary('share your passes for the current change')
    .description(
      'Signs the passes that reviewers gave in this clone for the current change, and your waivers, with the SSH key that git uses for signing. Then the command shares them with other clones.',
    )
    .action(async (_options, command) => (await passesCommands()).passesPushCommand(command.optsWithGlobals()));
  passes
    .command('prune')
    .summary('remove old passes for everyone')
    .description(
      'Removes passes and waivers from the remote that are too old to count, or that no version of onceover can read.',
    )
    .option(
      '--days <n>',
      'remove passes and waivers that are older than this (default: the setting max_age)',
      wholeNumber(1, 9999),
    )
    .action(async (_options, command) => (await passesCommands()).passesPruneCommand(command.optsWithGlobals()));
  passes
    .command('verify')
    .summary('verify the signature of a pass or waiver')
    .description(
      'Verifies the signature of a pass or waiver, and says whether the settings of the base branch accept passes of the signer. The signature is in FILE.sig. The exit code is 0 only if the pass or waiver counts.',
    )
    .argument('<file>', 'the file with the pass or waiver')
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
      'Writes the files that the options name if they do not exist yet, and shows which files it wrote. Without options, the command writes onceover.yml and a first review prompt. The command never overwrites your files.',
    )
    .option('--gates', 'write onceover.yml with your own lint and test commands, and a first review prompt')
    .option(
      '--from [tool]',
      'import gates from "gauntlet", "coderabbit" or "continue"; without a name, from the tool that is configured in this repository',
    )
    .option('--rules', 'write a .deepreview file with rules for the languages of this repository')
    .option('--mcp <agent>', 'add the MCP server to the agent\'s project settings ("claude": .mcp.json)')
    .option('--hook <agent>', 'run the gates when the agent wants to stop ("claude", "codex" or "gemini")')
    .option('--passes', 'share passes between clones: write the setting and a signers file with your key')
    .option('--remove', 'list the files that onceover wrote here; with --yes, remove them')
    .option('--yes', 'with --remove: remove the files')
    .action(async (options) => (await import('./commands/setup.ts')).initCommand(options));

  program
    .command('doctor')
    .summary('show which agents are installed and what they can do')
    .description(
      "Lists the agents with their versions and abilities, what is missing, and how to install what is missing. With --resume, the command tests whether agents can resume a session. The test asks each agent's real model four short questions.",
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
      'Approves the checks and commands of onceover.yml in this clone, so that agents and the stop hook can start runs. "onceover init" and "onceover run" in a terminal approve the commands too.',
    )
    .action(async (options) => (await import('./commands/setup.ts')).trustCommand(options));

  program
    .command('demo')
    .summary('watch onceover work, without an agent, key or network')
    .description(
      'Makes real runs in a temporary repository, with scripts instead of AI reviewers: two bugs, two fixes, a pass. Explains what ran, what was skipped and how much the skipped work would have cost. The demo does not read or write your files.',
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
