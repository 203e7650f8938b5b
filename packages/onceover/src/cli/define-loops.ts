import { type Command, Option } from 'commander';
import { BASE, collect, OR_FROM_LIST, PAGE, wholeNumber } from './options.ts';

/** Adds the commands `phase` and `workflow`. */
export function addLoopCommands(program: Command): void {
  program
    .command('phase')
    .usage('<phase> <feature> [options]')
    .summary('review a spec, design, plan, tasks or code in loops')
    .description(
      'Reviews spec.md (specify), design.md (design), plan.md (create-plan), tasks.md (create-tasks) or the code (implement) of a feature. After a fix, onceover resumes the session of each reviewer and sends what changed and a summary of the fix. If a session cannot be resumed, the reviewer gets a new one. Without options, each reviewer reviews once, and the second reviewer runs only if the first one approves. With --fixer an agent fixes the issues; with --step you fix them. The exit code is 0 only if the reviewers approve, or if you accept the open issues with --accept-with-notes.',
    )
    .argument('[phase]', 'specify, design, create-plan, create-tasks or implement')
    .argument('[feature]', 'the folder of the feature')
    .option(
      '--fixer <agent>',
      'the agent that fixes issues; a loop ends when its reviewers approve, at --max-iterations, or after two fixes that change nothing',
    )
    .option('--step', 'stop when issues are open; fix the issues, then run the command again with --summary')
    .option('--summary <text>', 'with --step: what you did about the issues; "-" reads this text from standard input')
    .option('--rerun', 'with --step: start a new loop, without the sessions, verdicts and counts of the earlier loop')
    .option(
      '--accept-with-notes',
      'if issues are open after the last review, record the issues and exit with 0; also works after the loop has ended',
    )
    .option('--max-iterations <n>', 'the maximum number of reviews per loop, 1 to 5', wholeNumber(1, 5))
    .option('--no-commit', 'do not commit fixes')
    // The option parser would make `keepSessions` true by default. This hidden option prevents that, so that it is
    // undefined if the user sets neither.
    .addOption(new Option('--keep-sessions').hideHelp())
    .option('--no-keep-sessions', 'with --step: store no sessions, so that the next command starts new ones')
    .option('--files <files...>', `in implement: review only these changed files and folders; ${OR_FROM_LIST}`)
    .option(BASE[0], `in implement: ${BASE[1]}`)
    .option('--simplify', 'in implement, with --fixer: simplify the code before the reviews')
    .option('--deepen-tests', 'in implement, with --fixer: add missing tests before the reviews')
    .option(...PAGE)
    .option('--dry-run', 'show which reviewers would run, and run nothing')
    .addOption(new Option('--started-by-agent').hideHelp())
    .action(async (name, feature, options) =>
      (await import('./commands/phase.ts')).phaseCommand(name, feature, options),
    );

  const workflow = program
    .command('workflow')
    .usage('<command> [options]')
    .helpCommand(false)
    .summary('work through a job step by step, with quality criteria')
    .description(
      'Guides you or an agent through the steps of a job, which .deepwork/jobs/<job>/job.yml defines. Each step says which outputs to make. A step is finished when its outputs pass the reviews of the step. See docs/workflows.md.',
    );
  workflow
    .command('list')
    .summary('list jobs, their workflows and open sessions')
    .description('Lists the jobs of .deepwork/jobs with their workflows, and the open sessions.')
    .action(async (options) => (await workflowCommands()).workflowListCommand(options));
  workflow
    .command('start')
    .usage('<job> [workflow] --goal TEXT [options]')
    .summary('start a workflow')
    .description('Starts a workflow and prints its first step. The options also choose who reviews the outputs.')
    .argument('[job]', 'the name of the job')
    .argument('[workflow]', 'the name of the workflow; not needed if the job has only one workflow')
    .option('--goal <text>', 'what you want to achieve')
    .option('--reviewer <agent>', 'the agent that reviews outputs (default: Claude Code, if installed)')
    .option(
      '--self-review',
      'onceover runs no reviewer; the agent that makes the outputs also reviews them, with its own sub-agent',
    )
    .action(async (job, name, options) => (await workflowCommands()).workflowStartCommand(job, name, options));
  workflow
    .command('finish')
    .summary('finish a step and have its outputs reviewed')
    .description(
      'Checks the outputs of a step and has them reviewed. Outputs that passed and have not changed are not reviewed again. Prints what to fix (exit code 1) or the next step (exit code 0).',
    )
    .option('--output <name=path>', 'an output of the step; repeat this option for several outputs or files', collect)
    .option('--notes <text>', 'notes for the reviewers')
    .option('--override <reason>', 'finish the step although a review failed; the reason is stored with the step')
    .option('--reviewer <agent>', 'the agent that reviews outputs from now on')
    .option('--step <id>', 'the id of the step, if several steps are open')
    .option(...WHICH_SESSION)
    .action(async (options) => (await workflowCommands()).workflowFinishCommand(options));
  workflow
    .command('status')
    .summary('show the steps of open sessions and what to do next')
    .description('Shows the open sessions or one named session: its steps, and what to do next.')
    .option('--session <id>', 'the id of the session, which may be an ended session')
    .action(async (options) => (await workflowCommands()).workflowStatusCommand(options));
  workflow
    .command('abort')
    .summary('end a workflow before its last step')
    .description('Ends a session. The files stay as they are, and onceover stores the explanation.')
    .argument('<explanation>', 'why the workflow ends')
    .option(...WHICH_SESSION)
    .action(async (explanation, options) => (await workflowCommands()).workflowAbortCommand(explanation, options));
}

const workflowCommands = () => import('./commands/workflow.ts');

const WHICH_SESSION = ['--session <id>', 'the id of the session, if several sessions are open'] as const;
