import type { Clock } from '../../kernel/ports.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type AskedSession, chooseSession } from '../decide/choose.ts';
import type { WorkflowSessions } from '../record/sessions.ts';
import { sessionName } from '../session.ts';
import type { WorkflowSession } from '../types.ts';

/** Ends a session and stores the explanation. The output files of its steps stay. */
export async function abortWorkflow(
  ports: { readonly sessions: WorkflowSessions; readonly clock: Clock },
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

/** Returns the session that the caller means. If its file may be an unreadable one, renames that file and fails. */
export async function findSession(sessions: WorkflowSessions, wanted: AskedSession): Promise<Result<WorkflowSession>> {
  const all = await sessions.all();
  if (!all.ok) return all;
  const { named } = wanted;
  const damaged = all.value.unreadable.find(({ id }) => named === null || named === id);
  if (damaged === undefined) return chooseSession(all.value.sessions, wanted);
  const aside = await sessions.putAside(damaged.id);
  return aside.ok ? err({ kind: 'unreadable-session', ...damaged, aside: aside.value }) : aside;
}
