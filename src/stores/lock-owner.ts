import { hostname } from 'node:os';
import { isRecord } from '../domain/is-record.ts';
import { lookAt } from '../io/files.ts';
import { lifeOf, processNamespace } from '../io/living.ts';
import { readOwn } from '../io/own-file.ts';

/** What a lock's file says of the process that holds it. */
export type LockOwner = LockHolder & {
  /** When the process started, as its system tells it; null: unknown. */
  readonly startedAt: string | null;
  /** Among which processes `pid` is a number; null: unknown. */
  readonly namespace: string | null;
  readonly heartbeat: string;
};

/** What a person needs to know of whoever holds a lock. */
export type LockHolder = { readonly pid: number; readonly host: string; readonly since: string };

const STALE_AFTER_MS = 60_000;

/** This process, about to hold a lock. */
export async function thisOwner(): Promise<LockOwner> {
  const { pid } = process;
  const life = await lifeOf(pid);
  const now = new Date().toISOString();
  const startedAt = life?.startedAt ?? null;
  return { pid, startedAt, host: hostname(), namespace: processNamespace(), since: now, heartbeat: now };
}

/** Who holds the lock of this file; null: its owner is dead, or there is no such file any more. */
export async function livingHolder(path: string): Promise<LockHolder | null> {
  const text = readOwn(path);
  const owner = text.ok && text.value !== null ? readOwner(text.value) : null;
  if (owner === null) return unknownHolder(path);
  return (await isAlive(owner)) ? owner : null;
}

// Where the process can be looked at, that decides and no time does: clocks may go back, and machines sleep.
async function isAlive(owner: LockOwner): Promise<boolean> {
  if (owner.host !== hostname() || differ(owner.namespace, processNamespace())) {
    return isRecent(Date.parse(owner.heartbeat));
  }
  const life = await lifeOf(owner.pid);
  // Another process may have been given the number since.
  return life !== null && !differ(owner.startedAt, life.startedAt);
}

// It may be somebody's whose files we may not read: then it is renewed.
function unknownHolder(path: string): LockHolder | null {
  const changed = lookAt(path)?.mtimeMs ?? Number.NaN;
  return isRecent(changed) ? { pid: 0, host: 'an unknown host', since: new Date(changed).toISOString() } : null;
}

function isRecent(time: number): boolean {
  return Math.abs(Date.now() - time) < STALE_AFTER_MS;
}

function differ(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other;
}

function readOwner(text: string): LockOwner | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return null;
    const { pid, host } = value;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1 || typeof host !== 'string') return null;
    const [since, heartbeat] = [readTime(value['since']), readTime(value['heartbeat'])];
    return {
      pid,
      host,
      since,
      heartbeat,
      startedAt: readText(value['startedAt']),
      namespace: readText(value['namespace']),
    };
  } catch {
    return null;
  }
}

// Written anew: a date may hold more than a date.
function readTime(value: unknown): string {
  return new Date(String(value)).toISOString();
}

function readText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
