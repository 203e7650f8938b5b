import type { Job, Workflow } from '../domain/job.ts';
import type { StepState, WorkflowSession } from '../domain/workflow.ts';
import type { OfferedWorkflows, SessionStanding } from '../domain/workflow-outcome.ts';
import { oneLine } from './one-line.ts';
import { tellProblem } from './problem.ts';
import { AS_IT_IS, type Shown } from './shown.ts';
import { cells, padCells } from './width.ts';
import type { Calls } from './workflow-calls.ts';
import { tellOutputs, tellReviewer } from './workflow-end.ts';
import { tellReview, tellSession } from './workflow-failure.ts';
import { tellBegunSteps } from './workflow-step.ts';

/** The jobs with their workflows, and what is going on. */
export function tellWorkflows({ jobs, sessions, problems }: OfferedWorkflows, calls: Calls, shown = AS_IT_IS): string {
  const active = sessions.filter(({ session }) => session.end === null);
  if (jobs.length === 0 && active.length === 0) {
    if (problems.length > 0)
      return 'There is no job that can be begun: what is wrong with those that are there is told beside this.';
    return 'There are no jobs. Each is a folder of .deepwork/jobs with a job.yml in it; docs/workflows.md says more.';
  }
  const start =
    calls === 'tools'
      ? 'start_workflow with job_name, workflow_name and goal'
      : 'onceover workflow start JOB [WORKFLOW] --goal "what for"';
  return [
    ...jobs.map((job) => tellJob(job, shown)),
    `To begin one: ${start}`,
    ...(active.length === 0 ? [] : [[shown.paint('strong', 'Going on'), ...active.map(tellActive)].join('\n')]),
  ].join('\n\n');
}

function tellJob({ name, summary, workflows }: Job, shown: Shown): string {
  const title = `${shown.paint('strong', name)}  ${oneLine(summary)}`;
  const [first, ...others] = workflows;
  if (first !== undefined && others.length === 0 && first.name === name) return `${title}\n  ${tellOrder(first)}`;
  const width = Math.max(...workflows.map((one) => cells(one.name)));
  const lines = workflows.flatMap((one) => [
    `  ${padCells(one.name, width)}  ${oneLine(one.summary)}`,
    `  ${' '.repeat(width)}  ${tellOrder(one)}`,
  ]);
  return [title, ...lines].join('\n');
}

/** The steps in their order; those that may be done at the same time stand together. */
function tellOrder({ groups }: Workflow): string {
  return groups.map((group) => (group.length === 1 ? group.join('') : `(${group.join(' | ')})`)).join(' → ');
}

function tellActive({ session, open, isCurrent }: SessionStanding): string {
  const steps = open.map(
    ({ step }) => `\n    ${step.id}: ${oneLine(step.name)} (instructions: ${step.instructionsFile})`,
  );
  const more = isCurrent ? steps.join('') : '\n    its workflow has other steps now, so it cannot be gone on with';
  return `  ${tellSession(session)}: ${oneLine(session.goal)}${more}`;
}

/** Sessions with where each of their steps stands, and what is to be done in them now. */
export function tellStanding(sessions: readonly SessionStanding[], calls: Calls, shown = AS_IT_IS): string {
  return sessions
    .map((one) =>
      [tellSteps(one, shown), ...(one.open.length === 0 ? [] : [tellBegunSteps(one.open, calls, shown)])].join('\n\n'),
    )
    .join('\n\n');
}

function tellSteps({ session, isCurrent }: SessionStanding, shown: Shown): string {
  const width = Math.max(...session.steps.map(({ id }) => cells(id)));
  return [
    `${shown.paint('strong', `Session ${tellSession(session)}`)} ${tellEnd(session)}`,
    `Goal: ${oneLine(session.goal)}`,
    tellReviewer(session),
    ...(isCurrent || session.end !== null ? [] : ['Its workflow has other steps now, so it cannot be gone on with.']),
    '',
    ...session.steps.map((step) => `  ${padCells(step.id, width)}  ${tellStep(step, shown)}`),
  ].join('\n');
}

function tellEnd({ end, startedAt }: WorkflowSession): string {
  if (end === null) return `has been going on since ${startedAt}`;
  return end.kind === 'completed'
    ? `was completed at ${end.at}`
    : `was aborted at ${end.at}: ${oneLine(end.explanation)}`;
}

function tellStep({ begunAt, finished, attempts, failed, instructed }: StepState, { paint }: Shown): string {
  if (finished !== null) {
    const without = finished.override === null ? '' : ` (${oneLine(finished.override)})`;
    return `${paint('good', 'finished')}  ${tellOutputs(finished.outputs)}${without}`;
  }
  if (begunAt === null) return paint('quiet', 'waits');
  if (failed.length > 0) {
    const names = failed.map((one) => tellReview(one.review_run_each, one.target_file)).join(', ');
    return `${paint('bad', 'open')}      attempt ${attempts} did not pass: ${names}`;
  }
  return `${paint('rests', 'open')}${instructed === null ? '' : `      to be reviewed: ${instructed.file}`}`;
}

/** That a session was ended, and what had been done by then. */
export function tellAborted(session: WorkflowSession, shown = AS_IT_IS): string {
  return tellSteps({ session, isCurrent: true, open: [] }, shown);
}

/** What is wrong with jobs and sessions beside those that are told, a sentence each. */
export function workflowWarnings({ problems, unreadable }: OfferedWorkflows): readonly string[] {
  return [
    ...problems.map(tellProblem),
    ...unreadable.map(
      ({ path }) => `${path} is damaged and cannot be read; the next call that may mean it puts it aside`,
    ),
  ];
}
