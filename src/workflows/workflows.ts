import { randomBytes } from 'node:crypto';
import { openContents } from '../git/working-files.ts';
import type { Failure } from '../kernel/failure.ts';
import type { SessionId } from '../kernel/ids.ts';
import { ACTIVE } from '../kernel/ports.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { type NameSource, userPath } from '../platform/user-paths.ts';
import { loadJobs } from './config/load.ts';
import { finishWorkflowStep } from './do/finish-step.ts';
import { type AskedSession, abortWorkflow, type FinishRequest, startWorkflow, type WorkflowPorts } from './do/start.ts';
import { openWorkflowSessions } from './record/sessions.ts';
import { chooseReviewer, openStepJudge } from './reviewer.ts';
import { begunSteps, isCurrent, openSteps } from './session.ts';
import type {
  Job,
  OfferedWorkflows,
  SessionStatus,
  StepEnd,
  Workflow,
  WorkflowSession,
  WorkflowStart,
} from './types.ts';

type WorkflowCaller = {
  /** A call by a person counts as approval of the repository's commands; a call by an agent does not. */
  readonly startedBy: 'person' | 'agent';
  /** The agent that reviews; `null` if the caller names none. */
  readonly reviewer: string | null;
  readonly stop: AbortSignal | null;
  /** Called at the start and after each review. */
  progress(ended: number, of: number): void;
};

export type StartWorkflowOptions = WorkflowCaller & {
  readonly job: string;
  /** `null` means the only workflow of the job. */
  readonly workflow: string | null;
  readonly goal: string;
  /** Whether the author reviews the outputs with a sub-agent, so that onceover calls no reviewer. */
  readonly selfReview: boolean;
};

export type FinishStepOptions = WorkflowCaller & Omit<FinishRequest, 'reviewer'> & { readonly pathsFrom: NameSource };

/** Returns the jobs and the sessions of the repository. */
export async function listWorkflows(repository: RepositoryPaths): Promise<Result<OfferedWorkflows>> {
  const loaded = loadJobs(repository);
  if (!loaded.ok) return loaded;
  const all = await openWorkflowSessions(repository).all();
  if (!all.ok) return all;
  const jobs = loaded.value.flatMap(({ job }) => job ?? []);
  return ok({
    jobs,
    problems: loaded.value.flatMap(({ problems }) => problems),
    sessions: all.value.sessions.map((session) => statusOf(session, jobs)),
    unreadable: all.value.unreadable,
  });
}

function statusOf(session: WorkflowSession, jobs: readonly Job[]): SessionStatus {
  const job = jobs.find(({ name }) => name === session.job);
  const workflow = job?.workflows.find(({ name }) => name === session.workflow);
  if (job === undefined || workflow === undefined || !isCurrent(session, workflow)) {
    return { session, isCurrent: false, open: [] };
  }
  const ids = session.end === null ? openSteps(session).map(({ id }) => id) : [];
  return { session, isCurrent: true, open: begunSteps(session, job, ids) };
}

/** Starts a workflow. */
export async function startWorkflowRun(
  repository: RepositoryPaths,
  options: StartWorkflowOptions,
): Promise<Result<WorkflowStart>> {
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'inside-a-run' });
  const job = await findJob(repository, options.job);
  if (!job.ok) return job;
  const workflow = findWorkflow(job.value, options.workflow);
  if (!workflow.ok) return workflow;
  const chosen = await chooseReviewer(repository, options);
  if (!chosen.ok) return chosen;
  const { reviewer, reviewerMissing } = chosen.value;
  const request = { job: job.value, workflow: workflow.value, goal: options.goal, reviewer };
  const started = await startWorkflow(portsOf(repository, options, 'arguments'), request);
  return started.ok ? ok({ ...started.value, reviewerMissing }) : started;
}

/** Finishes a step. The same request during the reviews joins the request in progress and gets its result. */
export async function finishWorkflowStepRun(
  repository: RepositoryPaths,
  options: FinishStepOptions,
): Promise<Result<StepEnd>> {
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'inside-a-run' });
  const { startedBy, stop, progress, pathsFrom, ...request } = options;
  const key = JSON.stringify([repository.root, repository.prefix, request]);
  const current = inProgress.get(key);
  if (current !== undefined) return current;
  const lost: Failure[] = [];
  const caller = { startedBy, stop, progress, reviewer: request.reviewer };
  const ports = portsOf(repository, caller, pathsFrom, (failure) => lost.push(failure));
  // Several reviews of a step fail to reach the ledger for the same reason, so only the first failure is reported.
  const notices = () => lost.slice(0, 1).map((failure) => ({ kind: 'not-in-ledger', failure }) as const);
  const ending = finishWorkflowStep(ports, request)
    .then((ended) => (ended.ok ? ok({ ...ended.value, notices: notices() }) : ended))
    .finally(() => inProgress.delete(key));
  inProgress.set(key, ending);
  return ending;
}

// A caller may stop waiting before the reviewers are done, and then send the same request again.
const inProgress = new Map<string, Promise<Result<StepEnd>>>();

/** Ends a session. */
export async function abortWorkflowRun(
  repository: RepositoryPaths,
  options: AskedSession & { readonly explanation: string },
): Promise<Result<WorkflowSession>> {
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'inside-a-run' });
  return abortWorkflow({ sessions: openWorkflowSessions(repository), clock: CLOCK }, options);
}

const CLOCK = { now: () => new Date() };

function portsOf(
  repository: RepositoryPaths,
  caller: WorkflowCaller,
  pathsFrom: NameSource,
  lost: (failure: Failure) => void = () => {},
): WorkflowPorts {
  return {
    root: repository.root,
    sessions: openWorkflowSessions(repository),
    contents: () => openContents(repository.root),
    clock: CLOCK,
    newId: () => randomBytes(4).toString('hex') as SessionId,
    job: (name) => findJob(repository, name),
    judge: (reviewer, about) => openStepJudge(repository, reviewer, { ...caller, lost }, about),
    locate: (path) => userPath(repository, path, pathsFrom),
    progress: caller.progress,
  };
}

async function findJob(repository: RepositoryPaths, name: string): Promise<Result<Job>> {
  const loaded = loadJobs(repository);
  if (!loaded.ok) return loaded;
  const found = loaded.value.find((one) => one.name === name);
  if (found === undefined) return err({ kind: 'unknown-job', name, known: loaded.value.map((one) => one.name) });
  return found.job === null ? err({ kind: 'broken-config', problems: found.problems }) : ok(found.job);
}

function findWorkflow({ name: job, workflows }: Job, name: string | null): Result<Workflow> {
  const [only, ...others] = workflows;
  const found = name === null && others.length === 0 ? only : workflows.find((one) => one.name === name);
  if (found !== undefined) return ok(found);
  return err({ kind: 'unknown-workflow', job, name, known: workflows.map((one) => one.name) });
}
