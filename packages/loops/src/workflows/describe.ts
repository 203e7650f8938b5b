import { oneLine, quoteName, showInvisible } from '@onceover/base/kernel/escape';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { describeProblem } from '@onceover/base/ui/describe-problem';
import {
  describeReviewName,
  describeReviewTrouble,
  describeSession,
} from '@onceover/base/ui/describe-workflow-failure';
import { cells, padCells } from '@onceover/base/ui/layout';
import { type Styled, UNSTYLED } from '@onceover/base/ui/style';
import { asShellWord, count, someNames } from '@onceover/base/ui/wording';
import type { BegunStep } from './json-schema.ts';
import { type ReviewName, type ReviewResult, type StepOutputs, WHOLE_STEP } from './quality/types.ts';
import type {
  Job,
  OfferedWorkflows,
  SessionStatus,
  StepEnd,
  StepState,
  WorkflowSession,
  WorkflowStart,
} from './types.ts';

/** The reader of a text: an agent that calls MCP tools (`tools`), or a person who runs commands (`commands`). */
export type Calls = 'tools' | 'commands';

const CALLS = {
  tools: {
    start: 'start_workflow with job_name, workflow_name and goal',
    finish: 'finished_step',
    override: 'quality_review_override_reason',
  },
  commands: {
    start: 'onceover workflow start JOB [WORKFLOW] --goal "what for"',
    finish: '"onceover workflow finish"',
    override: '--override "why"',
  },
} as const;

/** Describes the jobs, their workflows, and the active sessions. */
export function describeWorkflows(
  { jobs, sessions, problems }: OfferedWorkflows,
  calls: Calls,
  style = UNSTYLED,
): string {
  const active = sessions.filter(({ session }) => session.end === null);
  if (jobs.length === 0 && active.length === 0) {
    return problems.length > 0
      ? 'No job can be started. Fix the problems in the warnings and try again.'
      : 'There are no jobs. A job is a folder in .deepwork/jobs with a job.yml; see docs/workflows.md.';
  }
  return [
    ...jobs.map((job) => describeJob(job, style)),
    `To start one: ${CALLS[calls].start}`,
    ...active.map((status) => describeSessionState(status, style)),
  ].join('\n\n');
}

/** Describes a job: the steps of each workflow in order, with parallel steps in parentheses. */
function describeJob({ name, summary, workflows }: Job, { paint }: Styled): string {
  const lines = workflows.map((workflow) => {
    const order = workflow.steps.map((group) => (group.length === 1 ? group.join('') : `(${group.join(' | ')})`));
    return [workflow.name, `${oneLine(workflow.summary)} ${order.join(' → ')}`];
  });
  return `${paint('strong', name)}  ${oneLine(summary)}\n${columns(lines)}`;
}

/** Returns the problems of all jobs and the unreadable sessions, one sentence each, without a full stop. */
export function workflowWarnings({ problems, unreadable }: OfferedWorkflows): readonly string[] {
  return [
    ...problems.map(describeProblem),
    ...unreadable.map(
      ({ path }) => `${path} is damaged and cannot be read; the next call that may refer to this session renames it`,
    ),
  ];
}

/** Describes the state of a session and of each of its steps. */
export function describeSessionState(
  { session, isCurrent = true, open = [] }: Pick<SessionStatus, 'session'> & Partial<SessionStatus>,
  { paint } = UNSTYLED,
): string {
  const steps = session.steps.map((step) => [step.id, describeStepState(step, open, paint)]);
  const self = 'a sub-agent of the agent that does the steps (self-review)';
  return [
    `${paint('strong', `Session ${describeSession(session)}`)} ${describeEnd(session)}`,
    `Goal: ${oneLine(session.goal)}`,
    `Reviewer: ${session.reviewer.kind === 'self' ? self : quoteName(session.reviewer.name)}.`,
    ...(isCurrent || session.end !== null
      ? []
      : ['The steps of its workflow have changed, so this session cannot continue.']),
    '',
    columns(steps),
  ].join('\n');
}

function describeEnd({ end, startedAt }: WorkflowSession): string {
  if (end === null) return `has been active since ${startedAt}`;
  return end.kind === 'completed'
    ? `was completed at ${end.at}`
    : `was aborted at ${end.at}: ${oneLine(end.explanation)}`;
}

