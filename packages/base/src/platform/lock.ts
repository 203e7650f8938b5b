import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../kernel/ids.ts';
import { isRecord } from '../kernel/json.ts';
import type { HeldLock, Lock } from '../kernel/ports.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { isOrdinal, isString, isTime, orNull, readShape, type Shape } from '../kernel/shape.ts';
import { errorCode, makeFolder, removeLeftovers, statIfPresent } from './files.ts';
import { type Folder, openFolder, writeNew } from './private-files.ts';
import { runProcess } from './program.ts';

/** A running process. `startedAt` distinguishes it from a later process with the same pid; `null` if unknown. */
type RunningProcess = { readonly startedAt: string | null };

/** Returns the running process with this pid; `null` if there is none or if it is a zombie. */
export async function processInfo(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): Promise<RunningProcess | null> {
  if (!pidExists(pid)) return null;
  return platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

/** Returns the pid namespace of this process, which is different in each container; `null` if unknown. */
export function processNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

function pidExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

const UNKNOWN: RunningProcess = { startedAt: null };

// Reads a process from /proc. Its start time is counted in ticks since the machine was booted, so it is unique only
// together with the id of the boot.
function fromProc(pid: number): RunningProcess | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The program's name is in parentheses and may contain any character, so read only what follows the last
    // parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    return isZombie(state) ? null : { startedAt: ticks === undefined ? null : `${boot} ${ticks}` };
  } catch {
    return UNKNOWN;
  }
}

