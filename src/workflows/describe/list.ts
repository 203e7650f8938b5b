import { oneLine } from '../../kernel/escape.ts';
import { describeProblem } from '../../ui/describe-problem.ts';
import { describeReview, describeSession } from '../../ui/describe-workflow-failure.ts';
import { cells, padCells } from '../../ui/layout.ts';
import { type Styled, UNSTYLED } from '../../ui/style.ts';
import type { Job, OfferedWorkflows, SessionStatus, StepState, Workflow, WorkflowSession } from '../types.ts';
import { describeOutputs, describeReviewer } from './end.ts';
import { type Calls, describeBegunSteps } from './steps.ts';

const START = {
  tools: 'start_workflow with job_name, workflow_name and goal',
  commands: 'onceover workflow start JOB [WORKFLOW] --goal "what for"',
} as const;

const OUTDATED = 'The steps of its workflow have changed, so this session cannot continue.';

/** Returns the jobs with their workflows, and the active sessions. */
export function describeWorkflows(
  { jobs, sessions, problems }: OfferedWorkflows,
  calls: Calls,
  shown = UNSTYLED,
): string {
  const active = sessions.filter(({ session }) => session.end === null);
  if (jobs.length === 0 && active.length === 0) {
    return problems.length > 0
      ? 'No job can be started. Fix the problems in the warnings and try again.'
      : 'There are no jobs. A job is a folder in .deepwork/jobs with a job.yml; see docs/workflows.md.';
  }
  return [
    ...jobs.map((job) => describeJob(job, shown)),
    `To start one: ${START[calls]}`,
    ...(active.length === 0
      ? []
      : [[shown.paint('strong', 'Active sessions'), ...active.map(describeActive)].join('\n')]),
  ].join('\n\n');
}

function describeJob({ name, summary, workflows }: Job, shown: Styled): string {
  const title = `${shown.paint('strong', name)}  ${oneLine(summary)}`;
  const [first, ...others] = workflows;
  if (first !== undefined && others.length === 0 && first.name === name) return `${title}\n  ${describeOrder(first)}`;
  const width = Math.max(...workflows.map((one) => cells(one.name)));
  const lines = workflows.flatMap((one) => [
    `  ${padCells(one.name, width)}  ${oneLine(one.summary)}`,
    `  ${' '.repeat(width)}  ${describeOrder(one)}`,
  ]);
  return [title, ...lines].join('\n');
}

/** Returns the steps in order, with parallel steps in parentheses. */
function describeOrder({ groups }: Workflow): string {
  return groups.map((group) => (group.length === 1 ? group.join('') : `(${group.join(' | ')})`)).join(' → ');
}

function describeActive({ session, open, isCurrent }: SessionStatus): string {
  const steps = open.map(({ step }) => `${step.id}: ${oneLine(step.name)} (instructions: ${step.instructionsFile})`);
  const head = `${describeSession(session)}: ${oneLine(session.goal)}`;
  return `  ${[head, ...(isCurrent ? steps : [OUTDATED])].join('\n    ')}`;
}

/** Returns the state of each step of the sessions, and the steps to do now. */
export function describeSessionStatus(sessions: readonly SessionStatus[], calls: Calls, shown = UNSTYLED): string {
  return sessions
    .flatMap((one) => [
      describeSteps(one, shown),
      ...(one.open.length === 0 ? [] : [describeBegunSteps(one.open, calls, shown)]),
    ])
    .join('\n\n');
}

function describeSteps({ session, isCurrent }: Omit<SessionStatus, 'open'>, shown: Styled): string {
  const width = Math.max(...session.steps.map(({ id }) => cells(id)));
  return [
    `${shown.paint('strong', `Session ${describeSession(session)}`)} ${describeEnd(session)}`,
    `Goal: ${oneLine(session.goal)}`,
    describeReviewer(session),
    ...(isCurrent || session.end !== null ? [] : [OUTDATED]),
    '',
    ...session.steps.map((step) => `  ${padCells(step.id, width)}  ${describeStep(step, shown)}`),
  ].join('\n');
}

function describeEnd({ end, startedAt }: WorkflowSession): string {
  if (end === null) return `has been active since ${startedAt}`;
  return end.kind === 'completed'
    ? `was completed at ${end.at}`
    : `was aborted at ${end.at}: ${oneLine(end.explanation)}`;
}

function describeStep({ begunAt, finished, attempts, failed, instructed }: StepState, { paint }: Styled): string {
  if (finished !== null) {
    const reason = finished.override === null ? '' : ` (${oneLine(finished.override)})`;
    return `${paint('good', 'finished')}  ${describeOutputs(finished.outputs)}${reason}`;
  }
  if (begunAt === null) return paint('quiet', 'waiting');
  if (failed.length > 0) {
    const names = failed.map((one) => describeReview(one.review_run_each, one.target_file)).join(', ');
    return `${paint('bad', 'open')}      attempt ${attempts} did not pass: ${names}`;
  }
  return `${paint('rests', 'open')}${instructed === null ? '' : `      to be reviewed: ${instructed.file}`}`;
}

/** Returns the state of an aborted session. */
export function describeAborted(session: WorkflowSession, shown = UNSTYLED): string {
  return describeSteps({ session, isCurrent: true }, shown);
}

/** Returns one sentence, without a full stop, per problem of a job and per unreadable session. */
export function workflowWarnings({ problems, unreadable }: OfferedWorkflows): readonly string[] {
  return [
    ...problems.map(describeProblem),
    ...unreadable.map(
      ({ path }) => `${path} is damaged and cannot be read; the next call that may refer to this session renames it`,
    ),
  ];
}
