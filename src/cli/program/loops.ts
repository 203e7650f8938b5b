import { type Command, Option } from 'commander';
import { BASE, JSON_ANSWER, OR_LISTED, several, wholeNumber } from './options.ts';

/** What goes on over several rounds or steps. */
export function addLoops(program: Command): void {
  addPhase(program);
  addWorkflow(program);
}

function addPhase(program: Command): void {
  program
    .command('phase')
    .usage('<phase> <feature> [options]')
    .summary("have a feature's document or code reviewed in loops")
    .description(
      'Reviews spec.md (specify), design.md (design), plan.md (create-plan), tasks.md (create-tasks) or the code (implement) of ' +
        'a feature. Reviewers are asked once from the beginning and then resumed with what changed. Without options: one look ' +
        'and its verdict. With --fixer an agent mends, with --step whoever calls does. Exit code 0 only if it is ' +
        'approved, or accepted with --accept-with-notes.',
    )
    .argument('[phase]', 'specify, design, create-plan, create-tasks or implement')
    .argument('[feature]', 'the folder of the feature')
    .option('--fixer <agent>', 'the agent that mends, until it is approved or going on is of no use')
    .option('--step', 'play one round; mend what it finds, and call it again with --summary')
    .option('--summary <text>', 'with --step: what was done about the issues; "-" reads it from standard input')
    .option('--rerun', 'begin anew: no session, verdict or count of an earlier loop is left')
    .option('--accept-with-notes', 'where the last iteration leaves something open, note it and go on: exit code 0')
    .addOption(
      new Option('--max-iterations <n>', 'at most so many reviews of a loop, 1 to 5').argParser(wholeNumber(1, 5)),
    )
    .option('--no-commit', 'do not commit fixes')
    .option('--keep-sessions', 'with --step: resume the sessions of the round before')
    .option('--files <files...>', `implement: only these files and folders of the change; ${OR_LISTED}`)
    .option(BASE[0], `implement: ${BASE[1]}`)
    .option('--simplify', 'implement, with --fixer: first have the code simplified')
    .option('--deepen-tests', 'implement, with --fixer: first have the tests deepened')
    .option('--dry-run', 'say who would be asked, and ask nobody')
    .option(...JSON_ANSWER)
    .addOption(new Option('--started-by-agent').hideHelp())
    .action(async (name, feature, options) =>
      (await import('../commands/phase.ts')).phaseCommand(name, feature, options),
    );
}

const workflowCommands = () => import('../commands/workflow.ts');

const WHICH_SESSION = ['--session <id>', 'which session, where several are going on'] as const;

function addWorkflow(program: Command): void {
  const workflow = program
    .command('workflow')
    .usage('<command> [options]')
    .helpCommand(false)
    .summary("work through a job's steps, each judged by criteria")
    .description(
      'Works through a workflow of .deepwork/jobs/<job>/job.yml: each step says what to make, and counts as finished once ' +
        'its outputs pass the reviews of the step. docs/workflows.md says more.',
    );
  workflow
    .command('list')
    .summary('list jobs and their workflows, and what is going on')
    .description('Lists the jobs of .deepwork/jobs with their workflows, and the sessions that are going on.')
    .option(...JSON_ANSWER)
    .action(async (options) => (await workflowCommands()).listCommand(options));
  workflow
    .command('start')
    .usage('<job> [workflow] --goal TEXT [options]')
    .summary('begin a workflow')
    .description('Begins a workflow and says what to do first. Who reviews the outputs is decided here.')
    .argument('[job]', 'the name of the job')
    .argument('[workflow]', 'which of its workflows; not needed where it has one')
    .option('--goal <text>', 'what it is done for')
    .option('--reviewer <agent>', 'the agent that reviews outputs (default: Claude Code, where it is here)')
    .option('--self-review', 'ask nobody: whoever makes the outputs has them reviewed')
    .option(...JSON_ANSWER)
    .action(async (job, name, options) => (await workflowCommands()).startCommand(job, name, options));
  workflow
    .command('finish')
    .summary('say that a step is finished, and have it judged')
    .description(
      'Checks the outputs of a step and has them reviewed; what passed and is unchanged is not reviewed again. Says what to ' +
        'mend (exit code 1), or what is next.',
    )
    .option(
      '--output <name=path>',
      'an output of the step; may be given several times, also for several files',
      several,
    )
    .option('--notes <text>', 'what the reviewers should know')
    .option('--override <reason>', 'go on without a pass, after a review; the reason is kept with the step')
    .option('--reviewer <agent>', 'the agent that reviews outputs, now and from now on')
    .option('--step <id>', 'which step, where several are open')
    .option(...WHICH_SESSION)
    .option(...JSON_ANSWER)
    .action(async (options) => (await workflowCommands()).finishCommand(options));
  workflow
    .command('status')
    .summary('show where the steps stand, and what is to be done')
    .description(
      'Shows the sessions that are going on, or the one that is named: its steps, and what is to be done now.',
    )
    .option('--session <id>', 'which session; also one that has ended')
    .option(...JSON_ANSWER)
    .action(async (options) => (await workflowCommands()).statusCommand(options));
  workflow
    .command('abort')
    .summary('end a workflow that nobody goes on with')
    .description('Ends a session. What was made stays where it is, and the explanation is kept.')
    .argument('<explanation>', 'why it is not gone on with')
    .option(...WHICH_SESSION)
    .option(...JSON_ANSWER)
    .action(async (explanation, options) => (await workflowCommands()).abortCommand(explanation, options));
}
