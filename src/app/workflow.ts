import { randomBytes } from 'node:crypto';
import { loadJobs } from '../config/load-jobs.ts';
import { ACTIVE } from '../domain/active.ts';
import type { Place } from '../domain/change.ts';
import type { Failure } from '../domain/failure.ts';
import type { Job, Workflow } from '../domain/job.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { SessionId, WorkflowSession } from '../domain/workflow.ts';
import type {
  OfferedWorkflows,
  SessionStanding,
  StepEnd,
  WorkflowNotice,
  WorkflowStart,
} from '../domain/workflow-outcome.ts';
import { finishWorkflowStep } from '../execute/finish-step.ts';
import { abortWorkflow, startWorkflow } from '../execute/workflow.ts';
import type { AskedSession, FinishRequest, WorkflowPorts } from '../execute/workflow-ports.ts';
import { openContents } from '../io/contents.ts';
import { type NameSource, userPath } from '../io/user-path.ts';
import { begunSteps } from '../plan/begun-steps.ts';
import { isCurrent, openSteps } from '../plan/workflow-session.ts';
import { openWorkflowSessions } from '../stores/workflow-sessions.ts';
import { chooseReviewer, openJudge } from './workflow-reviewer.ts';

/** Who works through a workflow, and how they are to be told. */
type WorkflowCaller = {
  /** A person's own call is consent to the repository's commands, an agent's is not. */
  readonly startedBy: 'person' | 'agent';
  /** The agent that is to review; null: none is named. */
  readonly reviewer: string | null;
  readonly stop: AbortSignal | null;
  /** Hears of each review that has ended: how many of how many. */
  progress(ended: number, of: number): void;
};

export type StartWish = WorkflowCaller & {
  readonly job: string;
  /** Null: the only one that the job has. */
  readonly workflow: string | null;
  readonly goal: string;
  /** Nobody is asked: whoever makes the outputs has them reviewed. */
  readonly selfReview: boolean;
};

export type FinishWish = WorkflowCaller & Omit<FinishRequest, 'reviewer'> & { readonly pathsFrom: NameSource };

/** The jobs of the repository, and what is going on. */
export async function listWorkflows(place: Place): Promise<Result<OfferedWorkflows>> {
  const loaded = loadJobs(place);
  if (!loaded.ok) return loaded;
  const all = await openWorkflowSessions(place).all();
  if (!all.ok) return all;
  const jobs = loaded.value.flatMap(({ job }) => job ?? []);
  return done({
    jobs,
    problems: loaded.value.flatMap(({ problems }) => problems),
    sessions: all.value.sessions.map((session) => standingOf(session, jobs)),
    unreadable: all.value.unreadable,
  });
}

function standingOf(session: WorkflowSession, jobs: readonly Job[]): SessionStanding {
  const job = jobs.find(({ name }) => name === session.job);
  const workflow = job?.workflows.find(({ name }) => name === session.workflow);
  if (job === undefined || workflow === undefined || !isCurrent(session, workflow)) {
    return { session, isCurrent: false, open: [] };
  }
  const ids = session.end === null ? openSteps(session).map(({ id }) => id) : [];
  return { session, isCurrent: true, open: begunSteps(session, job, ids) };
}

/** Begins a workflow. */
export async function start(place: Place, wish: StartWish): Promise<Result<WorkflowStart>> {
  if (process.env[ACTIVE] !== undefined) return failed({ kind: 'inside-a-run' });
  const job = await findJob(place, wish.job);
  if (!job.ok) return job;
  const workflow = findWorkflow(job.value, wish.workflow);
  if (!workflow.ok) return workflow;
  const chosen = await chooseReviewer(place, wish);
  if (!chosen.ok) return chosen;
  const { reviewer, forWantOfReviewer } = chosen.value;
  const request = { job: job.value, workflow: workflow.value, goal: wish.goal, reviewer };
  const started = await startWorkflow(portsOf(place, wish, 'arguments'), request);
  return started.ok ? done({ ...started.value, forWantOfReviewer }) : started;
}

/** Says that a step is finished. Whoever asks the same once more while it is being judged hears of the same judgement. */
export async function finish(place: Place, wish: FinishWish): Promise<Result<StepEnd>> {
  if (process.env[ACTIVE] !== undefined) return failed({ kind: 'inside-a-run' });
  const { startedBy, stop, progress, pathsFrom, ...request } = wish;
  const key = JSON.stringify([place.root, place.prefix, request]);
  const going = beingJudged.get(key);
  if (going !== undefined) return going;
  const lost: Failure[] = [];
  const caller = { startedBy, stop, progress, reviewer: request.reviewer };
  const ports = portsOf(place, caller, pathsFrom, (failure) => lost.push(failure));
  const ending = finishWorkflowStep(ports, request)
    .then((ended) => (ended.ok ? done({ ...ended.value, notices: lost.slice(0, 1).map(notInLedger) }) : ended))
    .finally(() => beingJudged.delete(key));
  beingJudged.set(key, ending);
  return ending;
}

// Several reviews of a step are lost for one reason.
const notInLedger = (failure: Failure): WorkflowNotice => ({ kind: 'not-in-ledger', failure });

// A caller may give up waiting before reviewers have ended, and ask again.
const beingJudged = new Map<string, Promise<Result<StepEnd>>>();

/** Ends a session that nobody goes on with. */
export async function abort(
  place: Place,
  wish: AskedSession & { readonly explanation: string },
): Promise<Result<WorkflowSession>> {
  if (process.env[ACTIVE] !== undefined) return failed({ kind: 'inside-a-run' });
  return abortWorkflow({ sessions: openWorkflowSessions(place), clock: CLOCK }, wish);
}

const CLOCK = { now: () => new Date() };

function portsOf(
  place: Place,
  caller: WorkflowCaller,
  pathsFrom: NameSource,
  lost: (failure: Failure) => void = () => {},
): WorkflowPorts {
  return {
    root: place.root,
    sessions: openWorkflowSessions(place),
    contents: () => openContents(place.root),
    clock: CLOCK,
    newId: () => randomBytes(4).toString('hex') as SessionId,
    job: (name) => findJob(place, name),
    judge: (reviewer, about) => openJudge(place, reviewer, { ...caller, lost }, about),
    locate: (path) => userPath(place, path, pathsFrom),
    progress: caller.progress,
  };
}

async function findJob(place: Place, name: string): Promise<Result<Job>> {
  const loaded = loadJobs(place);
  if (!loaded.ok) return loaded;
  const found = loaded.value.find((one) => one.name === name);
  if (found === undefined) return failed({ kind: 'unknown-job', name, known: loaded.value.map((one) => one.name) });
  return found.job === null ? failed({ kind: 'broken-config', problems: found.problems }) : done(found.job);
}

function findWorkflow({ name: job, workflows }: Job, name: string | null): Result<Workflow> {
  const [only, ...others] = workflows;
  const found = name === null && others.length === 0 ? only : workflows.find((one) => one.name === name);
  if (found !== undefined) return done(found);
  return failed({ kind: 'unknown-workflow', job, name, known: workflows.map((one) => one.name) });
}
