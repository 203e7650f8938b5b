import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { asNobody } from '@onceover/testing/as-nobody.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openLock, processInfo } from '../../src/platform/lock.ts';

const ROOT = '/some/working tree';
const FOLDER = `onceover/locks/${createHash('sha256').update(ROOT).digest('hex').slice(0, 16)}`;
const NO_PROCESS = 0x7fff_fff0;
const YEAR = 365 * 86_400;
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

/** Makes a lock of a working tree with these files in its folder of locks. */
function open(files: Readonly<Record<string, unknown>> = {}, base?: string) {
  const commonDir = temporaryFolder(base);
  const folder = join(commonDir, FOLDER);
  mkdirSync(folder, { recursive: true });
  for (const [name, value] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
  }
  const names = () => readdirSync(folder).sort();
  const readLock = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  return { commonDir, folder, names, read: readLock, lock: openLock({ root: ROOT, commonDir }) };
}

/** Returns the lock file of this process, with the given differences. */
async function ownerWith(changes: Readonly<Record<string, unknown>> = {}, renewedSecondsAgo = 1) {
  const startedAt = (await processInfo(process.pid))?.startedAt;
  const heartbeat = ago(renewedSecondsAgo);
  return { pid: process.pid, startedAt, host: hostname(), since: ago(90), heartbeat, ...changes };
}

test('a held lock is a file with its holder, which release removes', async () => {
  const { names, read, lock } = open();
  const takeResult = await lock.take();
  expect(names()).toEqual(['1.json']);
  const { since, ...owner } = await ownerWith({ heartbeat: expect.any(String) });
  expect(read('1.json')).toMatchObject(owner);
  expect(Date.now() - Date.parse(since)).toBeGreaterThan(0);
  if (takeResult.ok) await takeResult.value.release();
  expect(names()).toEqual([]);
});

test('each working tree of a clone has its own lock', async () => {
  const commonDir = temporaryFolder();
  const locks = ['/one', '/other'].map((root) => openLock({ root, commonDir }));
  const takeResults = await Promise.all(locks.map((lock) => lock.take()));
  expect(takeResults.map((result) => result.ok)).toEqual([true, true]);
  expect(readdirSync(join(commonDir, 'onceover/locks'))).toHaveLength(2);
  for (const result of takeResults) if (result.ok) await result.value.release();
});

describe('the owner of a lock file', () => {
  const elsewhere = { host: 'another.example', pid: NO_PROCESS };
  const otherNamespace = { namespace: 'pid:[1]', pid: NO_PROCESS };
  const isLinux = process.platform === 'linux';

  test.each<[string, Readonly<Record<string, unknown>>, number, boolean]>([
    ['this process', {}, 1, true],
    ['this process, whose start is unknown', { startedAt: null }, 1, true],
    ['this process, by its number alone', { startedAt: undefined, namespace: undefined }, 1, true],
    ['this process, whose last heartbeat is a year old', {}, YEAR, true],
    ['this process, with a heartbeat of next year', {}, -YEAR, true],
    ['a process that is gone', { pid: NO_PROCESS }, 1, false],
    ['a process that is gone, and whose start is unknown', { pid: NO_PROCESS, startedAt: null }, 1, false],
    ['a process whose number another has now', { startedAt: 'some other time' }, 1, false],
    ['one on another host, renewed just now', elsewhere, 0, true],
    ['one on another host, renewed 50 seconds ago', elsewhere, 50, true],
    ['one on another host, renewed 60 seconds ago', elsewhere, 60, false],
    ['one on another host whose clock is a little ahead', elsewhere, -30, true],
    ['one on another host, renewed next year', elsewhere, -YEAR, false],
    ['one that cannot be seen from here, renewed just now', otherNamespace, 1, isLinux],
    ['one that cannot be seen from here, renewed 60 seconds ago', otherNamespace, 60, false],
  ])('%s', async (_, changes, renewedSecondsAgo, lives) => {
    const owner = await ownerWith(changes, renewedSecondsAgo);
    const { names, read, lock } = open({ '7.json': owner });
    const takeResult = await lock.take();
    if (lives) {
      const { pid, host, since } = owner;
      expect(takeResult).toEqual({ ok: false, failure: { kind: 'lock-held', pid, host, since } });
      expect(read('7.json')).toEqual(JSON.parse(JSON.stringify(owner)));
      expect(names()).toEqual(['7.json']);
    } else {
      expect(takeResult).toMatchObject({ ok: true });
      expect(names()).toEqual(['1.json']);
      if (takeResult.ok) await takeResult.value.release();
    }
  });

  test('is alive if one of several files has a running process', async () => {
    const dead = await ownerWith({ pid: NO_PROCESS });
    const { names, lock } = open({ '1.json': dead, '2.json': await ownerWith(), '3.json': dead });
    expect(await lock.take()).toMatchObject({ ok: false, failure: { kind: 'lock-held', pid: process.pid } });
    expect(names()).toEqual(['1.json', '2.json', '3.json']);
  });

  test('is removed with all other dead owners, and no other file', async () => {
    const dead = await ownerWith({ pid: NO_PROCESS });
    const { names, lock } = open({ '1.json': dead, '2.json': dead, '12.json': dead, 'notes.txt': '', '0.json': dead });
    const takeResult = await lock.take();
    expect(names()).toEqual(['0.json', '3.json', 'notes.txt']);
    if (takeResult.ok) await takeResult.value.release();
  });
});

