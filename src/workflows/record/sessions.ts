import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addUsage, type Usage } from '../../kernel/agent.ts';
import { byCodePoint } from '../../kernel/collections.ts';
import { digestOf, type RepoPath } from '../../kernel/ids.ts';
import { isRecord } from '../../kernel/json.ts';
import { GENERATED_FOLDER } from '../../kernel/paths.ts';
import type { HeldLock, Lock } from '../../kernel/ports.ts';
import type { RepositoryPaths } from '../../kernel/repository.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { LedgerStep } from '../../ledger/entries.ts';
import { checkFolder, listFolder, removeLeftovers, writeAtomically } from '../../platform/files.ts';
import { makeIgnoredFolder, renameUnreadable } from '../../platform/generated-files.ts';
import { openLock } from '../../platform/lock.ts';
import { readPrivateFile, writeNew } from '../../platform/private-files.ts';
import type { QualityQuestions } from '../quality/types.ts';
import type { UnreadableSession, WorkflowSession, WorkflowSessions } from '../types.ts';

/** Identifies a step of a session in the ledger. */
export type StepName = Pick<LedgerStep, 'job' | 'session' | 'step'>;

/** Returns the ledger entry of an evaluation with at least one call to an agent. */
export function stepEntry(
  { job, session, step }: StepName,
  { dispatches, isAnswered }: QualityQuestions,
  dated: Pick<LedgerStep, 'at' | 'startedBy' | 'branch'>,
): LedgerStep {
  const last = dispatches.at(-1);
  return {
    kind: 'step',
    ...dated,
    durationMs: Math.round(dispatches.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    job,
    session,
    step,
    status: isAnswered ? 'done' : 'error',
    agent: last?.agent ?? '',
    model: last?.model ?? null,
    dispatch: 'fresh',
    asks: dispatches.length,
    usage: dispatches.reduce<Usage | null>((sum, { usage }) => addUsage(sum, usage), null),
  };
}

const FORMAT = 1;

const NAME = /^session_([a-z0-9-]{1,64})\.json$/;

const LONGEST_WAIT_MS = 10_000;

const RETRY_MS = 10;

/** Opens the sessions in `.deepwork/tmp/session_{id}.json`. Files are written atomically; each change takes a lock. */
export function openWorkflowSessions(
  { root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>,
  longestWaitMs = LONGEST_WAIT_MS,
): WorkflowSessions {
  const folder = join(root, GENERATED_FOLDER);

  const read = (id: string): Result<WorkflowSession | 'unreadable' | null> => {
    const present = checkFolder(root, GENERATED_FOLDER);
    if (!present.ok) return present;
    const text = readPrivateFile(join(folder, fileOf(id)));
    if (!text.ok) return text;
    return ok(text.value === null ? null : parse(text.value, id));
  };

  const renameIfUnreadable = (id: string): Result<string | null> => {
    const now = read(id);
    if (!now.ok) return now;
    if (now.value !== 'unreadable') return ok(null);
    const aside = renameUnreadable(folder, fileOf(id), new Date());
    return aside.ok ? ok(`${GENERATED_FOLDER}/${aside.value}`) : aside;
  };

  return {
    async all() {
      const present = checkFolder(root, GENERATED_FOLDER);
      if (!present.ok) return present;
      const listed = listFolder(folder);
      if (!listed.ok) return listed;
      const sessions: WorkflowSession[] = [];
      const unreadable: UnreadableSession[] = [];
      for (const { name } of listed.value) {
        const id = NAME.exec(name)?.[1];
        const session = id === undefined ? ok(null) : read(id);
        if (!session.ok) return session;
        if (id === undefined || session.value === null) continue;
        if (session.value === 'unreadable') unreadable.push({ id, path: `${GENERATED_FOLDER}/${name}` });
        else sessions.push(session.value);
      }
      return ok({ sessions: sessions.sort(newestFirst), unreadable });
    },

    async create(session) {
      const made = makeIgnoredFolder(root, GENERATED_FOLDER);
      if (!made.ok) return made;
      removeLeftovers(made.value, Date.now());
      const written = writeNew(made.value, fileOf(session.id), textOf(session));
      return written.ok ? ok(written.value === 'written' ? 'created' : 'taken') : written;
    },

    async update(id, change) {
      const lock = await takeLock(sessionsLock({ root, commonDir }), longestWaitMs);
      if (!lock.ok) return lock;
      if (lock.value === null) return err({ kind: 'session-busy', id });
      try {
        const now = read(id);
        if (!now.ok) return now;
        if (now.value === null) return err({ kind: 'unknown-session', id, active: [] });
        if (now.value === 'unreadable') {
          const aside = renameIfUnreadable(id);
          return aside.ok
            ? err({ kind: 'unreadable-session', id, path: `${GENERATED_FOLDER}/${fileOf(id)}`, aside: aside.value })
            : aside;
        }
        const changed = change(now.value);
        if (!changed.ok) return changed;
        const written = writeAtomically(folder, fileOf(id), textOf(changed.value.session));
        return written.ok ? ok(changed.value.value) : written;
      } finally {
        await lock.value.release();
      }
    },

    async putAside(id) {
      return renameIfUnreadable(id);
    },

    async writeInstructions(id, step, text) {
      const made = makeIgnoredFolder(root, GENERATED_FOLDER);
      if (!made.ok) return made;
      const name = `quality_review_${id}_${step}.md`;
      const written = writeAtomically(made.value, name, text);
      return written.ok ? ok(`${GENERATED_FOLDER}/${name}` as RepoPath) : written;
    },
  };
}

/** Returns the lock for all sessions of a worktree, separate from the lock of runs. A holder keeps it for one write. */
export function sessionsLock({ root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>): Lock {
  return openLock({ root: `${root}\0sessions`, commonDir });
}

/** Takes the lock; resolves to `null` if another process still holds it after the longest wait. */
async function takeLock(lock: Lock, longestWaitMs: number): Promise<Result<HeldLock | null>> {
  const until = performance.now() + longestWaitMs;
  for (;;) {
    const taken = await lock.take();
    if (taken.ok || taken.failure.kind !== 'lock-held') return taken;
    if (performance.now() > until) return ok(null);
    await sleep(RETRY_MS * (0.5 + Math.random()));
  }
}

function fileOf(id: string): string {
  return `session_${id}.json`;
}

function newestFirst(a: WorkflowSession, b: WorkflowSession): number {
  return byCodePoint(b.startedAt, a.startedAt) || byCodePoint(b.id, a.id);
}

function textOf(session: WorkflowSession): string {
  return `${JSON.stringify({ format: FORMAT, digest: digestOf(session), session }, null, 2)}\n`;
}

/** Parses a session file. Its digest proves that onceover wrote the whole file; any other file is unreadable. */
function parse(text: string, id: string): WorkflowSession | 'unreadable' {
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
