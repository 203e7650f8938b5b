import type { RepoPath, SessionId } from '../../kernel/ids.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { Contents } from '../../kernel/repository.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { chooseSession, type GivenOutputs } from '../decide/choose.ts';
import type { QualityGate } from '../quality/gate.ts';
import type { StepOutputs } from '../quality/types.ts';
import type { StepName } from '../record/sessions.ts';
import { abortSession, beginSession, begunSteps, openSteps, sessionName, stepState } from '../session.ts';
import type {
  Job,
  SessionReviewer,
  Step,
  Workflow,
  WorkflowSession,
  WorkflowSessions,
  WorkflowStart,
} from '../types.ts';

/** Judges outputs or writes instructions for another reviewer. Rejects with a QualityGateError without a verdict. */
export type OutputJudge = Pick<QualityGate, 'evaluate' | 'buildReviewInstructionsFile'>;

/** Everything outside of this slice that a workflow needs. */
export type WorkflowPorts = {
  readonly root: string;
  readonly sessions: WorkflowSessions;
  /** Opens the files with their current contents. */
  contents(): Contents;
  readonly clock: Clock;
  newId(): SessionId;
  /** Resolves to the current definition of a job. */
  job(name: string): Promise<Result<Job>>;
  judge(reviewer: SessionReviewer, about: StepName): Promise<Result<OutputJudge>>;
  /** Returns a caller's path relative to the root; `null` if it is outside. */
  locate(path: string): RepoPath | null;
  /** Called at the start and after each review. */
  progress(done: number, of: number): void;
};

/** The session that the caller names, or the one that the same caller started. */
export type AskedSession = { readonly named: string | null; readonly own: SessionId | null };

export type FinishRequest = AskedSession & {
  readonly step: string | null;
  readonly outputs: GivenOutputs;
  readonly notes: string | null;
  readonly override: string | null;
  /** The agent that reviews from now on; `null` keeps the reviewer of the session. */
  readonly reviewer: string | null;
};

/** A step that a caller wants to finish, with its outputs. */
export type FinishingStep = {
  readonly session: WorkflowSession;
  readonly job: Job;
  readonly step: Step;
  readonly reviewer: SessionReviewer;
  readonly outputs: StepOutputs;
  /** Digests of the file contents, by path. */
  readonly digests: ReadonlyMap<string, string>;
  readonly notes: string | null;
};

/** Creates a session of a workflow and returns its first steps. */
export async function startWorkflow(
  ports: Pick<WorkflowPorts, 'sessions' | 'clock' | 'newId'>,
  request: {
    readonly job: Job;
    readonly workflow: Workflow;
    readonly goal: string;
    readonly reviewer: SessionReviewer;
  },
): Promise<Result<Omit<WorkflowStart, 'reviewerMissing'>>> {
  for (;;) {
    const session = beginSession({ ...request, id: ports.newId(), now: ports.clock.now().toISOString() });
    const created = await ports.sessions.create(session);
    if (!created.ok) return created;
    if (created.value === 'taken') continue;
    const ids = openSteps(session).map(({ id }) => id);
    return ok({ session, begun: begunSteps(session, request.job, ids) });
  }
}

/** Ends a session and stores the explanation. The outputs stay. */
export async function abortWorkflow(
  ports: Pick<WorkflowPorts, 'sessions' | 'clock'>,
  request: AskedSession & { readonly explanation: string },
): Promise<Result<WorkflowSession>> {
  const found = await findSession(ports.sessions, request);
  if (!found.ok) return found;
  return ports.sessions.update(found.value.id, (now) => {
    if (now.end !== null) return err({ kind: 'session-ended', session: sessionName(now), end: now.end });
    const session = abortSession(now, request.explanation, ports.clock.now().toISOString());
    return ok({ session, value: session });
  });
}

/** Finds the session that the caller means. Fails if an unreadable session may be that one, and renames its file. */
export async function findSession(sessions: WorkflowSessions, wanted: AskedSession): Promise<Result<WorkflowSession>> {
  const all = await sessions.all();
  if (!all.ok) return all;
  const { named } = wanted;
  const damaged = all.value.unreadable.find(({ id }) => named === null || named === id);
  if (damaged === undefined) return chooseSession(all.value.sessions, wanted);
  const aside = await sessions.putAside(damaged.id);
  return aside.ok ? err({ kind: 'unreadable-session', ...damaged, aside: aside.value }) : aside;
}

/** Changes the session and sets its reviewer. Fails if another process has ended the session or finished the step. */
export function changeOpenStep<T>(
  sessions: WorkflowSessions,
  { session: { id }, step, reviewer }: FinishingStep,
  change: (session: WorkflowSession) => { readonly session: WorkflowSession; readonly value: T },
): Promise<Result<T>> {
  return sessions.update(id, (now) => {
    const session = sessionName(now);
    if (now.end !== null) return err({ kind: 'session-ended', session, end: now.end });
    const finished = stepState(now, step.id)?.finished;
    if (finished == null) return ok(change({ ...now, reviewer }));
    const open = openSteps(now).map((one) => one.id);
    return err({ kind: 'step-finished', session, step: step.id, at: finished.at, open });
  });
}