function describeStepState(step: StepState, open: readonly BegunStep[], paint: Styled['paint']): string {
  const { begunAt, finished, attempts, failed, instructed } = step;
  if (finished !== null) {
    const reason = finished.override === null ? '' : ` (override: ${oneLine(finished.override)})`;
    return `${paint('good', 'finished')}  ${describeOutputs(finished.outputs)}${reason}`;
  }
  if (begunAt === null) return paint('quiet', 'waiting');
  if (failed.length > 0) {
    return `${paint('bad', 'open')}      attempt ${attempts} did not pass: ${failed.map(describeReviewName).join(', ')}`;
  }
  const file = open.find(({ step_id }) => step_id === step.id)?.instructions_file ?? null;
  const instructions = file === null ? '' : `      instructions: ${file}`;
  return `${paint('rests', 'open')}${instructed === null ? instructions : `      to be reviewed: ${instructed.file}`}`;
}

function describeOutputs(outputs: StepOutputs): string {
  const names = Object.entries(outputs).map(
    ([name, value]) => `${oneLine(name)}: ${typeof value === 'string' ? quoteName(value) : someNames(value) || 'none'}`,
  );
  return names.length === 0 ? 'no outputs' : names.join('; ');
}

/** The warning for a new session whose outputs the agent itself has to review. */
export const REVIEWER_MISSING = 'Claude Code is not installed and no other reviewer was named.';

/** Describes a new session of a workflow: its state and its first steps. */
export function describeWorkflowStart(
  { session, begun, reviewerMissing }: WorkflowStart,
  calls: Calls,
  style = UNSTYLED,
): string {
  const state = describeSessionState({ session, open: begun }, style);
  const steps = describeBegunSteps(begun, calls, style);
  return [...(reviewerMissing ? [REVIEWER_MISSING] : []), state, steps].join('\n\n');
}

/** Describes each step to do: instructions, inputs, outputs, reviews, and the command or tool call that finishes it. */
export function describeBegunSteps(steps: readonly BegunStep[], calls: Calls, style = UNSTYLED): string {
  const ids = steps.map(({ step_id }) => step_id).join(', ');
  return [
    ...(steps.length > 1 ? [`You can do these steps in parallel, for example with sub-agents: ${ids}.`] : []),
    ...steps.map((step) => describeBegunStep(step, style)),
    describeHowToFinish(steps, calls),
  ].join('\n\n');
}

function describeBegunStep(step: BegunStep, { paint }: Styled): string {
  const section = (title: string, text: string, gap = '\n') =>
    text === '' ? [] : [`${paint('strong', title)}${gap}${text}`];
  const inputs = step.inputs.map(({ name, description, from_step, paths }) => {
    const source = from_step === null ? 'ask the user' : someNames(paths) || 'not provided';
    return [
      oneLine(name),
      description === null ? `${source} (from ${from_step})` : `${source}: ${oneLine(description)}`,
    ];
  });
  const outputs = step.outputs.map(({ name, type, description, required }) => {
    const kind = `${type === 'file' ? 'a file' : 'files'}${required ? '' : ', optional'}`;
    return [oneLine(name), `${kind}: ${oneLine(description)}`];
  });
  return [
    ...section(`Step ${step.step_id}: ${oneLine(step.name)}`, oneLine(step.description)),
    `Goal: ${oneLine(step.goal)}`,
    ...section('For all steps', lines(step.common_info), '\n\n'),
    ...section(`Instructions (${step.instructions_file})`, lines(step.instructions), '\n\n'),
    ...section('Inputs', columns(inputs)),
    ...section('Outputs', columns(outputs)),
    ...section('Reviews that must pass', step.reviews.map((review) => describeCriteria(review, step)).join('\n')),
  ].join('\n\n');
}

function describeCriteria(review: BegunStep['reviews'][number], { outputs }: BegunStep): string {
  const { run_each, quality_criteria, additional_review_guidance: guidance } = review;
  const isFile = outputs.some(({ name, type }) => name === run_each && type === 'file');
  const scope = isFile ? oneLine(run_each) : `each file of ${oneLine(run_each)}`;
  return [
    `  ${run_each === WHOLE_STEP ? 'all outputs together' : scope}`,
    ...Object.entries(quality_criteria).map(([name, question]) => `    ${oneLine(name)}: ${oneLine(question)}`),
    ...(guidance === null ? [] : [`    (${oneLine(guidance)})`]),
  ].join('\n');
}

/** Describes for each step, on one line, the command or tool call that finishes it. */
export function describeHowToFinish(steps: readonly BegunStep[], calls: Calls): string {
  return steps.map((step) => `When ${step.step_id} is done: ${describeFinishCall(step, calls)}`).join('\n');
}