test.each(Array.from({ length: 30 }, (_, turn) => turn))(
  'when another puts its file there %i turns after one has begun to take the lock, the first one has it',
  async (turn) => {
    const { folder, names, lock } = open({ '1.json': await ownerWith({ pid: NO_PROCESS }) });
    const otherOwner = JSON.stringify(await ownerWith({ host: 'another.example' }));
    const taking = lock.take();
    for (let n = 0; n < turn; n++) await null;
    const wasFirst = names().includes('2.json');
    writeFileSync(join(folder, '9.json'), otherOwner);
    const takeResult = await taking;
    expect(takeResult.ok).toBe(wasFirst);
    expect(names()).toEqual(wasFirst ? ['2.json', '9.json'] : ['1.json', '9.json']);
    if (takeResult.ok) await takeResult.value.release();
  },
);

test.each(Array.from({ length: 20 }, (_, turn) => turn))(
  'a file that goes %i turns after one has begun to take the lock causes no failure',
  async (turn) => {
    const dead = await ownerWith({ pid: NO_PROCESS });
    const { folder, names, lock } = open({ '1.json': dead, '2.json': dead });
    const taking = lock.take();
    for (let n = 0; n < turn; n++) await null;
    rmSync(join(folder, '2.json'), { force: true });
    const takeResult = await taking;
    expect(takeResult).toMatchObject({ ok: true });
    expect(names()).toHaveLength(1);
    if (takeResult.ok) await takeResult.value.release();
  },
);

