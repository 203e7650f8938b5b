import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { version } from '../version.ts';
import { doctorCommand } from './commands/doctor.ts';
import { instructionsCommand } from './commands/instructions.ts';
import { passCommand } from './commands/pass.ts';
import { rulesCommand } from './commands/rules.ts';
import { fail, tellBug } from './output.ts';

/** Reads the command line and runs the command it names; what only some commands need is loaded when they run. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const program = buildProgram();
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    const json = argv.includes('--json');
    if (!(error instanceof CommanderError)) return tellBug(error, json);
    if (error.exitCode === 0) return;
    if (error.code === 'commander.help')
      return fail({ kind: 'wrong-usage', said: 'No command was given.', command: null }, json);
    const said = error.message.replace(/^error: /, '').replace(/\s+/g, ' ');
    const command = argv[2] !== undefined && program.commands.some((one) => one.name() === argv[2]) ? argv[2] : null;
    fail({ kind: 'wrong-usage', said, command }, json);
  }
}

function buildProgram(): Command {
  const program = new Command('onceover')
    .description('AI review gates that never pay for the same review twice.')
    .version(version)
    .usage('<command> [options]')
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureOutput({ writeErr: () => {} })
    .exitOverride();
  program.commandsGroup('Every day:');
  addRun(program);
  addStatus(program);
  addExplain(program);
  addResolve(program);
  program.commandsGroup('Set up:');
  addInit(program);
  addDoctor(program);
  addTrust(program);
  addDemo(program);
  program.commandsGroup('For agents:');
  addInstructions(program);
  addRules(program);
  addPass(program);
  addMcp(program);
  addHook(program);
  program.commandsGroup('Loops:');
  addPhase(program);
  addWorkflow(program);
  program.commandsGroup('Records:');
  addCost(program);
  addClean(program);
  for (const command of program.commands) command.copyInheritedSettings(program);
  return program.addHelpText('after', FOOTER);
}

const FOOTER = `
Exit codes: 0 done; 1 something failed; 2 wrong usage or configuration;
3 could not judge (no repository, git or disk trouble); 130 interrupted.`;

function addRun(program: Command): void {
  program
    .command('run')
    .summary('run checks and review gates on the change')
    .description(
      'Runs the checks and reviews of onceover.yml and the rules of .deepreview files on everything that changed since the ' +
        'base: commits, staged, unstaged and untracked. What passed and has not changed is not run again. Exit code 0 only if every gate holds.',
    )
    .argument('[paths...]', 'only gates with changes at or below these; they are judged whole')
    .option('--base <ref>', 'branch or commit that the change is measured from')
    .option('--commit <commit>', 'look at one commit')
    .option('--uncommitted', 'look at what is not committed')
    .option('--files <files...>', 'look at these files and folders of the change; "-" reads a list from standard input')
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
    .option('--fixer <agent>', 'the agent that mends')
    .addOption(new Option('--max-iterations <n>', 'reviews at most, with --until-pass').argParser(wholeNumber))
    .option(
      '--ratchet',
      'with --until-pass: from the third review on, new findings must be high, then critical, to fail',
    )
    .option('--json', 'answer with one JSON document')
    .addOption(new Option('--started-by-agent').hideHelp())
    .action(async (paths, options) => (await import('./commands/run.ts')).runCommand(paths, options));
}

function addPhase(program: Command): void {
  program
    .command('phase')
    .usage('<phase> <feature> [options]')
    .summary('have a document or the code of a feature reviewed, in loops')
    .description(
      'Reviews spec.md (specify), design.md (design), plan.md (create-plan), tasks.md (create-tasks) or the code (implement) of ' +
        'a feature. Reviewers are asked once from the beginning and then resumed with what changed. Without options: one look ' +
        'and its verdict. With --fixer an agent mends, with --step whoever calls does. Exit code 0 only if it is ' +
        'approved, or accepted with --accept-with-notes.',
    )
    .argument('[phase]', 'specify, design, create-plan, create-tasks or implement')
    .argument('[feature]', 'the folder of the feature')
    .option('--fixer <agent>', 'have this agent mend what is found, until it is approved or no use')
    .option('--step', 'one round: mend what it finds, and call it again with --summary')
    .option('--summary <text>', 'with --step: what was done about the issues; "-" reads it from standard input')
    .option('--rerun', 'begin anew: no session, verdict or count of an earlier loop is left')
    .option('--accept-with-notes', 'where the last iteration leaves something open, note it and go on: exit code 0')
    .addOption(new Option('--max-iterations <n>', 'reviews of a loop at most, 1 to 5').argParser(oneToFive))
    .option('--no-commit', 'do not commit fixes')
    .option('--keep-sessions', 'with --step: resume the sessions of the round before')
    .option('--files <files...>', 'implement: only these files and folders of the change; "-" reads a list')
    .option('--base <ref>', 'implement: branch or commit that the change is measured from')
    .option('--simplify', 'implement, with --fixer: first have the code simplified')
    .option('--deepen-tests', 'implement, with --fixer: first have the tests deepened')
    .option('--dry-run', 'say who would be asked, and ask nobody')
    .option('--json', 'answer with one JSON document')
    .addOption(new Option('--started-by-agent').hideHelp())
    .action(async (name, feature, options) =>
      (await import('./commands/phase.ts')).phaseCommand(name, feature, options),
    );
}

function addWorkflow(program: Command): void {
  const workflow = program
    .command('workflow')
    .summary('work through the steps of a job, each judged by its criteria')
    .description(
      'Works through a workflow of .deepwork/jobs/<job>/job.yml: each step says what to make, and counts as finished once ' +
        'its outputs pass the reviews of the step. docs/workflows.md says more.',
    );
  workflow
    .command('list')
    .summary('list jobs and their workflows, and what is going on')
    .description('Lists the jobs of .deepwork/jobs with their workflows, and the sessions that are going on.')
    .option('--json', 'answer with one JSON document')
    .action(async (options) => (await workflowCommands()).listCommand(options));
  workflow
    .command('start')
    .usage('<job> [workflow] --goal TEXT [options]')
    .summary('begin a workflow')
    .description('Begins a workflow and says what to do first. Who reviews the outputs is decided here.')
    .argument('[job]', 'the name of the job')
    .argument('[workflow]', 'which of its workflows; not needed where it has one')
    .option('--goal <text>', 'what it is done for')
    .option('--reviewer <agent>', 'the agent that reviews outputs; Claude Code where it is here')
    .option('--self-review', 'nobody is asked: whoever makes the outputs has them reviewed')
    .option('--json', 'answer with one JSON document')
    .action(async (job, name, options) => (await workflowCommands()).startCommand(job, name, options));
  workflow
    .command('finish')
    .summary('say that a step is finished, and have it judged')
    .description(
      'Checks the outputs of a step and has them reviewed; what passed and is unchanged is not reviewed again. Says what to ' +
        'mend (exit code 1), or what is next.',
    )
    .option('--output <name=path>', 'an output of the step; several times for several files', several)
    .option('--notes <text>', 'what the reviewers should know')
    .option('--override <reason>', 'go on without a pass, after a review: the reason is kept with the step')
    .option('--reviewer <agent>', 'have this agent review, now and from now on')
    .option('--step <id>', 'which step, where several are open')
    .option('--session <id>', 'which session, where several are going on')
    .option('--json', 'answer with one JSON document')
    .action(async (options) => (await workflowCommands()).finishCommand(options));
  workflow
    .command('status')
    .summary('show where the steps stand, and what is to be done')
    .description(
      'Shows the sessions that are going on, or the one that is named: its steps, and what is to be done now.',
    )
    .option('--session <id>', 'which session')
    .option('--json', 'answer with one JSON document')
    .action(async (options) => (await workflowCommands()).statusCommand(options));
  workflow
    .command('abort')
    .summary('end a workflow that nobody goes on with')
    .description('Ends a session. What was made stays where it is, and the explanation is kept.')
    .argument('<explanation>', 'why it is not gone on with')
    .option('--session <id>', 'which session, where several are going on')
    .option('--json', 'answer with one JSON document')
    .action(async (explanation, options) => (await workflowCommands()).abortCommand(explanation, options));
}

const workflowCommands = () => import('./commands/workflow.ts');

function several(given: string, before: readonly string[] = []): readonly string[] {
  return [...before, given];
}

function oneToFive(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 5) return number;
  throw new InvalidArgumentError('It is a whole number from 1 to 5.');
}

function addStatus(program: Command): void {
  program
    .command('status')
    .summary('show what holds, rests, is open, is covered by no review')
    .description(
      'Shows where every gate stands, without running anything. Exit code as that of a run with nothing to do.',
    )
    .option('--prompt', 'the open findings as one text for an agent')
    .option('--base <ref>', 'branch or commit that the change is measured from')
    .option('--json', 'answer with one JSON document')
    .action(async (options) => (await import('./commands/status.ts')).statusCommand(options));
}

function addResolve(program: Command): void {
  program
    .command('resolve')
    .summary('say that a finding is fixed, or why it is left')
    .description(
      'Says of a finding that it is fixed, which a reviewer has to confirm, or that it is left as it is, and why. A finding ' +
        'that is left no longer keeps its gate from holding; reviewers are told the reason.',
    )
    .argument('<finding>', 'the id of a finding, e.g. F1')
    .option('--fixed [how]', 'it is fixed; open until a reviewer confirms it')
    .option('--skip <why>', 'it stays as it is, for this reason')
    .option('--json', 'answer with one JSON document')
    .action(async (id, options) => (await import('./commands/resolve.ts')).resolveCommand(id, options));
}

function addTrust(program: Command): void {
  program
    .command('trust')
    .summary('agree to the commands of the configuration')
    .description(
      'Agrees to the checks and commands of onceover.yml in this clone, so that the stop hook and agents may start runs. ' +
        '"onceover run" in a terminal and "onceover init" do the same.',
    )
    .option('--json', 'answer with one JSON document')
    .action(async (options) => (await import('./commands/trust.ts')).trustCommand(options));
}

function addDemo(program: Command): void {
  program
    .command('demo')
    .summary('see what it saves, without an agent, key or network')
    .description(
      'Plays real runs in a temporary repository, with scripted reviewers: two mistakes, a fix, another one, a pass. Says what ' +
        'happened and why, and what each lever saved. Nothing of yours is read or written.',
    )
    .option('--keep', 'leave the repository, to look around in')
    .option('--json', 'answer with one JSON document')
    .action(async (options) => (await import('./commands/demo.ts')).demoCommand(options));
  program
    .command('demo-reviewer', { hidden: true })
    .argument('<name>')
    .action(async (name) => (await import('./commands/demo-reviewer.ts')).demoReviewerCommand(name));
}

function addHook(program: Command): void {
  const hook = program
    .command('hook')
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
    .option('--deadline <seconds>', 'answer within this time: 540 unless said otherwise');
  hook
    .command('snooze')
    .summary('let agents stop unjudged for a while')
    .description('Puts the stop hook of this clone to sleep, 60 minutes unless said otherwise; "off" wakes it.')
    .argument('[minutes]', 'for how long, or "off"')
    .option('--json', 'answer with one JSON document')
    .action(async (minutes, options) => (await import('./commands/snooze.ts')).snoozeCommand(minutes, options));
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= 1000) return number;
  throw new InvalidArgumentError('It is a whole number from 1 on.');
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
    .option('--json', 'answer with one JSON document')
    .option('--csv', 'answer with one row a look, for spreadsheets')
    .action(async (feature, options) => (await import('./commands/cost.ts')).costCommand(feature, options));
}

function addClean(program: Command): void {
  program
    .command('clean')
    .summary('archive the records and begin anew')
    .description('Puts the records of past iterations away, after saying how many findings are open.')
    .option('--json', 'answer with one JSON document')
    .action(async (options) => (await import('./commands/clean.ts')).cleanCommand(options));
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
    .option('--json', 'answer with one JSON document')
    .action(async (options) => (await import('./commands/init.ts')).initCommand(options));
}

function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('show which agents are here and what they can do')
    .description(
      'Shows which agent programs are installed, their versions, what each can do, what is missing and how to get it. ' +
        'With --resume it tries whether agents can be resumed: four short questions to the real model of each.',
    )
    .option('--resume [agent]', 'try whether the agent, or every agent that is found, can be resumed')
    .option('--json', 'answer with one JSON document')
    .action((options) => doctorCommand(options));
}

function addInstructions(program: Command): void {
  program
    .command('instructions')
    .summary('write one instruction file for each review to do')
    .description(
      'Writes one instruction file for each review that the change asks for, and says what to dispatch. Reviews that passed ' +
        'and whose files have not changed since are skipped. Give files, or pipe a list of them, to review those instead.',
    )
    .argument('[files...]', 'files or folders to review instead of the change; "-" reads a list from standard input')
    .option('--for <platform>', 'whose personas to name', 'claude')
    .option('--base <ref>', 'branch or commit that the change is measured from')
    .option('--json', 'answer with one JSON document')
    .action((files, options) => instructionsCommand(files, options));
}

function addRules(program: Command): void {
  program
    .command('rules')
    .summary('list the configured review rules')
    .description('Lists the rules of all .deepreview files; with files, those that match one of them.')
    .argument('[files...]', 'show only rules that match one of these; "-" reads a list from standard input')
    .option('--json', 'answer with one JSON document')
    .action((files, options) => rulesCommand(files, options));
}

function addPass(program: Command): void {
  program
    .command('pass')
    .summary('mark a review as passed')
    .description(
      'Marks a review as passed, as the MCP tool mark_review_as_passed does: it is skipped until its files change.',
    )
    .argument('<review_id>', 'the id as its instruction file gives it')
    .option('--json', 'answer with one JSON document')
    .action((id, options) => passCommand(id, options));
}

function addExplain(program: Command): void {
  program
    .command('explain')
    .summary('say why something ran or did not, and what was said')
    .description(
      'Says of a gate, a slot, a finding or a review why it ran or did not, what happened, and what would make it run again.',
    )
    .argument('<name>', 'a gate ("review:src:code-quality"), a slot ("…@1"), a finding ("F1") or a review id')
    .option('--prompt', 'for a slot: exactly what was sent and said the last time; for a check: what it printed')
    .option('--base <ref>', 'branch or commit that the change is measured from')
    .option('--json', 'answer with one JSON document')
    .action(async (id, options) => (await import('./commands/explain.ts')).explainCommand(id, options));
}

function addMcp(program: Command): void {
  program
    .command('mcp')
    .summary('serve the tools to an agent over stdio')
    .description('Runs the MCP server on standard input and output, for the repository of the working directory.')
    .option('--root <folder>', 'the repository to serve')
    .option('--for <platform>', 'whose personas to name', 'claude')
    .option('--reviewer <agent>', 'workflows: the agent that reviews outputs; Claude Code where it is here')
    .option('--self-review', 'workflows: nobody else reviews; the agent has outputs reviewed by a sub-agent')
    .action(async (options) => (await import('./commands/mcp.ts')).mcpCommand(options));
}
