import { randomBytes } from 'node:crypto';
import type { Failure } from '@onceover/base/kernel/failure';
import type { SessionId } from '@onceover/base/kernel/ids';
import { ACTIVE } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { type NameSource, userPath } from '@onceover/base/platform/user-paths';
import { openContents } from '@onceover/repo/git/working-files';
import { loadJobs } from './config/load.ts';
import type { AskedSession } from './decide/choose.ts';
import { abortWorkflow, type FinishRequest, finishWorkflowStep, type WorkflowPorts } from './do/finish-step.ts';
import { openWorkflowSessions } from './record/sessions.ts';
import { chooseReviewer, openStepJudge, type WorkflowCaller } from './reviewer.ts';
import { beginSession, begunSteps, isCurrent } from './session.ts';
import type {
  Job,
  OfferedWorkflows,
  SessionStatus,
  StepEnd,
  Workflow,
  WorkflowSession,
  WorkflowStart,
} from './types.ts';

export type StartWorkflowOptions = WorkflowCaller & {
  readonly job: string;
  /** The name of the workflow; `null` for the only workflow of the job. */
  readonly workflow: string | null;
  readonly goal: string;
  /** The agent that reviews the outputs; `null` if the caller names none. */
  readonly reviewer: string | null;
  /**
   * Whether the agent that works on the steps lets its own sub-agent review them. If so, onceover calls no reviewer.
   */
  readonly selfReview: boolean;
};

export type FinishStepOptions = WorkflowCaller &
  FinishRequest & {
    readonly pathsFrom: NameSource;
    /** Called before the first review and after each review. */
    progress(ended: number, of: number): void;
  };

/** Returns the jobs of the repository, and all sessions with their state. */
export async function listWorkflows(repository: RepositoryPaths): Promise<Result<OfferedWorkflows>> {
  const loadedJobs = loadJobs(repository);
  if (!loadedJobs.ok) return loadedJobs;
  const storedSessions = await openWorkflowSessions(repository).all();
  if (!storedSessions.ok) return storedSessions;
  const jobs = loadedJobs.value.flatMap(({ job }) => job ?? []);
  return ok({
    jobs,
    problems: loadedJobs.value.flatMap(({ problems }) => problems),
    sessions: storedSessions.value.sessions.map((session) => statusOf(session, jobs)),
    unreadable: storedSessions.value.unreadable,
  });
}

function statusOf(session: WorkflowSession, jobs: readonly Job[]): SessionStatus {
  const job = jobs.find(({ name }) => name === session.job);
  const workflow = job?.workflows.find(({ name }) => name === session.workflow);
  if (job === undefined || workflow === undefined || !isCurrent(session, workflow)) {
    return { session, isCurrent: false, open: [] };
  }
  return { session, isCurrent: true, open: session.end === null ? begunSteps(session, job) : [] };
}

/** Starts a new session of a workflow, and returns the session with its first steps. */
export async function startWorkflowRun(
  repository: RepositoryPaths,
  options: StartWorkflowOptions,
): Promise<Result<WorkflowStart>> {
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'inside-a-run' });
  const job = findJob(repository, options.job);
  if (!job.ok) return job;
  const workflow = findWorkflow(job.value, options.workflow);
  if (!workflow.ok) return workflow;
  const choice = await chooseReviewer(repository, options);
  if (!choice.ok) return choice;
  const { reviewer, reviewerMissing } = choice.value;
  const fields = { job: options.job, goal: options.goal, reviewer, startedAt: new Date().toISOString() };
  const sessions = openWorkflowSessions(repository);
  for (;;) {
    const session = beginSession(workflow.value, { ...fields, id: randomBytes(4).toString('hex') as SessionId });
    const creation = await sessions.create(session);
    if (!creation.ok) return creation;
    if (creation.value === 'written') return ok({ session, begun: begunSteps(session, job.value), reviewerMissing });
  }
}

/** Finishes a step. If the same request is already in progress, waits for it and returns its result. */
export async function finishWorkflowStepRun(
  repository: RepositoryPaths,
  options: FinishStepOptions,
): Promise<Result<StepEnd>> {
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'inside-a-run' });
  const { startedBy, stop, progress, pathsFrom, ...request } = options;
  const key = JSON.stringify([repository.root, repository.prefix, request]);
  const current = inProgress.get(key);
  if (current !== undefined) return current;
  // Report only the first failure: if the ledger (the log of costs) cannot be written, every later write fails for the
  // same reason.
  let notInLedger: Failure | null = null;
  const noteFailure = (failure: Failure) => {
    notInLedger ??= failure;
  };
  const ports: WorkflowPorts = {
    sessions: openWorkflowSessions(repository),
    clock: CLOCK,
    root: repository.root,
    contents: () => openContents(repository.root),
    job: (name) => findJob(repository, name),
    judge: (reviewer, about) => openStepJudge(repository, reviewer, { startedBy, stop, lost: noteFailure }, about),
    locate: (path) => userPath(repository, path, pathsFrom),
    progress,
  };
  const ending = finishWorkflowStep(ports, request)
    .then((result) => (result.ok ? ok({ ...result.value, notInLedger }) : result))
    .finally(() => inProgress.delete(key));
  inProgress.set(key, ending);
  return ending;
}

// A caller may reach its own timeout and send the same request again, which must not start a second review.
const inProgress = new Map<string, Promise<Result<StepEnd>>>();

/** Aborts a session, so that none of its steps can be finished later. */
export async function abortWorkflowRun(
  repository: RepositoryPaths,
  options: AskedSession & { readonly explanation: string },
): Promise<Result<WorkflowSession>> {
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'inside-a-run' });
  return abortWorkflow({ sessions: openWorkflowSessions(repository), clock: CLOCK }, options);
}

const CLOCK = { now: () => new Date() };

function findJob(repository: RepositoryPaths, name: string): Result<Job> {
  const loadedJobs = loadJobs(repository);
  if (!loadedJobs.ok) return loadedJobs;
  const loadedJob = loadedJobs.value.find((entry) => entry.name === name);
  if (loadedJob === undefined)
    return err({ kind: 'unknown-job', name, known: loadedJobs.value.map((entry) => entry.name) });
  return loadedJob.job === null ? err({ kind: 'broken-config', problems: loadedJob.problems }) : ok(loadedJob.job);
}

function findWorkflow({ name: job, workflows }: Job, name: string | null): Result<Workflow> {
  const [only, ...alternatives] = workflows;
  const workflow =
    name === null && alternatives.length === 0 ? only : workflows.find((candidate) => candidate.name === name);
  if (workflow !== undefined) return ok(workflow);
  return err({ kind: 'unknown-workflow', job, name, known: workflows.map((entry) => entry.name) });
}
