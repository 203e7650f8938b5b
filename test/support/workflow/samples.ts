import type { RepoPath, SessionId } from '@onceover/base/kernel/ids';
import { beginSession } from '@onceover/loops/src/workflows/session.ts';
import type { ReviewResult } from '@onceover/loops/workflows/quality/types';
import type { Job, SessionReviewer, Step, WorkflowSession } from '@onceover/loops/workflows/types';

export const NOW = '2026-03-01T12:00:00.000Z';
export const SELF: SessionReviewer = { kind: 'self' };
export const BY_ONE: SessionReviewer = { kind: 'agent', name: 'one' };

/** Returns a step; by default it has one required file, called `out`. */
export function stepOf(id: string, more: Partial<Step> = {}): Step {
  return {
    id,
    name: `Step ${id}`,
    description: `Does ${id}.`,
    instructions: `Do ${id}.`,
    instructions_file: `.deepwork/jobs/study/steps/${id}.md`,
    inputs: [],
    outputs: output('out'),
    dependencies: [],
    reviews: [],
    ...more,
  };
}

/** Returns the outputs of a step with one output. */
export function output(name: string, more: Partial<Step['outputs'][string]> = {}): Step['outputs'] {
  return { [name]: { type: 'file', description: `The ${name}.`, required: true, ...more } };
}

/** Returns a review; by default it has one criterion. */
export function reviewOf(
  runEach: string,
  { criteria = { Good: 'Is it good?' }, guidance }: { criteria?: Record<string, string>; guidance?: string } = {},
): Step['reviews'][number] {
  return { run_each: runEach, quality_criteria: criteria, additional_review_guidance: guidance };
}

/** Returns a job with one workflow, `full`; by default it does the steps one after another. */
export function jobOf(steps: readonly Step[], groups: string[][] = steps.map(({ id }) => [id])): Job {
  return {
    name: 'study',
    version: '1',
    summary: 'Studies something.',
    common_job_info_provided_to_all_steps_at_runtime: '',
    steps,
    workflows: [{ name: 'full', summary: 'All of it.', steps: groups }],
    folder: '.deepwork/jobs/study' as RepoPath,
  };
}

/** Returns a new session of the job's first workflow. */
export function sessionOf(job: Job, more: Partial<WorkflowSession> = {}): WorkflowSession {
  const [workflow] = job.workflows;
  if (workflow === undefined) throw new Error('no workflow');
  const given = { id: 'ab12' as SessionId, job: job.name, goal: 'Find out.', reviewer: BY_ONE, startedAt: NOW };
  return { ...beginSession(workflow, given), ...more };
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