function describeFinishCall({ session_id, step_id, outputs }: BegunStep, calls: Calls): string {
  const outputArgs = outputs.map(({ name, type, required }) => {
    const value = type === 'file' ? '"path"' : '["path", …]';
    const option = `--output ${asShellWord(`${name}=PATH`)}${type === 'files' ? ' …' : ''}`;
    const argument = calls === 'tools' ? `${JSON.stringify(name)}: ${value}` : option;
    return required ? argument : `[${argument}]`;
  });
  return calls === 'tools'
    ? `finished_step with session_id "${session_id}", step_id "${step_id}" and outputs {${outputArgs.join(', ')}}`
    : ['onceover workflow finish', `--session ${session_id}`, `--step ${step_id}`, ...outputArgs].join(' ');
}

/** Describes the result of an attempt to finish a step, and the next steps. */
export function describeStepEnd(end: StepEnd, calls: Calls, style = UNSTYLED): string {
  const { kind, session, step, begun, judged, skipped } = end;
  if (kind !== 'finished') {
    const [title = '', ...paragraphs] = describeFeedback(end, calls).split('\n\n');
    return [style.paint('bad', title), ...paragraphs].join('\n\n');
  }
  const title = style.paint('good', `Finished: ${step.id}.`);
  const passNote = judged > 0 ? ` ${count(judged, 'review')} passed.` : '';
  const reason = step.finished?.override ?? null;
  const how = reason === null ? passNote : ` The reason is stored: ${oneLine(reason)}`;
  const next = begun.length > 0 ? describeBegunSteps(begun, calls, style) : describeSessionState({ session }, style);
  return [[`${title}${how}`, ...describeSkipped(skipped)].join('\n'), next].join('\n\n');
}

/** Describes why a step could not be finished, and what to do next. */
export function describeFeedback({ kind, session, step, ...end }: StepEnd, calls: Calls): string {
  const { finish, override } = CALLS[calls];
  if (kind === 'instructed') {
    return `Not finished: the outputs of ${step.id} must be reviewed first. Spawn a sub-agent for the review, so that the reviewer is not the author:

1. Have the sub-agent read the review file ${quoteName(step.instructed?.file ?? '')} and the outputs that the file names.
2. Have it evaluate every criterion in the file and report PASS or FAIL for each, with feedback.
3. Fix every issue that it reports.
4. Repeat this with a new sub-agent until all criteria pass.
5. Then call ${finish} again for session ${session.id}, with the same outputs and ${override}: say what was reviewed, and the result.`;
  }
  const errors = end.errors.map((trouble) => `  ${describeReviewTrouble(trouble)}`);
  return [
    `Not finished: ${step.failed.length} of ${count(end.judged, 'review')} of ${step.id} did not pass (attempt ${step.attempts}).`,
    ...step.failed.map(describeFailedReview),
    ...(errors.length === 0 ? [] : [['These reviews have no verdict and run again:', ...errors].join('\n')]),
    ...describeSkipped(end.skipped),
    `Fix what did not pass and call ${finish} again with all outputs. Reviews that passed are skipped if their files are unchanged. If the reviewer is wrong, or the output must stay as it is, call it with ${override}: the reason is stored with the step.`,
  ].join('\n\n');
}

function describeFailedReview(review: ReviewResult): string {
  const failedCriteria = review.criteria_results.filter(({ passed }) => !passed);
  return [
    describeReviewName(review),
    lines(review.feedback, '  '),
    ...failedCriteria.flatMap(({ criterion, feedback }) => [
      `  FAIL ${oneLine(criterion)}`,
      ...(feedback === null ? [] : [lines(feedback, '    ')]),
    ]),
  ].join('\n');
}

function describeSkipped(reviews: readonly ReviewName[]): readonly string[] {
  if (reviews.length === 0) return [];
  return [`Skipped, already passed with the same files and criteria: ${reviews.map(describeReviewName).join(', ')}.`];
}

/**
 * Returns warnings about an attempt to finish a step, as sentences without a full stop. They do not change the result.
 */
export function stepEndWarnings({ notInLedger }: StepEnd): readonly string[] {
  if (notInLedger === null) return [];
  return [`the cost of reviewing this step is not in the ledger: ${describeFailure(notInLedger).what}`];
}

function columns(rows: readonly (readonly string[])[]): string {
  const width = Math.min(20, Math.max(...rows.map(([name = '']) => cells(name))));
  return rows.map(([name = '', text]) => `  ${padCells(name, width)}  ${text}`).join('\n');
}

/** Returns a text with each line indented and with control characters made visible. */
function lines(text: string, indent = ''): string {
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => `${indent}${showInvisible(line.replaceAll('\t', '  '))}`)
    .join('\n');
}
