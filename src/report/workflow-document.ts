import type { StepOutputs } from '../domain/quality.ts';
import type { StepState, WorkflowSession } from '../domain/workflow.ts';
import type {
  BegunStep,
  OfferedWorkflows,
  SessionStanding,
  StepEnd,
  WorkflowStart,
} from '../domain/workflow-outcome.ts';
import type { Calls } from '../text/workflow-calls.ts';
import { tellFeedback, tellSummary } from '../text/workflow-end.ts';
import { tellWorkflowNotice } from '../text/workflow-notice.ts';
import { tellHowToFinish } from '../text/workflow-step.ts';
import { workflowWarnings } from '../text/workflows.ts';
export type WorkflowsDocument = ReturnType<typeof workflowsDocument>;
export type WorkflowStartDocument = ReturnType<typeof workflowStartDocument>;
export type StepEndDocument = ReturnType<typeof stepEndDocument>;
export type WorkflowStatusDocument = ReturnType<typeof workflowStatusDocument>;
export type WorkflowAbortDocument = ReturnType<typeof sessionDocument>;

/** What `workflow list --json` and `get_workflows` answer with. */
export function workflowsDocument(offered: OfferedWorkflows) {
  return {
    jobs: offered.jobs.map(({ name, version, summary, workflows }) => ({
      name,
      version,
      summary,
      workflows: workflows.map((one) => ({
        name: one.name,
        summary: one.summary,
        steps: one.groups.map((group) => [...group]),
      })),
    })),
    sessions: offered.sessions
      .filter(({ session }) => session.end === null)
      .map(({ session, open }) => ({ ...sessionHead(session), open_steps: open.map(begunStep) })),
    warnings: [...workflowWarnings(offered)],
  };
}

/** What `workflow start --json` and `start_workflow` answer with. */
export function workflowStartDocument({ session, begun, forWantOfReviewer }: WorkflowStart, calls: Calls = 'tools') {
  const [first, ...others] = begun.map(begunStep);
  if (first === undefined) throw new Error('a workflow begins with a step');
  return {
    ...sessionHead(session),
    begin_step: first,
    also_begin: others,
    next: tellHowToFinish(begun, calls),
    warnings: forWantOfReviewer ? ['Claude Code was not found and no other reviewer was named.'] : [],
  };
}

const NEEDS_WORK = 'needs_work' as const;
const NEXT_STEP = 'next_step' as const;
const WORKFLOW_COMPLETE = 'workflow_complete' as const;
const ACTIVE = 'active' as const;

/** What `workflow finish --json` and `finished_step` answer with. */
export function stepEndDocument(end: StepEnd, calls: Calls = 'tools') {
  const { session, step } = end;
  const isComplete = session.end?.kind === 'completed';
  const [first, ...others] = end.kind === 'finished' ? end.begun.map(begunStep) : [];
  return {
    status: end.kind !== 'finished' ? NEEDS_WORK : isComplete ? WORKFLOW_COMPLETE : NEXT_STEP,
    session_id: session.id,
    step_id: step,
    feedback: end.kind === 'finished' ? null : tellFeedback(end, calls),
    failed_reviews: end.kind === 'failed' ? end.failed.map(reviewOf) : [],
    errors:
      end.kind === 'failed'
        ? end.errors.map(({ runEach, file, said }) => ({ review_run_each: runEach, target_file: file, message: said }))
        : [],
    not_judged_again: end.rests.map(({ review_run_each, target_file }) => ({ review_run_each, target_file })),
    reviews_done: end.judged,
    attempts: session.steps.find(({ id }) => id === step)?.attempts ?? 0,
    review_instructions_file: end.kind === 'instructed' ? end.file : null,
    override_reason: end.kind === 'finished' ? end.override : null,
    begin_step: first ?? null,
    also_begin: others,
    open_steps: session.steps.filter((one) => statusOf(one) === 'open').map(({ id }) => id),
    next: end.kind === 'finished' && end.begun.length > 0 ? tellHowToFinish(end.begun, calls) : null,
    summary: isComplete ? tellSummary(session) : null,
    all_outputs: isComplete ? allOutputs(session) : null,
    warnings: end.notices.map(tellWorkflowNotice),
  };
}

/** What `workflow status --json` answers with. */
export function workflowStatusDocument(sessions: readonly SessionStanding[], warnings: readonly string[]) {
  return {
    sessions: sessions.map(({ session, open }) => ({ ...sessionDocument(session), open_steps: open.map(begunStep) })),
    warnings: [...warnings],
  };
}

/** What `workflow abort --json` and `abort_workflow` answer with: where everything stood. */
export function sessionDocument(session: WorkflowSession) {
  const { end } = session;
  return {
    ...sessionHead(session),
    status: end === null ? ACTIVE : end.kind,
    ended_at: end?.at ?? null,
    explanation: end?.kind === 'aborted' ? end.explanation : null,
    steps: session.steps.map((step) => ({
      step_id: step.id,
      status: statusOf(step),
      begun_at: step.begunAt,
      finished_at: step.finished?.at ?? null,
      attempts: step.attempts,
      outputs: step.finished === null ? null : outputsOf(step.finished.outputs),
      notes: step.finished?.notes ?? null,
      override_reason: step.finished?.override ?? null,
      failed_reviews: step.failed.map(reviewOf),
      review_instructions_file: step.instructed?.file ?? null,
    })),
    all_outputs: allOutputs(session),
  };
}

function sessionHead({ id, job, workflow, goal, reviewer, startedAt }: WorkflowSession) {
  return {
    session_id: id,
    job,
    workflow,
    goal,
    reviewer: reviewer.kind === 'agent' ? reviewer.name : null,
    started_at: startedAt,
  };
}

function begunStep({ session, step, job, inputs }: BegunStep) {
  return {
    session_id: session.id,
    step_id: step.id,
    name: step.name,
    description: step.description,
    goal: session.goal,
    job_dir: job.folder,
    common_info: job.commonInfo,
    instructions: step.instructions,
    instructions_file: step.instructionsFile,
    inputs: inputs.map((input) =>
      input.kind === 'user'
        ? { name: input.name, description: input.description, from_step: null, paths: [] }
        : { name: input.output, description: null, from_step: input.fromStep, paths: [...input.paths] },
    ),
    outputs: step.outputs.map((output) => ({ ...output })),
    reviews: step.reviews.map(({ runEach, criteria, guidance }) => ({
      run_each: runEach,
      quality_criteria: { ...criteria },
      additional_review_guidance: guidance,
    })),
  };
}

function reviewOf(review: StepState['failed'][number]) {
  return { ...review, criteria_results: review.criteria_results.map((one) => ({ ...one })) };
}

function statusOf({ begunAt, finished }: StepState): 'waiting' | 'open' | 'finished' {
  if (finished !== null) return 'finished';
  return begunAt === null ? 'waiting' : 'open';
}

/** By step, since two steps may have outputs of one name. */
function allOutputs({ steps }: WorkflowSession): Record<string, Record<string, string | string[]>> {
  return Object.fromEntries(
    steps.flatMap(({ id, finished }) => (finished === null ? [] : [[id, outputsOf(finished.outputs)]])),
  );
}

function outputsOf(outputs: StepOutputs): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}
