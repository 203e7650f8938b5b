/** The documents in the order of the list, with the commands and tools that return them. */
export const DOCUMENTS: readonly { readonly name: string; readonly from: string; readonly about: string }[] = [
  {
    name: 'run',
    from: '`run --json`, `run --dry-run --json`, `status --json`',
    about: 'This document contains the result of a run, or the current state of the gates.',
  },
  {
    name: 'started-run',
    from: '`start_run`, `get_run`',
    about: 'This document describes a run in the background.',
  },
  {
    name: 'finding',
    from: '`resolve --json` with one finding, `resolve_finding`',
    about: 'This document contains the finding after the change that the command made.',
  },
  {
    name: 'resolved',
    from: '`resolve --json` with several findings',
    about: 'This document contains the findings after the changes that the command made.',
  },
  {
    name: 'explain-run',
    from: '`explain --json` for a gate, check, reviewer or finding',
    about: 'This document explains why the gate, check, reviewer or finding is in its current state.',
  },
  {
    name: 'explain',
    from: '`explain --json` for a review id',
    about: 'This document says whether an agent still has to do the review, and why.',
  },
  {
    name: 'instructions',
    from: '`instructions --json`, `get_review_instructions`',
    about: 'This document lists the reviews that an agent still has to do.',
  },
  {
    name: 'rules',
    from: '`rules --json`, `get_configured_reviews`',
    about: 'This document lists the rules of the `.deepreview` files.',
  },
  {
    name: 'pass',
    from: '`pass --json`, `mark_review_as_passed`',
    about: 'This document names the review that is now marked as passed.',
  },
  {
    name: 'phase',
    from: '`phase --json`',
    about: 'This document contains the result of a review loop, or the issues to fix before the loop continues.',
  },
  {
    name: 'phase-plan',
    from: '`phase --dry-run --json`',
    about: 'This document lists the calls to agents that the next round would make.',
  },
  {
    name: 'started-phase',
    from: '`start_phase`, `continue_phase`',
    about: 'This document describes a round of a review loop in the background.',
  },
  {
    name: 'workflows',
    from: '`workflow list --json`, `get_workflows`',
    about: 'This document lists the workflow jobs and the open sessions of workflows.',
  },
  {
    name: 'workflow-start',
    from: '`workflow start --json`, `start_workflow`',
    about: 'This document describes the new workflow session and its first step.',
  },
  {
    name: 'workflow-finish',
    from: '`workflow finish --json`, `finished_step`',
    about: 'This document contains the result of a workflow step.',
  },
  {
    name: 'workflow-status',
    from: '`workflow status --json`',
    about: 'This document contains the state of each workflow step.',
  },
  {
    name: 'workflow-abort',
    from: '`workflow abort --json`, `abort_workflow`',
    about: 'This document contains the last state of the workflow.',
  },
  {
    name: 'cost',
    from: '`cost --json`',
    about:
      'This document contains the calls and tokens of reviews, and their cost. [The page about cost](../cost.md) explains the figures.',
  },
  {
    name: 'cost-feature',
    from: '`cost FEATURE --json`',
    about: 'This document contains the cost of the review loops of one feature.',
  },
  {
    name: 'passes',
    from: '`passes --json`',
    about:
      'This document lists the passes of other clones. [The page about shared passes](../sharing-passes.md) explains how passes are shared.',
  },
  {
    name: 'passes-end',
    from: '`passes fetch --json`, `passes push --json`, `passes prune --json`',
    about: 'This document says how many passes and waivers the command sent or removed.',
  },
  {
    name: 'passes-verify',
    from: '`passes verify --json`',
    about: 'This document says who signed a pass or waiver, and whether the pass or waiver counts.',
  },
  { name: 'init', from: '`init --json`', about: 'This document lists the files that `onceover init` wrote.' },
  {
    name: 'init-remove',
    from: '`init --remove --json`',
    about: 'This document lists the files that onceover removed, or would remove with --yes.',
  },
  { name: 'doctor', from: '`doctor --json`', about: 'This document lists the agents and programs that are installed.' },
  {
    name: 'publish',
    from: '`publish --json`',
    about:
      'This document lists what the command wrote on the pull request. [The page about pull requests](../pull-requests.md) explains the actions.',
  },
  { name: 'trust', from: '`trust --json`', about: 'This document lists the commands that you approved.' },
  { name: 'hook-snooze', from: '`hook snooze --json`', about: 'This document says until when the stop hook is off.' },
  {
    name: 'demo',
    from: '`demo --json`',
    about: 'This document contains the runs of the demo, with their cost and savings.',
  },
  {
    name: 'prove',
    from: '`prove --json`',
    about:
      'This document contains the scores of reviewers that looked for planted bugs. [The page about proving](../proving.md) explains the scores. Without --yes, the command makes only a plan, and the other fields are empty.',
  },
  {
    name: 'clean',
    from: '`clean --json`',
    about: 'This document contains the archived runs and the findings that are still open.',
  },
  {
    name: 'pass-statement',
    from: '`passes push` or `run --share`, in a signed file',
    about: 'This document says in the format in-toto Statement v1 that a reviewer passed a gate.',
  },
  {
    name: 'waiver-statement',
    from: '`passes push` or `run --share`, in a signed file',
    about: 'This document says in the format in-toto Statement v1 that a person waived a finding.',
  },
  {
    name: 'ui',
    from: '`ui --json`',
    about:
      'This document contains the link to the live view. [The page about the live view](../ui.md) lists the documents that its pages read.',
  },
  {
    name: 'error',
    from: 'any command with `--json` that failed',
    about: 'A command that fails prints this document to stdout instead of its result.',
  },
];

/** Objects that several documents share. `at` is one place that has the object. */
export const SHAPES: readonly { readonly name: string; readonly at: string }[] = [
  { name: 'usage', at: 'run.usage' },
  { name: 'saved', at: 'run.saved' },
  { name: 'gate', at: 'run.gates' },
  { name: 'slot', at: 'run.gates.slots' },
  { name: 'loop', at: 'run.loop' },
  { name: 'issue', at: 'phase.loops.iterations.issues' },
  { name: 'open issue', at: 'phase.open_issues' },
  { name: 'step', at: 'workflow-start.begin_step' },
  { name: 'failed review', at: 'workflow-finish.failed_reviews' },
  { name: 'paid', at: 'cost.paid' },
  { name: 'not paid', at: 'cost.not_paid.pass' },
  { name: 'levers', at: 'cost.not_paid' },
  { name: 'compared', at: 'cost.loops.compared' },
  { name: 'rates', at: 'cost.loops.rates' },
  { name: 'shorter prompts', at: 'cost.loops.resumed_prompts_shorter' },
  { name: 'loops of five', at: 'cost.loops.five_iterations_under_half' },
];

