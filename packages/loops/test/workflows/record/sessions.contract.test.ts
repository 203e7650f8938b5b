import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { SessionId } from '@onceover/base/kernel/ids';
import { err, ok } from '@onceover/base/kernel/result';
import { teamStore } from '@onceover/store/store';
import { memorySessions } from '@onceover/testing/memory/workflow-sessions.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { newGitFolder, onPostgres } from '@onceover/testing/team-store.ts';
import { failedReview, jobOf, output, sessionOf, stepOf } from '@onceover/testing/workflow/samples.ts';
import { describe, expect, test } from 'vitest';
import { openWorkflowSessions, sessionsLock, type WorkflowSessions } from '../../../src/workflows/record/sessions.ts';
import { finishStep, openSteps, recordPass, recordVerdict } from '../../../src/workflows/session.ts';
import type { WorkflowSession } from '../../../src/workflows/types.ts';

sessionsContract('in memory', () => {
  const sessions = memorySessions();
  return { sessions, again: () => sessions, damage: sessions.damage };
});
sessionsContract('on disk', () => {
  const place = { root: temporaryFolder(), commonDir: temporaryFolder() };
  const open = () => openWorkflowSessions(place);
  const damage = (id: SessionId) => writeFileSync(join(place.root, `.deepwork/tmp/session_${id}.json`), '{"half');
  return { sessions: open(), again: open, damage };
});

onPostgres(() =>
  sessionsContract('on PostgreSQL', () => {
    const place = { root: temporaryFolder(), commonDir: newGitFolder() };
    const open = () => openWorkflowSessions(place);
    const damage = async (id: SessionId) => {
      const { database, repository } = await teamStore(place.commonDir);
      const sql = 'UPDATE onceover.workflow_sessions SET document = $3 WHERE repository = $1 AND id = $2';
      await database.query(sql, [repository, id, '{"half']);
    };
    return { sessions: open(), again: open, damage };
  }),
);

type Opened = {
  readonly sessions: WorkflowSessions;
  /** Opens the same sessions as another client. */
  again(): WorkflowSessions;
  damage(id: SessionId): void | Promise<void>;
};

const job = jobOf([stepOf('a', { outputs: { ...output('1'), ...output('toString') } }), stepOf('b')]);

const session = (id: string, fields: Partial<WorkflowSession> = {}) =>
  sessionOf(job, { id: id as SessionId, ...fields });

