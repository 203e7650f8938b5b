import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { digestOf } from '../domain/digest.ts';
import { GENERATED_FOLDER } from '../domain/generated.ts';
import { isRecord } from '../domain/is-record.ts';
import { byCodePoint } from '../domain/order.ts';
import type { HeldLock, Lock, WorkflowSessions } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { UnreadableSession, WorkflowSession } from '../domain/workflow.ts';
import { checkFolder, listFolder, removeForgotten, writeWhole } from '../io/files.ts';
import { readOwn, writeNew } from '../io/own-file.ts';
import { makeIgnoredFolder } from './generated-folder.ts';
import { openLock } from './lock.ts';
import { putAside } from './put-aside.ts';

const FORMAT = 1;
const NAME = /^session_([a-z0-9-]{1,64})\.json$/;
const LONGEST_WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 10;

/** Sessions as `.deepwork/tmp/session_{id}.json`, each written whole; whoever changes one holds a lock for that moment. */
export function openWorkflowSessions(
  { root, commonDir }: Pick<Place, 'root' | 'commonDir'>,
  longestWaitMs = LONGEST_WAIT_MS,
): WorkflowSessions {
  const folder = join(root, GENERATED_FOLDER);
  const makeFolder = () => makeIgnoredFolder(root, GENERATED_FOLDER);

  const read = (id: string): Result<WorkflowSession | 'unreadable' | null> => {
    const there = checkFolder(root, GENERATED_FOLDER);
    if (!there.ok) return there;
    const text = readOwn(join(folder, fileOf(id)));
    if (!text.ok) return text;
    return done(text.value === null ? null : parse(text.value, id));
  };

  const putUnreadableAside = (id: string): Result<string | null> => {
    const now = read(id);
    if (!now.ok) return now;
    if (now.value !== 'unreadable') return done(null);
    const aside = putAside(folder, fileOf(id), new Date());
    return aside.ok ? done(`${GENERATED_FOLDER}/${aside.value}`) : aside;
  };

  return {
    async all() {
      const there = checkFolder(root, GENERATED_FOLDER);
      if (!there.ok) return there;
      const listed = listFolder(folder);
      if (!listed.ok) return listed;
      const sessions: WorkflowSession[] = [];
      const unreadable: UnreadableSession[] = [];
      for (const { name } of listed.value) {
        const id = NAME.exec(name)?.[1];
        const session = id === undefined ? done(null) : read(id);
        if (!session.ok) return session;
        if (id === undefined || session.value === null) continue;
        if (session.value === 'unreadable') unreadable.push({ id, path: `${GENERATED_FOLDER}/${name}` });
        else sessions.push(session.value);
      }
      return done({ sessions: sessions.sort(newestFirst), unreadable });
    },

    async create(session) {
      const made = makeFolder();
      if (!made.ok) return made;
      removeForgotten(made.value, Date.now());
      const written = writeNew(made.value, fileOf(session.id), textOf(session));
      return written.ok ? done(written.value === 'written' ? 'created' : 'taken') : written;
    },

    async update(id, change) {
      const lock = await takeLock(sessionsLock({ root, commonDir }), longestWaitMs);
      if (!lock.ok) return lock;
      if (lock.value === null) return failed({ kind: 'session-busy', id });
      try {
        const now = read(id);
        if (!now.ok) return now;
        if (now.value === null) return failed({ kind: 'unknown-session', id, active: [] });
        if (now.value === 'unreadable') {
          const aside = putUnreadableAside(id);
          return aside.ok ? failed({ kind: 'unreadable-session', id, path: pathOf(id), aside: aside.value }) : aside;
        }
        const changed = change(now.value);
        if (!changed.ok) return changed;
        const written = writeWhole(folder, fileOf(id), textOf(changed.value.session));
        return written.ok ? done(changed.value.value) : written;
      } finally {
        await lock.value.release();
      }
    },

    async putAside(id) {
      return putUnreadableAside(id);
    },

    async writeInstructions(id, step, text) {
      const made = makeFolder();
      if (!made.ok) return made;
      const name = `quality_review_${id}_${step}.md`;
      const written = writeWhole(made.value, name, text);
      return written.ok ? done(`${GENERATED_FOLDER}/${name}` as RepoPath) : written;
    },
  };
}

/** One lock for the sessions of a working tree, beside that of runs; it is held for the time of one write. */
export function sessionsLock({ root, commonDir }: Pick<Place, 'root' | 'commonDir'>): Lock {
  return openLock({ root: `${root}\0sessions`, commonDir });
}

/** Null: somebody else has it all the time. */
async function takeLock(lock: Lock, longestWaitMs: number): Promise<Result<HeldLock | null>> {
  const until = performance.now() + longestWaitMs;
  for (;;) {
    const taken = await lock.take();
    if (taken.ok || taken.failure.kind !== 'lock-held') return taken;
    if (performance.now() > until) return done(null);
    await sleep(LOOK_AGAIN_MS * (0.5 + Math.random()));
  }
}

function fileOf(id: string): string {
  return `session_${id}.json`;
}

function pathOf(id: string): string {
  return `${GENERATED_FOLDER}/${fileOf(id)}`;
}

function newestFirst(a: WorkflowSession, b: WorkflowSession): number {
  return byCodePoint(b.startedAt, a.startedAt) || byCodePoint(b.id, a.id);
}

function textOf(session: WorkflowSession): string {
  return `${JSON.stringify({ format: FORMAT, digest: digestOf(session), session }, null, 2)}\n`;
}

/** What has its digest was written by us, whole; anything else is not gone on with. */
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