/** Descriptions by field name, for fields without a description of their own. */
export const COMMON_WORDS: Readonly<Record<string, string>> = {
  about: 'The kind of item that this document explains.',
  agent: 'The name of the agent, such as claude.',
  cache_write_tokens: 'The number of input tokens that were written to a cache.',
  cached_input_tokens: 'The number of input tokens that were read from a cache.',
  category: 'One of the categories that the role defines; null if the issue has none.',
  dispatch: 'Whether the call started a new session (`fresh`) or resumed an earlier session (`resumed`).',
  error: 'The reason why there is no result; null if there is a result.',
  exit_code: 'The exit code of the command.',
  feature: 'The folder of the feature.',
  final_validation:
    'Whether the review was part of the final validation, in which all reviewers review the code a last time.',
  fresh: 'How many characters would have been sent if every review had started a new session.',
  fresh_estimate: 'An estimate of the tokens that would have been sent if every review had started a new session.',
  gate: 'The id of the gate, such as review:src:code-quality.',
  goal: 'The goal of the workflow.',
  history: 'The results of earlier runs.',
  job: 'The name of the job.',
  kind: 'A code for the kind of error.',
  level: "The level that the issue belongs to; null if the reviewer's role has no levels.",
  location: 'The place of the issue, as the reviewer describes it; null if the reviewer names no place.',
  log: 'The path of the log file, which contains the last prompt and answer, or the output of the check; null if there is no log.',
  message: 'A text that says what went wrong, and why.',
  model: 'The model; null if it is not known.',
  n: 'The number of the review in its loop, starting at 1.',
  next: 'A text that says what to do next.',
  output_tokens: 'The number of output tokens.',
  paid: 'The number of calls to agents, with their tokens and their cost.',
  phase: 'The name of the phase.',
  prompt_chars: 'The number of characters in the prompts that onceover sent.',
  resumed: 'The number of calls that resumed a session.',
  role: 'The role of the agent, such as spec-reviewer.',
  round: 'The number of the round within the phase.',
  run: 'The id of this execution of the phase.',
  session_id: 'The id of the workflow session.',
  severity: 'The severity of the issue. A suggestion does not prevent approval.',
  since: 'The start of the selected period; null if all runs are included.',
  slot: 'The number of the reviewer in its gate, starting at 1.',
  stage: 'The name of the review loop within the phase.',
  started_at: 'The time at which the session started.',
  started_by: 'Whether a person or an agent started the run or the phase.',
  step_id: 'The id of the step in job.yml.',
  suggestion: 'What to do about the issue; null if the reviewer suggests nothing.',
  threshold: 'The limit for the rate. If the rate is above the limit, `exceeded` is true.',
  unreadable_entries: 'The number of files with costs that onceover could not read.',
  usage: 'The tokens that the calls used; null if they are not known or there was no call.',
  warnings: 'Warnings for the user. Each item is one warning.',
  workflow: 'The name of the workflow.',
};