/** The contract of WorkflowSessions. */
function sessionsContract(name: string, open: () => Opened): void {
  describe(`workflow sessions ${name}`, () => {
    const ids = async (sessions: WorkflowSessions) => {
      const list = await sessions.all();
      return list.ok ? list.value.sessions.map(({ id }) => id) : list.failure.kind;
    };
    const readSession = async (sessions: WorkflowSessions, id: string) => {
      const list = await sessions.all();
      return list.ok ? list.value.sessions.find((candidate) => candidate.id === id) : undefined;
    };

    test('are empty at first', async () => {
      expect(await open().sessions.all()).toEqual({ ok: true, value: { sessions: [], unreadable: [] } });
    });

    test('show a new session to all clients, and its id is taken', async () => {
      const { sessions, again } = open();
      expect(await sessions.create(session('ab12'))).toEqual(ok('written'));
      expect(await readSession(again(), 'ab12')).toEqual(session('ab12'));
      expect(await again().create(session('ab12', { goal: 'Else.' }))).toEqual(ok('taken'));
      expect(await readSession(sessions, 'ab12')).toEqual(session('ab12'));
    });

    test('list the newest first', async () => {
      const { sessions } = open();
      for (const [id, day] of [
        ['a', 2],
        ['c', 1],
        ['b', 3],
        ['d', 3],
      ] as const) {
        await sessions.create(session(id, { startedAt: `2026-03-0${day}T12:00:00.000Z` }));
      }
      expect(await ids(sessions)).toEqual(['d', 'b', 'a', 'c']);
    });

    test('apply a change to the current state and return the new state', async () => {
      const { sessions, again } = open();
      await sessions.create(session('ab12'));
      const outputs = { 1: 'one.md', toString: 'ä 日本 "x".md' };
      const completion = { at: '2026-03-01', outputs, notes: 'With\nnotes.', override: null };
      await sessions.update('ab12' as SessionId, (now) => ok(recordVerdict(now, 'a', [failedReview('step')])));
      const update = await again().update('ab12' as SessionId, (now) => ok(finishStep(now, 'a', completion)));
      expect(update.ok && openSteps(update.value).map(({ id }) => id)).toEqual(['b']);
      const storedSession = await readSession(sessions, 'ab12');
      expect(storedSession?.steps[0]).toMatchObject({
        attempts: 1,
        failed: [failedReview('step')],
        finished: completion,
      });
    });

    test('write nothing if the change fails', async () => {
      const { sessions } = open();
      await sessions.create(session('ab12'));
      const failure = { kind: 'session-busy', id: 'ab12' } as const;
      expect(await sessions.update('ab12' as SessionId, () => err(failure))).toEqual(err(failure));
      expect(await readSession(sessions, 'ab12')).toEqual(session('ab12'));
    });

    test('fail to change an unknown session', async () => {
      const never = () => {
        throw new Error('asked');
      };
      expect(await open().sessions.update('nope' as SessionId, never)).toMatchObject({
        ok: false,
        failure: { kind: 'unknown-session', id: 'nope' },
      });
    });

    test('lose none of many concurrent changes', async () => {
      const { sessions, again } = open();
      await sessions.create(session('ab12'));
      const add = (client: WorkflowSessions, digest: string) =>
        client.update('ab12' as SessionId, (now) => ok(recordPass(now, 'a', digest)));
      const digests = Array.from({ length: 12 }, (_, i) => `d${i}`);
      const ends = await Promise.all(digests.map((digest, i) => add(i % 2 === 0 ? sessions : again(), digest)));
      expect(ends.every(({ ok }) => ok)).toBe(true);
      expect((await readSession(sessions, 'ab12'))?.steps[0]?.passed.toSorted()).toEqual(digests.toSorted());
    });

    test('report an unreadable session and keep the others', async () => {
      const { sessions, damage } = open();
      await sessions.create(session('good'));
      await sessions.create(session('bad'));
      await damage('bad' as SessionId);
      const list = await sessions.all();
      expect(list.ok && list.value.unreadable).toEqual([{ id: 'bad', path: '.deepwork/tmp/session_bad.json' }]);
      expect(await ids(sessions)).toEqual(['good']);
      const aside = await sessions.putAside('bad');
      expect(aside).toMatchObject({ ok: true, value: expect.stringContaining('bad') });
      expect(await sessions.all()).toMatchObject({ ok: true, value: { unreadable: [] } });
      expect(await sessions.putAside('bad')).toEqual(ok(null));
      expect(await sessions.putAside('good')).toEqual(ok(null));
    });

    test('rename an unreadable session on a change', async () => {
      const { sessions, damage } = open();
      await sessions.create(session('bad'));
      await damage('bad' as SessionId);
      const update = () => sessions.update('bad' as SessionId, (now) => ok(now));
      expect(await update()).toMatchObject({
        ok: false,
        failure: { kind: 'unreadable-session', id: 'bad', aside: expect.stringContaining('bad') },
      });
      expect(await update()).toMatchObject({ ok: false, failure: { kind: 'unknown-session' } });
    });

    test('write instructions to the required path [JOBS-REQ-004.2.8]', async () => {
      const { sessions } = open();
      expect(await sessions.writeInstructions('ab12' as SessionId, 'a', 'First.')).toEqual(
        ok('.deepwork/tmp/quality_review_ab12_a.md'),
      );
      expect((await sessions.writeInstructions('ab12' as SessionId, 'a', 'Second.')).ok).toBe(true);
      expect(await ids(sessions)).toEqual([]);
    });
  });
}

