import { setTimeout as sleep } from 'node:timers/promises';
import { byCodePoint } from '@onceover/base/kernel/collections';
import { digestOf, type RepoPath, type SessionId } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import { GENERATED_FOLDER } from '@onceover/base/kernel/paths';
import type { HeldLock, Lock } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { removeLeftovers, writeAtomically } from '@onceover/base/platform/files';
import { makeIgnoredFolder, renameUnreadable } from '@onceover/base/platform/generated-files';
import { openLock } from '@onceover/base/platform/lock';
import { openFolder, writeNew } from '@onceover/base/platform/private-files';
import type { UnreadableSession, WorkflowSession } from '../types.ts';

const FORMAT = 1;

export const SESSION_ID = /^[a-z0-9-]{1,64}$/;

const NAME = /^session_([a-z0-9-]{1,64})\.json$/;

const LONGEST_WAIT_MS = 10_000;

const RETRY_MS = 10;

/** The stored sessions, active and ended ones. Several processes can read and change them at the same time. */
export type WorkflowSessions = ReturnType<typeof openSessionFiles>;

type Place = Pick<RepositoryPaths, 'root' | 'commonDir'>;

/**
 * Opens the sessions, which are files `.deepwork/tmp/session_{id}.json`. They are written atomically, and every change
 * takes a lock.
 */
export function openSessionFiles({ root, commonDir }: Place, longestWaitMs = LONGEST_WAIT_MS) {
  const folder = openFolder(root, GENERATED_FOLDER);

  const readSession = (id: string): Result<WorkflowSession | 'unreadable' | null> => {
    const text = folder.text(sessionFileName(id));
    if (!text.ok) return text;
    return ok(text.value === null ? null : parseSession(text.value, id));
  };

  /**
   * Renames an unreadable session file and returns its new path; `null` if the file no longer exists or is readable.
   */
  const putAside = async (id: string): Promise<Result<string | null>> => {
    const now = readSession(id);
    if (!now.ok) return now;
    if (now.value !== 'unreadable') return ok(null);
    const aside = renameUnreadable(folder.path, sessionFileName(id), new Date());
    return aside.ok ? ok(`${GENERATED_FOLDER}/${aside.value}`) : aside;
  };

  return {
    putAside,

    /** Returns all readable sessions, newest first, and the unreadable ones. */
    async all(): Promise<
      Result<{ readonly sessions: readonly WorkflowSession[]; readonly unreadable: readonly UnreadableSession[] }>
    > {
      const entries = folder.list();
      if (!entries.ok) return entries;
      const sessions: WorkflowSession[] = [];
      const unreadable: UnreadableSession[] = [];
      for (const { name } of entries.value) {
        const id = NAME.exec(name)?.[1];
        if (id === undefined) continue;
        const session = readSession(id);
        if (!session.ok) return session;
        if (session.value === 'unreadable') unreadable.push({ id, path: `${GENERATED_FOLDER}/${name}` });
        else if (session.value !== null) sessions.push(session.value);
      }
      return ok({ sessions: newestFirst(sessions), unreadable });
    },

    /** Stores a new session. If its id already exists, writes nothing and returns `taken`. */
    async create(session: WorkflowSession): Promise<Result<'written' | 'taken'>> {
      const generatedFolder = makeIgnoredFolder(root, GENERATED_FOLDER);
      if (!generatedFolder.ok) return generatedFolder;
      removeLeftovers(generatedFolder.value, Date.now());
      return writeNew(generatedFolder.value, sessionFileName(session.id), sessionText(session));
    },

    /** Changes a stored session under a lock and returns it. If its file is unreadable, renames the file and fails. */
    async update(
      id: SessionId,
      change: (session: WorkflowSession) => Result<WorkflowSession>,
    ): Promise<Result<WorkflowSession>> {
      const lock = await takeLock(sessionsLock({ root, commonDir }), id, longestWaitMs);
      if (!lock.ok) return lock;
      try {
        const now = readSession(id);
        if (!now.ok) return now;
        if (now.value === null) return err({ kind: 'unknown-session', id, active: [] });
        if (now.value === 'unreadable') {
          const aside = await putAside(id);
          const path = `${GENERATED_FOLDER}/${sessionFileName(id)}`;
          return aside.ok ? err({ kind: 'unreadable-session', id, path, aside: aside.value }) : aside;
        }
        const nextSession = change(now.value);
        if (!nextSession.ok) return nextSession;
        const writeResult = folder.write(sessionFileName(id), sessionText(nextSession.value));
        return writeResult.ok ? nextSession : writeResult;
      } finally {
        await lock.value.release();
      }
    },

    /** Writes the instructions for a self-review of a step, and returns the path of the file. */
    async writeInstructions(id: SessionId, step: string, text: string): Promise<Result<RepoPath>> {
      const generatedFolder = makeIgnoredFolder(root, GENERATED_FOLDER);
      if (!generatedFolder.ok) return generatedFolder;
      const name = `quality_review_${id}_${step}.md`;
      const writeResult = writeAtomically(generatedFolder.value, name, text);
      return writeResult.ok ? ok(`${GENERATED_FOLDER}/${name}` as RepoPath) : writeResult;
    },
  };
}

export function newestFirst(sessions: readonly WorkflowSession[]): readonly WorkflowSession[] {
  return [...sessions].sort((a, b) => byCodePoint(b.startedAt, a.startedAt) || byCodePoint(b.id, a.id));
}

/** Returns the lock for all sessions of a worktree. It is not the lock of runs, and is held only during one change. */
export function sessionsLock({ root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>): Lock {
  return openLock({ root: `${root}\0sessions`, commonDir });
}

/** Takes the lock. Fails if another process still holds it after `longestWaitMs`. */
async function takeLock(lock: Lock, id: SessionId, longestWaitMs: number): Promise<Result<HeldLock>> {
  const until = performance.now() + longestWaitMs;
  for (;;) {
    const heldLock = await lock.take();
    if (heldLock.ok || heldLock.failure.kind !== 'lock-held') return heldLock;
    if (performance.now() > until) return err({ kind: 'session-busy', id });
    await sleep(RETRY_MS * (0.5 + Math.random()));
  }
}

export function sessionFileName(id: string): string {
  return `session_${id}.json`;
}

export function sessionText(session: WorkflowSession): string {
  return `${JSON.stringify({ format: FORMAT, digest: digestOf(session), session }, null, 2)}\n`;
}

/** Parses a session file. If its digest does not match, the file was cut off or edited, so it counts as unreadable. */
export function parseSession(text: string, id: string): WorkflowSession | 'unreadable' {
  try {
    const whole: unknown = JSON.parse(text);
    if (!isRecord(whole) || whole['format'] !== FORMAT || whole['digest'] !== digestOf(whole['session'])) {
      return 'unreadable';
    }
    const session = whole['session'] as WorkflowSession;
    return session.id === id ? session : 'unreadable';
  } catch {
    return 'unreadable';
  }
}
