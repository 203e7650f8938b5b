import { sha256 } from '@onceover/base/kernel/ids';
import { GENERATED_FOLDER } from '@onceover/base/kernel/paths';
import { err, ok } from '@onceover/base/kernel/result';
import type { TeamStore } from '@onceover/store/store';
import type { UnreadableSession, WorkflowSession } from '../types.ts';
import {
  newestFirst,
  parseSession,
  SESSION_ID,
  sessionFileName,
  sessionText,
  type WorkflowSessions,
} from './session-files.ts';

/** Opens the sessions of a worktree in the store for teams. Every change locks the database row of its session. */
export function postgresSessions(
  { database, repository, clone }: TeamStore,
  root: string,
  files: Pick<WorkflowSessions, 'writeInstructions'>,
): WorkflowSessions {
  // If no session id is given, the newest session is meant. It must not be the session of a colleague, so the key
  // contains the clone and the folder.
  const worktree = sha256(JSON.stringify([clone, root]));
  const worktreeKey = [repository, worktree];
  const pathOf = (id: string) => `${GENERATED_FOLDER}/${sessionFileName(id)}`;
  const ONE = 'repository = $1 AND worktree = $2 AND id = $3';

  /** Renames an unreadable session, so that it is ignored. Returns its new name. */
  async function putAside(id: string) {
    return database.transaction(async (query) => {
      const [row] = await query<{ document: string }>(
        `SELECT document FROM onceover.workflow_sessions WHERE ${ONE} FOR UPDATE`,
        [...worktreeKey, id],
      );
      if (row === undefined || parseSession(row.document, id) !== 'unreadable') return ok(null);
      const aside = `${id}.unreadable-${Date.now()}`;
      await query(`UPDATE onceover.workflow_sessions SET id = $4 WHERE ${ONE}`, [...worktreeKey, id, aside]);
      return ok(aside);
    });
  }

  return {
    putAside,
    async all() {
      const rows = await database.query<{ id: string; document: string }>(
        'SELECT id, document FROM onceover.workflow_sessions WHERE repository = $1 AND worktree = $2',
        worktreeKey,
      );
      const sessions: WorkflowSession[] = [];
      const unreadable: UnreadableSession[] = [];
      for (const { id, document } of rows.filter((row) => SESSION_ID.test(row.id))) {
        const session = parseSession(document, id);
        if (session === 'unreadable') unreadable.push({ id, path: pathOf(id) });
        else sessions.push(session);
      }
      return ok({ sessions: newestFirst(sessions), unreadable });
    },
    async create(session) {
      const text = sessionText(session);
      await database.query(
        `INSERT INTO onceover.workflow_sessions (repository, worktree, id, document) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING`,
        [...worktreeKey, session.id, text],
      );
      const [row] = await database.query<{ document: string }>(
        `SELECT document FROM onceover.workflow_sessions WHERE ${ONE}`,
        [...worktreeKey, session.id],
      );
      return ok(row?.document === text ? 'written' : 'taken');
    },
    async update(id, change) {
      const outcome = await database.transaction(async (query) => {
        const [row] = await query<{ document: string }>(
          `SELECT document FROM onceover.workflow_sessions WHERE ${ONE} FOR UPDATE`,
          [...worktreeKey, id],
        );
        if (row === undefined) return err({ kind: 'unknown-session', id, active: [] });
        const now = parseSession(row.document, id);
        if (now === 'unreadable') return 'unreadable';
        const next = change(now);
        if (!next.ok) return next;
        await query(`UPDATE onceover.workflow_sessions SET document = $4, written_at = now() WHERE ${ONE}`, [
          ...worktreeKey,
          id,
          sessionText(next.value),
        ]);
        return next;
      });
      if (outcome !== 'unreadable') return outcome;
      const aside = await putAside(id);
      return aside.ok ? err({ kind: 'unreadable-session', id, path: pathOf(id), aside: aside.value }) : aside;
    },
    // Instructions are written to a file and not to the database, because reviewers have to read them.
    writeInstructions: files.writeInstructions,
  };
}
