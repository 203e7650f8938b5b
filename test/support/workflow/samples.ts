import type { RepoPath } from '../../../src/domain/brand.ts';
import type { Job, OutputSpec, Step, StepReview } from '../../../src/domain/job.ts';
import type { ReviewResult } from '../../../src/domain/quality.ts';
import type { SessionId, SessionReviewer, WorkflowSession } from '../../../src/domain/workflow.ts';
import { beginSession } from '../../../src/plan/workflow-session.ts';

export const NOW = '2026-03-01T12:00:00.000Z';
export const SELF: SessionReviewer = { kind: 'self' };
export const BY_ONE: SessionReviewer = { kind: 'agent', name: 'one' };

/** A step with one required file, called `out`, unless told. */
export function stepOf(id: string, more: Partial<Step> = {}): Step {
  return {
    id,
    name: `Step ${id}`,
    description: `Does ${id}.`,
    instructions: `Do ${id}.`,
    instructionsFile: `.deepwork/jobs/study/steps/${id}.md` as RepoPath,
    inputs: [],
    outputs: [output('out')],
    dependencies: [],
    reviews: [],
    ...more,
  };
}

export function output(name: string, more: Partial<OutputSpec> = {}): OutputSpec {
  return { name, type: 'file', description: `The ${name}.`, required: true, ...more };
}

/** A review with one criterion. */
export function reviewOf(runEach: string, more: Partial<StepReview> = {}): StepReview {
  return { runEach, criteria: { Good: 'Is it good?' }, guidance: null, ...more };
}

/** A job of these steps with one workflow, `full`: the steps one after another, unless groups are given. */
export function jobOf(
  steps: readonly Step[],
  groups: readonly (readonly string[])[] = steps.map(({ id }) => [id]),
): Job {
  return {
    name: 'study',
    version: '1',
    summary: 'Studies something.',
    commonInfo: '',
    steps,
    workflows: [{ name: 'full', summary: 'All of it.', groups }],
    folder: '.deepwork/jobs/study' as RepoPath,
  };
}

/** A session of the job's first workflow, just begun. */
export function sessionOf(job: Job, more: Partial<WorkflowSession> = {}): WorkflowSession {
  const [workflow] = job.workflows;
  if (workflow === undefined) throw new Error('no workflow');
  const id = 'ab12' as SessionId;
  return { ...beginSession({ id, job, workflow, goal: 'Find out.', reviewer: BY_ONE, now: NOW }), ...more };
}

export function failedReview(runEach: string, file: string | null = null): ReviewResult {
  return {
    passed: false,
    feedback: 'Not yet.',
    criteria_results: [{ criterion: 'Good', passed: false, feedback: 'It is bad.' }],
    review_run_each: runEach,
    target_file: file,
  };
}
