import type { Job, Workflow } from '../domain/job.ts';
import type { WorkflowSessions } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { SessionId, SessionReviewer, WorkflowSession } from '../domain/workflow.ts';
import type { WorkflowStart } from '../domain/workflow-outcome.ts';
import { begunSteps } from '../plan/begun-steps.ts';
import { chooseSession } from '../plan/choose-session.ts';
import { abortSession, beginSession, nameOf, openSteps } from '../plan/workflow-session.ts';
import type { AskedSession, WorkflowPorts } from './workflow-ports.ts';

/** Begins a workflow: its first steps are to be done. */
export async function startWorkflow(
  ports: Pick<WorkflowPorts, 'sessions' | 'clock' | 'newId'>,
  request: {
    readonly job: Job;
    readonly workflow: Workflow;
    readonly goal: string;
    readonly reviewer: SessionReviewer;
  },
): Promise<Result<Omit<WorkflowStart, 'forWantOfReviewer'>>> {
  for (;;) {
    const session = beginSession({ ...request, id: ports.newId(), now: ports.clock.now().toISOString() });
    const created = await ports.sessions.create(session);
    if (!created.ok) return created;
    if (created.value === 'taken') continue;
    const ids = openSteps(session).map(({ id }) => id);
    return done({ session, begun: begunSteps(session, request.job, ids) });
  }
}

/** Ends a session that nobody goes on with; what was made stays, and so does the explanation. */
export async function abortWorkflow(
  ports: Pick<WorkflowPorts, 'sessions' | 'clock'>,
  request: AskedSession & { readonly explanation: string },
): Promise<Result<WorkflowSession>> {
  const found = await findSession(ports.sessions, request);
  if (!found.ok) return found;
  return ports.sessions.update(found.value.id, (now) => {
    if (now.end !== null) return failed({ kind: 'session-ended', session: nameOf(now), end: now.end });
    const session = abortSession(now, request.explanation, ports.clock.now().toISOString());
    return done({ session, value: session });
  });
}

/** The session that is meant. One that cannot be read may be it, so that is said first, and it is put aside. */
export async function findSession(sessions: WorkflowSessions, asked: AskedSession): Promise<Result<WorkflowSession>> {
  const all = await sessions.all();
  if (!all.ok) return all;
  const { named } = asked;
  const damaged = all.value.unreadable.find(({ id }) => named === null || named === id);
  if (damaged === undefined) return chooseSession(all.value.sessions, asked);
  const aside = await sessions.putAside(damaged.id);
  return aside.ok ? failed({ kind: 'unreadable-session', ...damaged, aside: aside.value }) : aside;
}

/** Changes a session in which the step is still open, with what the last word on its reviewer was. */
export function changeOpenStep<T>(
  sessions: WorkflowSessions,
  at: { readonly id: SessionId; readonly step: string; readonly reviewer: SessionReviewer },
  change: (session: WorkflowSession) => { readonly session: WorkflowSession; readonly value: T },
): Promise<Result<T>> {
  return sessions.update(at.id, (now) => {
    const session = nameOf(now);
    if (now.end !== null) return failed({ kind: 'session-ended', session, end: now.end });
    const finished = now.steps.find(({ id }) => id === at.step)?.finished;
    if (finished != null) {
      const open = openSteps(now).map(({ id }) => id);
      return failed({ kind: 'step-finished', session, step: at.step, at: finished.at, open });
    }
    return done(change({ ...now, reviewer: at.reviewer }));
  });
}