describe('an unreadable lock file', () => {
  test.each<[string, (owner: Readonly<Record<string, unknown>>) => unknown]>([
    ['empty', () => ''],
    ['broken off', (owner) => JSON.stringify(owner).slice(0, -1)],
    ['null', () => null],
    ['a list', (owner) => [owner]],
    ['without a process', (owner) => ({ ...owner, pid: undefined })],
    ['with a text for a process', (owner) => ({ ...owner, pid: String(owner['pid']) })],
    ['with the number of a group', (owner) => ({ ...owner, pid: -process.pid })],
    ['with half a process', (owner) => ({ ...owner, pid: 1.5 })],
    ['without a host', (owner) => ({ ...owner, host: null })],
    ['without a beginning', (owner) => ({ ...owner, since: undefined })],
    ['with a date that has hidden text', (owner) => ({ ...owner, since: 'Sun, 01 Mar 2026 12:00:00 GMT (\x1b[31m)' })],
    ['with a heartbeat that is no time', (owner) => ({ ...owner, heartbeat: 'just now' })],
  ])('blocks for a minute: %s', async (_, change) => {
    const { folder, names, lock } = open({ '1.json': change(await ownerWith()) });
    const failure = { kind: 'lock-held', pid: 0, host: 'an unknown host', since: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(await lock.take()).toEqual({ ok: false, failure: failure });
    const old = Date.now() / 1000 - 61;
    utimesSync(join(folder, '1.json'), old, old);
    const takeResult = await lock.take();
    expect(takeResult).toMatchObject({ ok: true });
    expect(names()).toEqual(['2.json']);
    if (takeResult.ok) await takeResult.value.release();
  });

  test('blocks for a minute if it is a folder, and is then ignored', async () => {
    const { folder, names, lock } = open();
    mkdirSync(join(folder, '1.json'));
    expect(await lock.take()).toMatchObject({ ok: false, failure: { kind: 'lock-held', pid: 0 } });
    utimesSync(join(folder, '1.json'), 1_000_000, 1_000_000);
    const takeResult = await lock.take();
    expect(names()).toEqual(['1.json', '2.json']);
    if (takeResult.ok) await takeResult.value.release();
    expect(names()).toEqual(['1.json']);
  });
});

describe('a held lock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('renews its heartbeat every ten seconds until it is released', async () => {
    vi.setSystemTime('2026-03-01T12:00:00.000Z');
    const { names, read, lock } = open();
    const takeResult = await lock.take();
    vi.advanceTimersByTime(9_000);
    expect(read('1.json')).toMatchObject({ heartbeat: '2026-03-01T12:00:00.000Z' });
    vi.advanceTimersByTime(1_000);
    const since = '2026-03-01T12:00:00.000Z';
    expect(read('1.json')).toMatchObject({ pid: process.pid, since, heartbeat: '2026-03-01T12:00:10.000Z' });
    vi.advanceTimersByTime(20_000);
    expect(read('1.json')).toMatchObject({ pid: process.pid, since, heartbeat: '2026-03-01T12:00:30.000Z' });
    if (takeResult.ok) await takeResult.value.release();
    expect(names()).toEqual([]);
    vi.advanceTimersByTime(60_000);
    expect(names()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('can be released twice without affecting the next holder, even at the same moment', async () => {
    const { names, lock } = open();
    const first = await lock.take();
    if (first.ok) await first.value.release();
    const second = await lock.take();
    if (first.ok) await first.value.release();
    expect(names()).toEqual(['1.json']);
    if (second.ok) await second.value.release();
    expect(names()).toEqual([]);
  });

  test('does not write a removed file again', async () => {
    const { folder, names, lock } = open();
    const takeResult = await lock.take();
    rmSync(join(folder, '1.json'));
    vi.advanceTimersByTime(30_000);
    expect(names()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    if (takeResult.ok) await takeResult.value.release();
  });

  test('does not touch a file that another process has replaced', async () => {
    const { folder, read, lock } = open();
    const takeResult = await lock.take();
    const otherOwner = await ownerWith({ host: 'another.example' });
    writeFileSync(join(folder, '1.json'), JSON.stringify(otherOwner));
    vi.advanceTimersByTime(30_000);
    if (takeResult.ok) await takeResult.value.release();
    expect(read('1.json')).toEqual(JSON.parse(JSON.stringify(otherOwner)));
  });

  test('retries a failed heartbeat with the next one', async () => {
    const { folder, read, lock } = open();
    const takeResult = await lock.take();
    const before = readFileSync(join(folder, '1.json'), 'utf8');
    rmSync(join(folder, '1.json'));
    mkdirSync(join(folder, '1.json'));
    vi.advanceTimersByTime(10_000);
    rmSync(join(folder, '1.json'), { recursive: true });
    writeFileSync(join(folder, '1.json'), before);
    vi.advanceTimersByTime(10_000);
    expect(read('1.json')).not.toEqual(JSON.parse(before));
    if (takeResult.ok) await takeResult.value.release();
  });

  test.runIf(process.getuid?.() === 0)('a heartbeat in a folder that is read-only for a while', async () => {
    const { commonDir, folder, read, lock } = open({}, '/tmp');
    chmodSync(commonDir, 0o777);
    chmodSync(folder, 0o777);
    const takeResult = await lock.take();
    const before = read('1.json');
    chmodSync(folder, 0o555);
    await asNobody(async () => vi.advanceTimersByTime(10_000));
    expect(read('1.json')).toEqual(before);
    chmodSync(folder, 0o777);
    vi.advanceTimersByTime(10_000);
    expect(read('1.json')).not.toEqual(before);
    if (takeResult.ok) await takeResult.value.release();
    expect(existsSync(join(folder, '1.json'))).toBe(false);
  });

  test.each([-365, -1, 1, 365])('stays held if the clock jumps by %i days', async (days) => {
    const { lock } = open();
    const takeResult = await lock.take();
    vi.setSystemTime(Date.now() + days * 86_400_000);
    expect(await lock.take()).toMatchObject({ ok: false, failure: { kind: 'lock-held' } });
    if (takeResult.ok) await takeResult.value.release();
  });
});

test('a released lock leaves no exit listener', async () => {
  const { lock } = open();
  const before = process.listenerCount('exit');
  const takeResult = await lock.take();
  expect(process.listenerCount('exit')).toBe(before + 1);
  if (takeResult.ok) await takeResult.value.release();
  expect(process.listenerCount('exit')).toBe(before);
});

test('removes old leftovers of a killed process', async () => {
  const { folder, names, lock } = open({ '.onceover-1-old': '', '.onceover-1-new': '' });
  utimesSync(join(folder, '.onceover-1-old'), 1_000_000, 1_000_000);
  const takeResult = await lock.take();
  expect(names()).toEqual(['.onceover-1-new', '1.json']);
  if (takeResult.ok) await takeResult.value.release();
});

test.each(['onceover', 'onceover/locks', FOLDER])('a symlink at %s is refused', async (path) => {
  const [commonDir, outside] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(commonDir, path, '..'), { recursive: true });
  symlinkSync(outside, join(commonDir, path));
  const failure = { kind: 'path-in-the-way', path: join(commonDir, path), found: 'symlink' };
  expect(await openLock({ root: ROOT, commonDir }).take()).toEqual({ ok: false, failure });
  expect(readdirSync(outside)).toEqual([]);
});

test.each([
  ['written', 0o555, 'write', '1.json'],
  ['listed', 0o333, 'read', ''],
] as const)('a folder that cannot be %s is a failure', async (_, mode, action, name) => {
  const { commonDir, folder, names, lock } = open({}, '/tmp');
  chmodSync(commonDir, 0o777);
  chmodSync(folder, mode);
  const takeResult = await asNobody(() => lock.take()).finally(() => chmodSync(folder, 0o777));
  const failure = { kind: 'disk', action, path: join(folder, name), code: 'EACCES' };
  expect(takeResult).toEqual({ ok: false, failure });
  expect(names()).toEqual([]);
});