/** Descriptions by document or shared object, and path. They win over all others. */
export const WORDS: Readonly<Record<string, string>> = {
  'run status':
    'The result of the run. The exit code can be 0 only if the status is `no_changes`, `no_applicable_gates`, `passed` or `passed_with_warnings`.',
  'run gates': 'All gates that apply to at least one changed file.',
  'run findings':
    'The findings that are open, are only warnings or were waived, and the findings that this run closed.',
  'run scope':
    'The part of the change that the run covers: "full" for the whole change, otherwise a line that describes the selected part.',
  'run base': 'The base branch or base commit with which onceover compares the change; null if there is none.',
  'run usage': 'The tokens of all calls in this run; null if there was no call, or if the tokens are not known.',
  'run dispatches': 'The number of calls to agents in this run.',
  'loop end': 'The reason why the loop ended. [until-pass.md](../until-pass.md#why-it-ends) explains each value.',
  'loop rounds': 'The rounds of the loop. Each round is a run and the fix after it.',
  'loop rounds[].iteration': 'The number of the run; null if nothing had to run.',
  'loop rounds[].status': 'The status of the run, with the same values as `status` of [run](#run).',
  'loop rounds[].failing_checks': 'The ids of the checks that failed in this run.',
  'loop rounds[].closed': 'The number of findings that this run closed.',
  'loop rounds[].added': 'The number of new findings that this run reported.',
  'loop rounds[].fix.files_changed': 'The number of files that the fixer changed.',
  'ui port': 'The port on which the server listens.',
  'started-run run_id': 'The id of the run. You can pass this id to `get_run`.',
  'started-run state':
    'The state of the run. The value `died` means that the process of the run ended without a result.',
  'resolved findings': 'The findings that were named in the command, in the same order.',
  'finding id': 'The id of the finding, such as F1. The id of a finding never changes.',
  'finding gate': 'The id of the gate that the finding belongs to.',
  'finding slot': 'The number of the reviewer that reported the finding. Only this reviewer can close the finding.',
  'finding file':
    'The path of the file with the problem, relative to the repository root; null if the reviewer named no file.',
  'finding line': 'The line number of the problem at the time of the report; null if the reviewer named no line.',
  'finding code': 'The code that the reviewer quoted; null if the reviewer quoted no code.',
  'finding issue': 'The problem, in the words of the reviewer.',
  'finding fix': 'The fix that the reviewer suggests; null if it suggests none.',
  'finding priority': 'How severe the finding is.',
  'finding state': 'The state of the finding. [gates.md](../gates.md#findings) explains each value.',
  'explain-run.gate gate': 'The current state of the gate.',
  'explain-run.gate files': 'The files that the gate reviews.',
  'explain-run.gate prompt':
    'The path of the prompt file, or the file and line of the rule; null if the gate has neither.',
  'explain-run.gate would_do': 'What the next run would do with the gate, as text.',
  'explain-run.gate history[].status':
    'The result of the reviewer in this run, with the same values as the field `status` of [slot](#slot).',
  'explain-run.gate history[].findings': 'The ids of the findings that the reviewer reported in this run.',
  'explain-run.check gate': 'The current state of the check.',
  'explain-run.check command': 'The command that the check runs.',
  'explain-run.check would_run': 'Whether the next run would run the check.',
  'explain-run.check history[].status': 'The result of the check in this run.',
  'explain-run.check history[].exit_code': 'The exit code of the command; null if a signal or a timeout ended it.',
  'explain-run.slot slot': 'The current state of the reviewer.',
  'explain-run.slot would_do': 'What the next run would do with the reviewer, as text.',
  'explain-run.slot history[].status':
    'The result of the reviewer in this run, with the same values as the field `status` of [slot](#slot).',
  'explain-run.slot history[].findings': 'The ids of the findings that the reviewer reported in this run.',
  'explain-run.idle_gate base':
    'The base branch or base commit with which onceover compares the change; null if there is none.',
  'explain-run.finding finding': 'The finding that this document explains.',
  'explain-run.finding would_change_it': 'The events that would close the finding, as text.',
  'explain review_id': 'The review id that you gave to the command.',
  'explain state':
    'The state of the review. With `changed`, the files of the review have changed since onceover made the id. With `not-asked-for`, the change does not need a review with this id.',
  'explain why': 'The reason for this state of the review, as text.',
  'explain current_review_id': 'The id of the same review for the current files; null if there is no such review.',
  'explain rules': 'The rules that require the review.',
  'explain files': 'The files that the review covers.',
  'explain passed': 'Whether the review is marked as passed.',
  'explain passed_at': 'The time at which the review was marked as passed; null if this time is not known.',
  'explain passed_by':
    'The interface over which the review was marked as passed: `mcp`, `cli`, `library` or `run`; null if this is not known.',
  'instructions tasks[].review_id':
    'The id of the review. To mark the review as passed, give this id to `onceover pass` or `mark_review_as_passed`.',
  'instructions tasks[].rule': 'The name of the rule.',
  'instructions tasks[].files': 'The files to review, relative to the repository root.',
  'instructions tasks[].also[].rule': 'The name of the other rule.',
  'instructions skipped[].review_id': 'The id of the review.',
  'instructions skipped[].rule': 'The name of the rule.',
  'instructions skipped[].files': 'The files that the review covers.',
  'rules rules': 'The rules that apply to the named files; all rules if no file was named.',
  'pass review_id': 'The id of the review that is now marked as passed.',
  'pass marked': 'Always true. If onceover rejects the id, the command fails and does not return this document.',
  'phase loop_id':
    'The id of this review loop. If `start_phase` returned the id, you can pass the id to `continue_phase`.',
  'phase loops': 'One item for each reviewer, with all its reviews in this phase.',
  'phase loops[].iterations[].issues': 'The issues that the reviewer reported.',
  'phase loops[].rested[].passed_at': 'The number of the review in which the reviewer passed.',
  'phase fixes': 'One item for each fix.',
  'phase fixes[].by': 'Who made the fix: an agent (`fixer`), or the program or person that uses --step (`caller`).',
  'phase fixes[].agent': 'The agent that made the fix; null if the caller made it.',
  'phase fixes[].dispatch':
    'Whether the call started a new session (`fresh`) or resumed an earlier session (`resumed`); null if the caller made the fix.',
  'phase fixes[].why': 'The reason why the session was new or resumed; null if the caller made the fix.',
  'phase preparations': 'The steps that --simplify and --deepen-tests ran before the reviews of code.',
  'phase preparations[].role': 'The role of the agent in this step.',
  'phase preparations[].part':
    "The part of the test-deepener's work. In part A, the test-deepener lists the tests that should exist; in part B, it writes them. The field is null for the code-simplifier.",
  'phase usage':
    'The tokens of all calls to agents. With --step, the tokens of earlier commands of the same loop are included.',
  'phase-plan fixing': 'Who will fix the issues that reviewers report.',
  'phase-plan fixing.by':
    'Who will make the fixes: an agent (`fixer`), the program or person that uses --step (`caller`), or no one (`nobody`).',
  'phase-plan fixing.agent': 'The agent that will make the fixes; null if no agent makes fixes.',
  'phase-plan max_iterations': 'The maximum number of reviews in each loop.',
  'phase-plan goes_on.waiting': 'The issues that someone has to fix first; null if the loop does not wait for a fix.',
  'phase-plan dispatches': 'The calls that the next round would make.',
  'phase-plan dispatches[].agent': 'The agent that onceover would call.',
  'phase-plan dispatches[].model': 'The model; null if the agent would use its default model.',
  'phase-plan dispatches[].dispatch': 'Whether the call would start a new session (fresh) or resume one.',
  'phase-plan dispatches[].prompt_chars': 'The number of characters in the prompt that onceover would send.',
  'workflows jobs': 'The jobs that files in .deepwork/jobs define.',
  'workflows jobs[].version': 'The version of the job, from job.yml.',
  'workflows jobs[].summary': 'The summary of the job, from job.yml.',
  'workflows jobs[].workflows': 'The workflows of the job.',
  'workflows jobs[].workflows[].summary': 'The summary of the workflow, from job.yml.',
  'workflows sessions[].open_steps': 'The steps that can be done now.',
  'workflow-finish status': 'The result of the step.',
  'workflow-finish failed_reviews': 'The reviews that did not pass.',
  'workflow-finish errors[].message': 'The reason why there is no verdict.',
  'workflow-finish begin_step': 'The next step; null if there is no next step yet.',
  'workflow-finish summary': 'A summary of the workflow; null until the workflow is complete.',
  'workflow-status sessions': 'All open sessions; if you named a session, only this session.',
  'workflow-status sessions[].status': 'The state of the session.',
  'workflow-status sessions[].ended_at': 'The time at which the session ended; null if the session is open.',
  'workflow-status sessions[].steps': 'All steps of the workflow.',
  'workflow-status sessions[].steps[].status':
    'The state of the step. With `waiting`, an earlier step is not finished.',
  'workflow-status sessions[].steps[].begun_at':
    'The time at which the step started; null if the step has not started.',
  'workflow-status sessions[].steps[].finished_at':
    'The time at which the step was finished; null if the step is not finished.',
  'workflow-status sessions[].steps[].attempts':
    'How many times reviewers have given a verdict on the outputs of this step.',
  'workflow-status sessions[].steps[].outputs': 'The outputs of the step; null until the step is finished.',
  'workflow-status sessions[].steps[].notes': 'The notes for the reviewers; null if there are none.',
  'workflow-status sessions[].steps[].override_reason':
    'The reason that the caller gave for finishing the step without a pass; null if there is none.',
  'workflow-status sessions[].steps[].failed_reviews': 'The reviews that did not pass in the last attempt.',
  'workflow-status sessions[].steps[].review_instructions_file':
    'The file with the instructions for the sub-agent that reviews; null if an agent reviews.',
  'workflow-status sessions[].all_outputs': 'The outputs of each finished step.',
  'workflow-status sessions[].open_steps': 'The steps that can be done now.',
  'workflow-abort status': 'The state of the session.',
  'workflow-abort ended_at': 'The time at which the session ended.',
  'workflow-abort steps': 'All steps of the workflow.',
  'workflow-abort steps[].status': 'The state of the step. With `waiting`, an earlier step is not finished.',
  'workflow-abort steps[].begun_at': 'The time at which the step started; null if the step has not started.',
  'workflow-abort steps[].finished_at': 'The time at which the step was finished; null if the step is not finished.',
  'workflow-abort steps[].attempts': 'How many times reviewers have given a verdict on the outputs of this step.',
  'workflow-abort steps[].outputs': 'The outputs of the step; null until the step is finished.',
  'workflow-abort steps[].notes': 'The notes for the reviewers; null if there are none.',
  'workflow-abort steps[].override_reason':
    'The reason that the caller gave for finishing the step without a pass; null if there is none.',
  'workflow-abort steps[].failed_reviews': 'The reviews that did not pass in the last attempt.',
  'workflow-abort steps[].review_instructions_file':
    'The file with the instructions for the sub-agent that reviews; null if an agent reviews.',
  'workflow-abort all_outputs': 'The outputs of each finished step.',
  'cost not_paid': 'An estimate of the savings, by kind of saving.',
  'cost looked_again': 'The numbers of second and later reviews, by kind of session.',
  'cost looked_again.resumed': 'The number of second and later reviews that resumed a session.',
  'cost looked_again.fresh_as_delta_too_large':
    'The number of second and later reviews that got a new session because too much had changed.',
  'cost looked_again.fresh_as_session_lost':
    'The number of second and later reviews that got a new session because the old session no longer existed.',
  'cost looked_again.fresh_as_resume_dearer':
    'The number of second and later reviews that got a new session because a new session was cheaper: the cache of the old session had expired.',
  'cost gates': 'The cost of each gate.',
  'cost loops.rates': 'How often resuming a session did not work as intended, for all features together.',
  'cost workflows[].step': 'The id of the step whose outputs were reviewed.',
  'cost agents': 'The cost of each agent and model.',
  'cost days': 'The cost of each day.',
  'cost checks': 'One item for each check, with the time that it took.',
  'cost last_runs[].scope':
    'The part of the change that the run covers: "full" for the whole change, otherwise a line that describes the selected part.',
  'cost last_runs[].status': 'The result of the run.',
  'cost-feature rates_of_all_features':
    'How often resuming a session did not work as intended, for all features together.',
  'cost-feature phases[].dispatches': 'One item for each review or fix.',
  'cost-feature phases[].dispatches[].fell_back':
    'Whether the session is new because onceover failed to resume the old session.',
  'cost-feature phases[].dispatches[].guarded':
    'Whether the session is new because too much had changed for the old session.',
  'cost-feature phases[].dispatches[].reads_unconfirmed':
    'Whether the reviewer did not confirm that it read the required files.',
  'cost-feature phases[].dispatches[].status': 'The result of the call. A fix has the status `done`.',
  'cost-feature phases[].dispatches[].cost_usd': 'The cost of the call in US dollars; null if no price is known.',
  'init files': 'The files that init wrote or extended, and the existing files that init did not change.',
  'init files[].path': 'The path of the file, relative to the repository root.',
  'init files[].did': 'What init did with the file. With `left`, the file existed before, and init did not change it.',
  'init carried_over.tool': 'The tool from which init imported the gates.',
  'init-remove taken':
    'The files and entries that onceover removed. Without --yes, the list contains what --yes would remove.',
  'init-remove taken[].kind':
    'The kind of item. The values `server` and `hook` mean entries that onceover wrote to the settings file of an agent, for its MCP server and its stop hook.',
  'init-remove left': 'The files that onceover does not remove, with the reason.',
  'init-remove left[].path': 'The path of the file, relative to the repository root.',
  'doctor agents': 'The agents that onceover knows, and the agents that onceover.yml defines.',
  'doctor agents[].name': 'The name of the agent in onceover.yml.',
  'doctor agents[].found': 'Whether the agent is installed.',
  'doctor agents[].path': 'The path of the program of the agent; null if the agent is not installed.',
  'doctor agents[].version': 'The installed version of the agent; null if it is not known.',
  'doctor agents[].tested_version':
    'The version of the agent with which onceover was tested; null for a command of your own.',
  'doctor agents[].resume': 'Whether onceover can resume sessions of this agent.',
  'doctor agents[].resume.known_from':
    'How onceover knows whether it can resume sessions. With `tested`, onceover was tested with this version. With `probed`, onceover tested the agent on this machine. With `config`, the answer follows from the settings of the agent in onceover.yml. The field is null if this is not known.',
  'doctor agents[].fork.known_from':
    'How onceover knows whether it can copy sessions. With `tested`, onceover was tested with this version. With `probed`, onceover tested the agent on this machine. With `config`, the answer follows from the settings of the agent in onceover.yml. The field is null if this is not known.',
  'doctor agents[].fork.why': 'The reason why onceover cannot copy sessions of this agent; null if it can.',
  'doctor agents[].resume.why': 'The reason why onceover cannot resume sessions of this agent; null if it can.',
  'doctor agents[].login': 'Whether the agent is logged in. onceover makes no call to a model to find this out.',
  'doctor agents[].login.state':
    'Whether the agent is logged in. The value is `unknown` if neither the agent, nor environment variables, nor files show this.',
  'doctor agents[].login.why':
    'What shows whether the agent is logged in, such as the name of an environment variable; null if nothing shows this.',
  'doctor agents[].service': 'Whether the model service of the agent answers a request without a login.',
  'doctor agents[].service.state':
    'Whether the model service answers. The value is `unknown` if onceover did not try, for example behind a proxy.',
  'doctor agents[].service.why':
    'The address of the model service, with the error if the service cannot be reached; null if onceover did not try.',
  'doctor agents[].schema': 'Whether the agent itself makes sure that its answer matches a JSON schema.',
  'doctor agents[].read_only_by':
    'What prevents the agent from writing files when it reviews. With `tools`, the agent gets no tool that can write files. With `own-sandbox`, its own sandbox is read-only. With `copy`, the agent works in a copy of the files.',
  'doctor agents[].usage':
    'Whether the agent reports its tokens per call (`dispatch`), per session (`session`), or only if the command prints them (`if-told`).',
  'doctor agents[].stable_part': 'Whether the provider caches the beginning of the prompt that new sessions share.',
  'doctor agents[].stop_hook':
    'Whether the agent calls a stop hook of the project. With `when-trusted`, only in folders that you trust. With `when-allowed`, only after you allow the hook.',
  'doctor agents[].install': 'The command that installs the agent; null for a command of your own.',
  'doctor git': 'The version of git; null if git is not installed.',
  'doctor node': 'The version of Node.',
  'trust trusted_commands': 'The commands that you approved.',
  'demo runs': 'The runs of the demo, in order.',
  'demo not_paid': 'An estimate of the savings, by kind of saving.',
  'clean archived_iterations': 'The number of the last run whose records were archived.',
  'clean open_findings': 'The ids of the findings that are still open.',
  'error error': 'The error that ended the command.',
  'usage cost_usd': 'The cost in US dollars that the agent reported; null if the agent reported no cost.',
  'saved pass': 'The tokens saved because onceover skipped gates that passed.',
  'saved slot': 'The tokens saved because onceover skipped reviewers that passed earlier.',
  'saved session': 'The tokens saved because onceover resumed sessions.',
  'saved reading':
    "The tokens saved because one session opened files for several reviewers, and these reviewers read the files from the provider's cache.",
  'saved prefix':
    "The tokens saved because new sessions read the beginning of their prompts, which they share, from the provider's cache.",
  'gate id': 'The id of the gate: `check:<entry>:<name>`, `review:<entry>:<name>` or `rule:<folder>:<name>[:<path>]`.',
  'gate kind': 'The kind of the gate: a check, a review, or a review that a rule requires.',
  'gate status': 'The result of the gate. With `holds`, the gate passes and did not have to run.',
  'gate why': 'The reason for the result of the gate, as a code.',
  'gate slots': 'The reviewers of the gate; empty for a check.',
  'slot agent':
    'The agent of the reviewer; for a skipped reviewer, the agent that passed earlier; null if no agent is available.',
  'slot status':
    'The result of the reviewer. With `skipped_prior_pass`, onceover skipped the reviewer, because the reviewer passed earlier.',
  'slot dispatch':
    'The kind of session. With `fresh`, the session is new. With `resumed`, an earlier session continued. With `none`, onceover did not call the agent.',
  'slot why': 'The reason for the result of the reviewer, as a code.',
  'slot pass_iteration':
    'The number of the run in which a skipped reviewer passed; null if the reviewer is not skipped.',
  'issue description': 'The problem, in the words of the reviewer.',
  'open issue description': 'The problem, in the words of the reviewer.',
  'step instructions': 'The instructions for the step, as Markdown.',
  'step inputs': 'The inputs of the step: files, and answers of the user.',
  'step outputs': 'The files that the step has to make.',
  'step outputs[].type':
    'The type of the output. With `file`, the output is one path. With `files`, the output is a list of paths.',
  'step outputs[].required': 'Whether the step cannot be finished without this output.',
  'step reviews': 'The reviews that the outputs have to pass.',
  'step reviews[].run_each':
    'What one review covers: "step" for all outputs together, or the name of an output for each of its files.',
  'step reviews[].quality_criteria': 'The quality criteria by name. Each quality criterion is a question.',
  'step reviews[].additional_review_guidance': 'Further guidance for reviewers.',
  'failed review passed': 'Always false, because only failed reviews are listed.',
  'failed review feedback': 'What the reviewer says about the outputs.',
  'failed review criteria_results': 'The result for each criterion.',
  'failed review criteria_results[].criterion': 'The name of the criterion.',
  'failed review criteria_results[].passed': 'Whether the outputs meet the criterion.',
  'failed review criteria_results[].feedback':
    'The reason why the outputs do not meet the criterion; null if the reviewer gives none.',
  'not paid looks': 'The number of reviews that were skipped or made cheaper.',
  'not paid tokens': 'An estimate of the tokens that these reviews saved.',
  'compared dispatches_without_usage': 'The number of calls whose tokens are not known.',
  'compared characters': 'The number of characters in the prompts, compared with new sessions.',
  'rates judged':
    'Whether at least three features have review loops, so that onceover compares the rates with their limits.',
  'shorter prompts not_so[].iteration': 'The number of the review in its loop, starting at 1.',
  'loops of five not_so[].characters': 'The number of characters in the prompts, compared with new sessions.',
  'run not_asked': 'The ids of gates that apply to a changed file but were not selected for this run.',
  'run withheld_files': 'Untracked files and nested repositories that onceover does not show to reviewers.',
  'run saved': 'An estimate of the tokens that this run saved, by kind of saving.',
  'phase saved': 'An estimate of the tokens that this phase saved, by kind of saving.',
  'run loop':
    'The rounds of the fix loop, if the run has the option --until-pass. Each round is a run and the fix after it.',
  'error loop':
    'The rounds of the fix loop before it was interrupted; only from run --until-pass. Each round is a run and the fix after it.',
  'error so_far': 'The result of the phase until its interruption; only from an interrupted phase.',
  'loop rounds[].open': 'The ids of the findings that are open after this run.',
  'loop rounds[].let_be':
    'The ids of new findings that the option --ratchet tolerates. A run without --ratchet reports such findings as open.',
  'loop rounds[].nothing_left': 'The ids of gates that failed before and no longer have anything to review.',
  'loop rounds[].dispatches': 'The number of calls to reviewers in this run, without the call to the fixer.',
  'loop rounds[].fix': 'The fix after this run; null if onceover did not call the fixer.',
  'loop rounds[].fix.summary': 'The summary that the fixer gave of its fix.',
  'loop rounds[].fix.fixed':
    'The ids of the findings that the fixer marked as fixed. A marked finding stays open until its reviewer confirms the fix.',
  'loop rounds[].fix.declined':
    'The ids of the findings that the fixer proposes to waive. Such a finding stays open until its reviewer withdraws the finding or a person confirms the waiver.',
  'loop rounds[].fix.failure': 'The reason why the fixer gave no answer; null if it gave an answer.',
  'started-run progress': 'The last lines that the run printed about its progress.',
  'started-run run': 'The result of the run; null until the run has ended.',
  'started-run next': 'The next step for the agent.',
  'started-phase next': 'The next step for the agent.',
  'started-phase loop_id': 'The id of the review loop. You can pass this id to `continue_phase`.',
  'started-phase phase': 'The result of the round; null while the round runs.',
  'started-phase state':
    'The state of the review loop. With `waiting`, you fix the open issues and then call `continue_phase` with a summary. With `died`, the process of the round ended without a result.',
  'finding mark':
    'What is wrong with the place that the reviewer named, such as a line that does not exist; null if the place is valid.',
  'finding why': 'The reason that someone gave with `onceover resolve`; null if no one gave a reason.',
  'finding answer':
    'What someone answered with `onceover resolve`; null if no one answered. With `proposed`, an agent proposes to waive the finding, and a person has to confirm the waiver. With `refuted`, someone marked the finding as fixed, and the reviewer did not confirm the fix.',
  'finding by': 'The person or agent that answered with `onceover resolve`; null if no one answered.',
  'finding by.kind': 'Whether a person or an agent answered with `onceover resolve`.',
  'finding by.name':
    'The login name of the person, or the name of the agent. The name is "unknown" if onceover cannot find it out.',
  'finding anchor.text':
    'The code that the reviewer quoted, or the text of the line that it named. Each line is without white space at its start and end.',
  'finding anchor.occurrence':
    'Which occurrence of the text in the file is meant. The first occurrence has the number 1.',
  'finding closed.why': 'The reason that the reviewer gave for closing the finding; empty if the reviewer gave none.',
  'finding closed.iteration': 'The number of the run that closed the finding.',
  'finding proposed_by':
    'The agent that proposed to waive the finding, if a person has confirmed the waiver; otherwise null.',
  'finding proposed_by.kind': 'Whether a person or an agent proposed the waiver.',
  'finding proposed_by.name':
    'The name of the agent that proposed the waiver. The name is "unknown" if onceover cannot find it out.',
  'explain-run.gate history[].iteration': 'The number of the run.',
  'explain-run.slot history[].iteration': 'The number of the run.',
  'explain-run.check history[].iteration': 'The number of the run.',
  'explain-run.gate history[].why':
    'A code for the reason why the reviewer ran or was skipped, or the error of its agent; null if no reason is stored.',
  'explain-run.slot history[].why':
    'A code for the reason why the reviewer ran or was skipped, or the error of its agent; null if no reason is stored.',
  'explain-run.check history[].why':
    'The reason for the result of the check, as a code or a text; null if no reason is stored.',
  'explain-run.finding would_be_asked': 'Whether the next run would call the reviewer of the finding.',
  'explain-run.gate runs_again': 'The events that would make the gate run again, as text.',
  'explain-run.check runs_again': 'The events that would make the check run again, as text.',
  'explain-run.slot runs_again': 'The events that would make the reviewer run again, as text.',
  'explain-run.idle_gate runs_again': 'The events that would make the gate run, as text.',
  'explain rules[].name': 'The name of the rule.',
  'rules rules[].name': 'The name of the rule.',
  'instructions skipped[].why': 'The reason why the review is skipped, as text.',
  'instructions tasks': 'The reviews that someone has to do.',
  'phase status':
    'The result of the phase. With `approved`, all reviewers approved. With `cap`, the loop reached its maximum number of reviews; the status stays `cap` even if you accept the open issues with --accept-with-notes.',
  'phase accepted_with_notes':
    'Whether the loop reached its maximum number of reviews and the caller accepted the open issues.',
  'phase loops[].iterations': 'Every review by this reviewer.',
  'phase loops[].iterations[].why': 'A code for the reason why the session is new or resumed.',
  'phase loops[].iterations[].n':
    'The number of the review in its loop, starting at 1. The final validation has the same number as the review before it.',
  'phase loops[].iterations[].reviewer_approved': 'The verdict of the reviewer; null if the reviewer gave no verdict.',
  'phase loops[].iterations[].engine_pass':
    'The verdict that counts. The field is true if the reviewer approved and reported no blocker and no warning.',
  'phase loops[].iterations[].summary': 'The summary that the reviewer gave; null if it gave no summary.',
  'phase loops[].iterations[].error': 'The reason why there is no verdict; null if there is a verdict.',
  'phase loops[].iterations[].prompt_chars':
    'The number of characters in the prompts that onceover sent for this review, including repeated questions.',
  'phase loops[].rested':
    'The rounds in which onceover skipped this reviewer, because the reviewer had already passed.',
  'phase fixes[].n': 'The number of the review that came before the fix, counted in its loop.',
  'phase fixes[].summary': 'The summary of the fix by the agent or caller that made the fix; null if the fixer failed.',
  'phase preparations[].summary': 'The summary that the agent of this step gave.',
  'phase forbidden_edits': 'The files that an agent changed although it was not allowed to.',
  'phase-plan files': 'The files that the phase reviews.',
  'phase-plan required': 'The documents that reviewers must read.',
  'phase-plan goes_on': 'The loop that the command would continue; null if it would start a new loop.',
  'phase-plan dispatches[].why': 'A code for the reason why the session would be new or resumed.',
  'workflows jobs[].name': 'The name of the job.',
  'workflows jobs[].workflows[].name': 'The name of the workflow.',
  'workflows jobs[].workflows[].steps':
    'The groups of steps, in order. All steps of one group can be done at the same time.',
  'workflows sessions': 'The open sessions, newest first.',
  'workflow-start begin_step': 'The first step of the workflow.',
  'workflow-start also_begin': 'More steps that can be done at the same time as `begin_step`.',
  'workflow-finish also_begin': 'More steps that can be done at the same time as `begin_step`.',
  'workflow-start next': 'A text that says what to do next.',
  'workflow-finish errors': 'The reviews that gave no verdict.',
  'workflow-finish not_judged_again':
    'The reviews that onceover skipped, because they already passed with the same files and criteria.',
  'workflow-finish reviews_done': 'The number of reviews that ran for this call.',
  'workflow-finish attempts': 'How many times reviewers have given a verdict on the outputs of this step.',
  'workflow-finish review_instructions_file':
    'The file with the instructions for the sub-agent that reviews; null if an agent reviews.',
  'workflow-finish override_reason':
    'The reason that the caller gave for finishing the step without a pass; null if there is none.',
  'workflow-finish open_steps': 'The ids of the steps that have started and are not finished.',
  'workflow-finish all_outputs': 'The outputs of each step; null until the workflow is complete.',
  'workflow-finish feedback':
    'The reason why the step is not finished, and what to do next; null if the step is finished.',
  'workflow-status sessions[].explanation':
    'The reason that someone gave for aborting the session; null if no one aborted it.',
  'workflow-abort explanation': 'The reason that someone gave for aborting the session.',
  'cost loops': 'The cost of the review loops of all features.',
  'cost agents[].model': 'The model that the agent used; null if it is not known.',
  'cost runs': 'The number of runs in the selected period.',
  'cost idle_runs': 'The number of runs in which no gate had to run.',
  'cost days[].runs': 'The number of runs on this day.',
  'cost checks[].runs': 'The number of runs in which the check ran.',
  'cost checks[].duration_ms': 'The time that the check took in all runs together, in milliseconds.',
  'cost workflows': 'One item for each step of a workflow, the most expensive first.',
  'cost last_runs': 'The last runs, at most ten, the newest first.',
  'cost last_runs[].at': 'The time at which the run ended.',
  'cost last_runs[].exit_code': 'The exit code of the run.',
  'cost-feature phases[].dispatches[].at': 'The time at which the call ended.',
  'cost loops.five_iterations_under_half':
    'Whether each loop of five rounds sent less than half of the characters that new sessions would have sent.',
  'cost-feature five_iterations_under_half':
    'Whether each loop of five rounds sent less than half of the characters that new sessions would have sent.',
  'cost loops.resumed_prompts_shorter':
    'Whether each prompt in a resumed session is shorter than the prompt that opened the session.',
  'cost-feature resumed_prompts_shorter':
    'Whether each prompt in a resumed session is shorter than the prompt that opened the session.',
  'cost-feature rates': 'How often resuming a session did not work as intended, for this feature.',
  'cost-feature phases[].run':
    'The id of this execution of the phase. Another execution of the same phase has another id.',
  'cost-feature phases[].at': 'The time at which the first call of the phase ended.',
  'cost-feature phases[].dispatches[].iteration': 'The number of the review in its loop, starting at 1.',
  'cost-feature phases[].dispatches[].why': 'A code for the reason why the session was new or resumed.',
  'cost-feature phases[].dispatches[].template':
    'The name of the template of the prompt; null for a step that ran before the reviews of code.',
  'cost-feature phases[].dispatches[].dispatches': 'The number of calls for this review or fix, including retries.',
  'cost-feature phases[].dispatches[].prompt_chars': 'The number of characters in the prompts that onceover sent.',
  'cost-feature phases[].dispatches[].fresh_chars':
    'The number of characters that the prompt of a new session would have had.',
  'cost-feature phases[].dispatches[].cost_source':
    'The source of the price. With `agent`, the agent reported the price. With `list`, onceover estimated the price from a price list. The field is null if no price is known.',
  'init carried_over.source': 'The file or folder from which init imported the gates.',
  'init carried_over.not_carried_over': 'The settings that init did not import, each with its place and the reason.',
  'init carried_over.gates_to_add':
    'The gates that you have to add to your existing onceover.yml, as YAML; null if there are none.',
  'init also_here': 'Other tools that have settings in this repository. The option --from can import these settings.',
  'init-remove removed': 'Whether onceover removed the files. Without --yes, onceover only lists the files.',
  'init-remove taken[].path': 'The path of the file or folder; null for git refs.',
  'init-remove taken[].count': 'The number of files, entries or git refs that belong to this item.',
  'init-remove left[].why':
    'The reason why onceover does not remove the file. With `yours`, you wrote or changed the file. With `named`, other settings refer to the file. With `unreadable`, the file is not valid JSON.',
  'doctor agents[].resume.can':
    'Whether onceover can resume sessions of this agent; null if this version was never tested.',
  'doctor bubblewrap':
    'The path of bubblewrap, which onceover uses for commands with the setting `sandbox: true`; null if bubblewrap is not installed.',
  'demo reviewers': 'Always `scripted`. Scripts answer instead of the reviewers, so the demo calls no model.',
  'demo tokens': 'A text that says how onceover counted the tokens.',
  'demo as_told': 'Whether every run of the demo had the expected result.',
  'demo repository': 'The folder of the demo repository; null if the demo deleted it.',
  'demo shared_beginnings':
    'New sessions of the same run whose prompts begin with the same text. The demo does not count this text as saved, because not every agent caches it.',
  'levers pass': 'The savings from skipped gates that passed.',
  'levers slot': 'The savings from skipped reviewers that passed earlier.',
  'levers session': 'The savings from resumed sessions.',
  'levers prefix': 'The savings from prompts whose shared beginning was read from the cache.',
  'levers baseline': 'What the estimates are compared with, as text.',
  'gate detail': 'The reason for the result of the gate, as text.',
  'gate output': 'The last lines that the command of a check printed.',
  'gate would_do':
    'Only with --dry-run: what a run would do with the gate, as text. The list is empty if a run would skip the gate.',
  'slot detail': 'The reason for the result of the reviewer, as text.',
  'step name': 'The name of the step.',
  'step instructions_file': 'The path of the file with the instructions, relative to the repository root.',
  'step goal': 'The goal that the user gave when the session started.',
  'step common_info': 'The text that all steps of the job get.',
  'step inputs[].name': 'The name of the input.',
  'step inputs[].paths': 'The files that the earlier step made; empty if that step left out an optional output.',
  'step outputs[].name': 'The name of the output.',
  'failed review target_file': 'The file that the reviewer judged; null if it judged all outputs together.',
  'workflow-finish errors[].target_file':
    'The file that the review is about; null if it is about all outputs together.',
  'workflow-finish not_judged_again[].target_file':
    'The file that the reviewer judged; null if it judged all outputs together.',
  'paid looks': 'The number of reviews and fixes, including those of review loops and workflows.',
  'paid told_usd': 'The cost in US dollars that agents reported.',
  'paid list_price_usd': 'An estimate in US dollars at list prices, for reviews whose agent reported no price.',
  'compared characters.ratio': '`sent` divided by `fresh`; null if there is nothing to compare.',
  'compared input_tokens.ratio': '`sent` divided by `fresh_estimate`; null if there is nothing to compare.',
  'compared weighted_input_tokens.ratio': '`sent` divided by `fresh_estimate`; null if there is nothing to compare.',
  'compared weighted_input_tokens':
    'The input tokens, weighted by price. A token that is written to a cache counts 1.25, and a token that is read from a cache counts 0.1.',
  'compared dispatches':
    'The number of calls that got an answer. Calls of steps that run before the reviews of code are not counted.',
  'rates features':
    'The number of features with review loops. If there are fewer than three such features, onceover does not compare the rates with their limits.',
  'rates resume_fallback': 'How often an attempt to resume a session failed.',
  'rates resume_fallback.count': 'The number of attempts to resume a session that failed.',
  'rates resume_fallback.of': 'The number of all attempts to resume a session.',
  'rates delta_guard': 'How often a later review of a document got a new session because too much had changed.',
  'rates delta_guard.count':
    'The number of later reviews of a document that got a new session because too much had changed.',
  'rates delta_guard.of': 'The number of all later reviews of a document.',
  'rates delta_guard_by_role':
    'How often a later call of each role got a new session because too much had changed. The figures include reviews of code and fixes. The figures do not include final validations, because no limit applies to final validations.',
  'rates delta_guard_by_role[].count':
    'The number of later calls of the role that got a new session because too much had changed.',
  'rates delta_guard_by_role[].of': 'The number of all later calls of the role.',
  'rates delta_guard_by_role[].rate': '`count` divided by `of`; null if `of` is 0.',
  'rates lazy_load_warning': 'How often an agent did not confirm in a new session that it read the required files.',
  'rates lazy_load_warning.count':
    'The number of new sessions in which the agent did not confirm that it read the required files.',
  'rates lazy_load_warning.of':
    'The number of all new sessions in which the agent had to confirm that it read the required files.',
  'shorter prompts state':
    'With `holds`, each prompt in a resumed session is shorter than the prompt that opened the session. With `nothing_to_judge`, no session was resumed.',
  'shorter prompts of': 'The number of prompts in resumed sessions.',
  'shorter prompts not_so':
    'The prompts in resumed sessions that are not shorter than the prompt that opened the session.',
  'loops of five state':
    'With `holds`, each loop of five rounds sent less than half of the characters that new sessions would have sent. With `nothing_to_judge`, no loop had five rounds.',
  'loops of five of': 'The number of loops that had five rounds.',
  'loops of five not_so':
    'The loops of five rounds that sent at least half of the characters that new sessions would have sent.',
  'loops of five not_so[].characters.ratio': '`sent` divided by `fresh`.',
  'rates resume_fallback.rate': '`count` divided by `of`; null if `of` is 0.',
  'rates resume_fallback.exceeded':
    'Whether the rate is above the limit; null if fewer than three features have review loops.',
  'rates resume_fallback.action':
    'What to do because the rate is above the limit; null if the rate is not above the limit.',
  'rates delta_guard.rate': '`count` divided by `of`; null if `of` is 0.',
  'rates delta_guard.exceeded':
    'Whether the rate is above the limit; null if fewer than three features have review loops.',
  'rates delta_guard.action':
    'What to do because the rate is above the limit; null if the rate is not above the limit.',
  'rates lazy_load_warning.rate': '`count` divided by `of`; null if `of` is 0.',
  'rates lazy_load_warning.exceeded':
    'Whether the rate is above the limit; null if fewer than three features have review loops.',
  'rates lazy_load_warning.action':
    'What to do because the rate is above the limit; null if the rate is not above the limit.',
  'levers reading': 'The savings from files that one session opened for several reviewers.',
  'explain-run.check history[].duration_ms': 'The duration of the check in this run, in milliseconds.',
  'cost last_runs[].duration_ms': 'The duration of the run, in milliseconds.',
  'cost-feature phases[].dispatches[].duration_ms': 'The duration of this review or fix, in milliseconds.',
  'demo duration_ms': 'The duration of the demo, in milliseconds.',
  'pass-statement predicate.duration_ms': 'The duration of the review, in milliseconds.',
  'paid duration_ms': 'The duration of all these reviews and fixes together, in milliseconds.',
  'rules rules[].description': 'The purpose of the rule, in one or two sentences.',
  'step description': 'A description of the step, in one or two sentences.',
  'step inputs[].description': 'A description of the input, in one or two sentences.',
  'step outputs[].description': 'A description of the output, in one or two sentences.',
  'compared characters.sent': 'The number of characters in the prompts that onceover sent.',
  'compared input_tokens.sent': 'The number of input tokens that the calls of onceover used.',
  'compared weighted_input_tokens.sent':
    'The number of input tokens that the calls of onceover used, weighted by price.',
  'loops of five not_so[].characters.sent': 'The number of characters in the prompts that onceover sent.',
  'cost checks[].gate': 'The id of the check, such as check:src:lint.',
};
