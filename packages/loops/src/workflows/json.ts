import {
  type Calls,
  describeFeedback,
  describeHowToFinish,
  describeSessionState,
  REVIEWER_MISSING,
  stepEndWarnings,
  workflowWarnings,
} from './describe.ts';
import type { StepOutputs } from './quality/types.ts';
import { openSteps } from './session.ts';
import type { OfferedWorkflows, SessionStatus, StepEnd, StepState, WorkflowSession, WorkflowStart } from './types.ts';

export type WorkflowsDocument = ReturnType<typeof workflowsDocument>;

export type WorkflowStartDocument = ReturnType<typeof workflowStartDocument>;

export type StepEndDocument = ReturnType<typeof stepEndDocument>;

export type WorkflowStatusDocument = ReturnType<typeof workflowStatusDocument>;

export type WorkflowAbortDocument = ReturnType<typeof sessionDocument>;

/** Returns the JSON document of `workflow list --json` and of the MCP tool `get_workflows`. */
export function workflowsDocument(offer: OfferedWorkflows) {
  return {
    jobs: offer.jobs.map(({ name, version, summary, workflows }) => ({ name, version, summary, workflows })),
    sessions: offer.sessions
      .filter(({ session }) => session.end === null)
      .map(({ session, open }) => ({ ...sessionHead(session), open_steps: open })),
    warnings: workflowWarnings(offer),
  };
}

/** Returns the JSON document of `workflow start --json` and of the MCP tool `start_workflow`. */
export function workflowStartDocument({ session, begun, reviewerMissing }: WorkflowStart, calls: Calls = 'tools') {
  const [first, ...parallelSteps] = begun;
  if (first === undefined) throw new Error('a workflow starts with at least one step');
  return {
    ...sessionHead(session),
    begin_step: first,
    also_begin: parallelSteps,
    next: describeHowToFinish(begun, calls),
    warnings: reviewerMissing ? [REVIEWER_MISSING] : [],
  };
}

/** Returns the JSON document of `workflow finish --json` and of the MCP tool `finished_step`. */
export function stepEndDocument(end: StepEnd, calls: Calls = 'tools') {
  const { kind, session, step, begun } = end;
  const isComplete = session.end?.kind === 'completed';
  const status: 'needs_work' | 'next_step' | 'workflow_complete' =
    kind !== 'finished' ? 'needs_work' : isComplete ? 'workflow_complete' : 'next_step';
  const [first, ...parallelSteps] = begun;
  return {
    status,
    session_id: session.id,
    step_id: step.id,
    feedback: kind === 'finished' ? null : describeFeedback(end, calls),
    failed_reviews: kind === 'failed' ? step.failed : [],
    errors: end.errors,
    not_judged_again: end.skipped,
    reviews_done: end.judged,
    attempts: step.attempts,
    review_instructions_file: kind === 'instructed' ? (step.instructed?.file ?? null) : null,
    override_reason: step.finished?.override ?? null,
    begin_step: first ?? null,
    also_begin: parallelSteps,
    open_steps: openSteps(session).map(({ id }) => id),
    next: begun.length > 0 ? describeHowToFinish(begun, calls) : null,
    summary: isComplete ? describeSessionState({ session }) : null,
    all_outputs: isComplete ? allOutputs(session) : null,
    warnings: stepEndWarnings(end),
  };
}

/** Returns the JSON document of `workflow status --json`. */
export function workflowStatusDocument(sessions: readonly SessionStatus[], warnings: readonly string[]) {
  return {
    sessions: sessions.map(({ session, open }) => ({ ...sessionDocument(session), open_steps: open })),
    warnings,
  };
}

/** Returns the last state of a session as JSON, for `workflow abort --json` and the MCP tool `abort_workflow`. */
export function sessionDocument(session: WorkflowSession) {
  const { end } = session;
  const status: 'active' | 'completed' | 'aborted' = end?.kind ?? 'active';
  return {
    ...sessionHead(session),
    status,
    ended_at: end?.at ?? null,
    explanation: end?.kind === 'aborted' ? end.explanation : null,
    steps: session.steps.map((step) => ({
      step_id: step.id,
      status: stepStatus(step),
      begun_at: step.begunAt,
      finished_at: step.finished?.at ?? null,
      attempts: step.attempts,
      outputs: step.finished?.outputs ?? null,
      notes: step.finished?.notes ?? null,
      override_reason: step.finished?.override ?? null,
      failed_reviews: step.failed,
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

function stepStatus({ begunAt, finished }: StepState): 'waiting' | 'open' | 'finished' {
  if (finished !== null) return 'finished';
  return begunAt === null ? 'waiting' : 'open';
}

/** Returns the outputs of each step separately, because two steps may have outputs with the same name. */
function allOutputs({ steps }: WorkflowSession): Readonly<Record<string, StepOutputs>> {
  return Object.fromEntries(steps.flatMap(({ id, finished }) => (finished === null ? [] : [[id, finished.outputs]])));
}
