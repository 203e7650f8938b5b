import type { RepoPath, SessionId } from '../../kernel/ids.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { Contents } from '../../kernel/repository.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { LedgerStep } from '../../ledger/entries.ts';
import { type AskedSession, chooseSession } from '../decide/choose.ts';
import type { QualityGate } from '../quality/gate.ts';
import type { WorkflowSessions } from '../record/sessions.ts';
import { beginSession, begunSteps, sessionName } from '../session.ts';
import type { Job, SessionReviewer, Workflow, WorkflowSession, WorkflowStart } from '../types.ts';

/** Identifies a step of a session in the ledger. */
export type StepName = Pick<LedgerStep, 'job' | 'session' | 'step'>;

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
  /** Returns the current definition of a job. */
  job(name: string): Result<Job>;
  judge(reviewer: SessionReviewer, about: StepName): Promise<Result<OutputJudge>>;
  /** Returns a caller's path relative to the root; `null` if it is outside. */
  locate(path: string): RepoPath | null;
  /** Called at the start and after each review. */
  progress(done: number, of: number): void;
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
    if (created.value === 'written') return ok({ session, begun: begunSteps(session, request.job) });
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
    const at = ports.clock.now().toISOString();
    return ok({ ...now, end: { kind: 'aborted', at, explanation: request.explanation } });
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
