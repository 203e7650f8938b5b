import { done, failed, type Result } from '../domain/result.ts';
import type { SessionId, WorkflowSession } from '../domain/workflow.ts';
import { nameOf } from './workflow-session.ts';

const MOST_ENDED = 3;

/**
 * The session that is meant: the one named; else the one that the same caller began; else the only one that is going on.
 * `sessions` are all, newest first.
 */
export function chooseSession(
  sessions: readonly WorkflowSession[],
  asked: { readonly named: string | null; readonly own: SessionId | null },
): Result<WorkflowSession> {
  const active = sessions.filter(({ end }) => end === null);
  if (asked.named !== null) {
    const found = sessions.find(({ id }) => id === asked.named);
    if (found === undefined) return failed({ kind: 'unknown-session', id: asked.named, active: active.map(nameOf) });
    return found.end === null ? done(found) : failed({ kind: 'session-ended', session: nameOf(found), end: found.end });
  }
  const [only, ...others] = active;
  if (only === undefined) {
    return failed({ kind: 'no-active-session', ended: sessions.slice(0, MOST_ENDED).map(nameOf) });
  }
  const own = active.find(({ id }) => id === asked.own);
  if (own !== undefined) return done(own);
  return others.length === 0 ? done(only) : failed({ kind: 'which-session', active: active.map(nameOf) });
}