describe('on disk', () => {
  const place = () => ({ root: temporaryFolder(), commonDir: temporaryFolder() });
  const folderOf = (root: string) => join(root, '.deepwork/tmp');

  test('a session is one file that git ignores, without leftover locks or temporary files', async () => {
    const where = place();
    const sessions = openWorkflowSessions(where);
    await sessions.create(session('ab12'));
    await sessions.update('ab12' as SessionId, (now) => ok(now));
    await sessions.writeInstructions('ab12' as SessionId, 'a', 'Read.\n');
    expect(readdirSync(folderOf(where.root)).sort()).toEqual([
      '.gitignore',
      'quality_review_ab12_a.md',
      'session_ab12.json',
    ]);
    expect(readFileSync(join(folderOf(where.root), '.gitignore'), 'utf8')).toBe('*\n');
    expect(readFileSync(join(folderOf(where.root), 'quality_review_ab12_a.md'), 'utf8')).toBe('Read.\n');
    const locks = readdirSync(join(where.commonDir, 'onceover/locks'), { recursive: true, withFileTypes: true });
    expect(locks.filter((entry) => entry.isFile())).toEqual([]);
  });

  test.each<[title: string, damage: (text: string) => string]>([
    ['half a file', (text) => text.slice(0, text.length / 2)],
    ['an empty file', () => ''],
    ['another goal', (text) => text.replace('Find out.', 'Find in.')],
    ['another format', (text) => text.replace('"format": 1', '"format": 2')],
    ['another session', (text) => text.replaceAll('"ab12"', '"cd34"')],
    ['null', () => 'null'],
  ])('a damaged file is unreadable: %s', async (_, damage) => {
    const where = place();
    const sessions = openWorkflowSessions(where);
    await sessions.create(session('ab12'));
    const file = join(folderOf(where.root), 'session_ab12.json');
    const text = damage(readFileSync(file, 'utf8'));
    writeFileSync(file, text);
    expect(await sessions.all()).toMatchObject({ ok: true, value: { sessions: [], unreadable: [{ id: 'ab12' }] } });
    const aside = await sessions.putAside('ab12');
    expect(aside.ok && readFileSync(join(where.root, aside.value ?? ''), 'utf8')).toBe(text);
  });

  test('a link in place of the folder is rejected', async () => {
    const where = place();
    mkdirSync(join(where.root, '.deepwork'));
    symlinkSync(temporaryFolder(), folderOf(where.root));
    const sessions = openWorkflowSessions(where);
    const refusal = { ok: false, failure: { kind: 'path-in-the-way', found: 'symlink' } };
    expect(await sessions.all()).toMatchObject(refusal);
    expect(await sessions.create(session('ab12'))).toMatchObject(refusal);
    expect(await sessions.writeInstructions('ab12' as SessionId, 'a', 'x')).toMatchObject(refusal);
  });

  test('the lock of a killed process is taken over', async () => {
    const where = place();
    const sessions = openWorkflowSessions(where);
    await sessions.create(session('ab12'));
    const update = () => sessions.update('ab12' as SessionId, (now) => ok(now));
    await update();
    const [folder] = readdirSync(join(where.commonDir, 'onceover/locks'));
    const then = '2026-03-01T12:00:00.000Z';
    const dead = { pid: 2 ** 22 + 5, host: hostname(), since: then, heartbeat: then, startedAt: null };
    writeFileSync(join(where.commonDir, 'onceover/locks', folder ?? '', '1.json'), JSON.stringify(dead));
    expect(await update()).toEqual(ok(session('ab12')));
  });

  test('a lock that another process keeps is reported, and nothing is written', async () => {
    const where = place();
    const sessions = openWorkflowSessions(where, 30);
    await sessions.create(session('ab12'));
    const lock = await sessionsLock(where).take();
    expect(await sessions.update('ab12' as SessionId, (now) => ok(now))).toEqual(
      err({ kind: 'session-busy', id: 'ab12' }),
    );
    if (lock.ok) await lock.value.release();
    expect((await sessions.update('ab12' as SessionId, (now) => ok(now))).ok).toBe(true);
  });

  test('a folder in place of a session file is not a missing session', async () => {
    const where = place();
    mkdirSync(join(folderOf(where.root), 'session_ab12.json'), { recursive: true });
    const sessions = openWorkflowSessions(where);
    const refusal = { ok: false, failure: { kind: 'disk', action: 'read' } };
    expect(await sessions.all()).toMatchObject(refusal);
    expect(await sessions.update('ab12' as SessionId, (now) => ok(now))).toMatchObject(refusal);
    expect(await sessions.putAside('ab12')).toMatchObject(refusal);
  });

  test('a lock that cannot be created is a failure', async () => {
    const where = place();
    writeFileSync(join(where.commonDir, 'onceover'), 'in the way');
    const sessions = openWorkflowSessions(where);
    await sessions.create(session('ab12'));
    const end = await sessions.update('ab12' as SessionId, (now) => ok(now));
    expect(end).toMatchObject({ ok: false, failure: { kind: 'path-in-the-way' } });
  });
});