async function fromPs(pid: number): Promise<RunningProcess | null> {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const end = await runProcess('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], { cwd: '/', env });
  if (end.kind !== 'exited' || end.code !== 0) return UNKNOWN;
  const [state, ...start] = end.stdout.toString('utf8').trim().split(/\s+/);
  return isZombie(state) ? null : { startedAt: start.length === 0 ? null : start.join(' ') };
}

// A zombie is a process that has ended but whose exit code its parent has not read yet.
function isZombie(state: string | undefined): boolean {
  return state !== undefined && /^[ZX]/.test(state);
}

/** The content of a lock file: the facts that identify the process that holds the lock. */
type LockOwner = LockHolder & {
  /** Start time of the process as the operating system reports it; `null` if unknown. */
  readonly startedAt: string | null;
  /** The pid namespace to which `pid` belongs; `null` if unknown. */
  readonly namespace: string | null;
  readonly heartbeat: string;
};

/** The process that holds a lock, as messages show it to the user. */
type LockHolder = { readonly pid: number; readonly host: string; readonly since: string };

const STALE_AFTER_MS = 60_000;

async function thisOwner(): Promise<LockOwner> {
  const { pid } = process;
  const now = new Date().toISOString();
  const startedAt = (await processInfo(pid))?.startedAt ?? null;
  return { pid, startedAt, host: hostname(), namespace: processNamespace(), since: now, heartbeat: now };
}

/** Returns the running process that holds a lock; `null` if that process has ended or the lock file is missing. */
async function liveHolder(folder: Folder, name: string): Promise<LockHolder | null> {
  const owner = readOwner(folder.json(name));
  if (owner === null) return unknownHolder(join(folder.path, name));
  const { pid, host, since } = owner;
  return (await isAlive(owner)) ? { pid, host, since } : null;
}

// Whether the owner of a lock still runs. On the same host and in the same pid namespace, it looks for the process. The
// heartbeat (a time in the file that the owner renews) is not used there, because clocks can be set back and machines
// sleep. Otherwise, a recent heartbeat means that the owner runs.
async function isAlive(owner: LockOwner): Promise<boolean> {
  if (owner.host !== hostname() || differ(owner.namespace, processNamespace())) {
    return isRecent(Date.parse(owner.heartbeat));
  }
  const ownerProcess = await processInfo(owner.pid);
  // Another process may have got the same pid since, so compare the start times too.
  return ownerProcess !== null && !differ(owner.startedAt, ownerProcess.startedAt);
}

// The lock file may be unreadable, for example because another user owns it. Its owner renews the file regularly, so a
// recent modification time means that the lock is held.
function unknownHolder(path: string): LockHolder | null {
  const modifiedAt = statIfPresent(path)?.mtimeMs ?? Number.NaN;
  return isRecent(modifiedAt) ? { pid: 0, host: 'an unknown host', since: new Date(modifiedAt).toISOString() } : null;
}

function isRecent(time: number): boolean {
  return Math.abs(Date.now() - time) < STALE_AFTER_MS;
}

function differ(first: string | null, second: string | null): boolean {
  return first !== null && second !== null && first !== second;
}

const OWNER: Shape<LockOwner> = {
  pid: isOrdinal,
  host: isString,
  since: isTime,
  startedAt: orNull(isString),
  namespace: orNull(isString),
  heartbeat: isTime,
};

function readOwner(value: unknown): LockOwner | null {
  return isRecord(value) ? readShape({ startedAt: null, namespace: null, ...value }, OWNER) : null;
}

const LOCKS = 'onceover/locks';

const HEARTBEAT_MS = 10_000;

const LONGEST_BACKOFF_MS = 50;

/**
 * Opens the lock of a working tree, which only one process can hold at a time. If that process dies, the lock is free.
 */
export function openLock(repo: Pick<RepositoryPaths, 'root' | 'commonDir'>): Lock {
  return {
    async take() {
      const lockFolder = makeFolder(repo.commonDir, folderOf(repo));
      if (!lockFolder.ok) return lockFolder;
      removeLeftovers(lockFolder.value, Date.now());
      const folder = openFolder(repo.commonDir, folderOf(repo));
      for (;;) {
        const owner = await thisOwner();
        const name = await tryToTake(folder, owner);
        if (!name.ok) return name;
        if (name.value !== null) return ok(hold(folder, name.value, owner));
        await sleep(Math.random() * LONGEST_BACKOFF_MS);
      }
    },
  };
}

/** Whether a running process holds the lock of this working tree. */
export async function isHeld(repo: Pick<RepositoryPaths, 'root' | 'commonDir'>): Promise<Result<boolean>> {
  const holder = await lockHolder(repo);
  return holder.ok ? ok(holder.value !== null) : holder;
}

/** Returns the running process that holds the lock of this working tree; `null` if there is none. */
export async function lockHolder(
  repo: Pick<RepositoryPaths, 'root' | 'commonDir'>,
): Promise<Result<LockHolder | null>> {
  const locks = await listLocks(openFolder(repo.commonDir, folderOf(repo)), null);
  return locks.ok ? ok(locks.value.holder) : locks;
}

/** Returns another process that holds the lock of any working tree of this clone; `null` if there is none. */
export async function heldElsewhere(commonDir: string): Promise<Result<LockHolder | null>> {
  const folders = openFolder(commonDir, LOCKS).list();
  if (!folders.ok) return folders;
  for (const { name, isFile } of folders.value) {
    const locks = isFile ? ok({ holder: null }) : await listLocks(openFolder(commonDir, `${LOCKS}/${name}`), null);
    if (!locks.ok) return locks;
    const { holder } = locks.value;
    if (holder !== null && !(holder.pid === process.pid && holder.host === hostname())) return ok(holder);
  }
  return ok(null);
}

function folderOf({ root }: Pick<RepositoryPaths, 'root'>): string {
  return `${LOCKS}/${sha256(root).slice(0, 16)}`;
}

/**
 * Takes the lock and returns the name of the lock file. Fails if another process holds the lock. Returns `null` if
 * another process tried at the same time, so that the caller has to retry. Each process writes its file and then lists
 * the folder again, so two processes can never both take the lock.
 */
async function tryToTake(folder: Folder, owner: LockOwner): Promise<Result<string | null>> {
  const before = await listLocks(folder, null);
  if (!before.ok) return before;
  if (before.value.holder !== null) return err({ kind: 'lock-held', ...before.value.holder });
  const name = firstFree(before.value.names);
  const writeResult = writeNew(folder.path, name, JSON.stringify(owner));
  if (!writeResult.ok) return writeResult;
  if (writeResult.value === 'taken') return ok(null);
  const after = await listLocks(folder, name);
  if (!after.ok || after.value.holder !== null) {
    folder.remove(name);
    return after.ok ? ok(null) : after;
  }
  // Only the process that holds the lock deletes the files of dead processes. Otherwise, a process could delete a new
  // lock file that has got the same name.
  for (const dead of after.value.names) if (dead !== name) folder.remove(dead);
  return ok(name);
}

type LockFiles = { readonly names: ReadonlySet<string>; readonly holder: LockHolder | null };

/**
 * Lists the lock files. `holder` is a running process that has a lock file other than `ownName`; `null` if there is
 * none.
 */
async function listLocks(folder: Folder, ownName: string | null): Promise<Result<LockFiles>> {
  const listing = folder.list();
  if (!listing.ok) return listing;
  const names = new Set(listing.value.map(({ name }) => name).filter((name) => /^[1-9]\d{0,8}\.json$/.test(name)));
  for (const name of names) {
    const holder = name === ownName ? null : await liveHolder(folder, name);
    if (holder !== null) return ok({ names, holder });
  }
  return ok({ names, holder: null });
}

function firstFree(names: ReadonlySet<string>): string {
  let number = 1;
  while (names.has(`${number}.json`)) number++;
  return `${number}.json`;
}

/**
 * Renews the heartbeat (the time in the lock file) until the lock is released, or until another process has replaced
 * the file.
 */
function hold(folder: Folder, name: string, owner: LockOwner): HeldLock {
  let text: string | null = JSON.stringify(owner);
  const remove = () => {
    const fileText = folder.text(name);
    if (text !== null && fileText.ok && fileText.value === text) folder.remove(name);
    text = null;
  };
  const renew = () => {
    const fileText = folder.text(name);
    if (!fileText.ok) return;
    if (fileText.value !== text) return clearInterval(timer);
    const next = JSON.stringify({ ...owner, heartbeat: new Date().toISOString() });
    if (folder.write(name, next).ok) text = next;
  };
  const timer = setInterval(renew, HEARTBEAT_MS).unref();
  process.once('exit', remove);
  return {
    async release() {
      clearInterval(timer);
      process.removeListener('exit', remove);
      remove();
    },
  };
}
