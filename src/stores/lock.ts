import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../domain/change.ts';
import { sha256 } from '../domain/digest.ts';
import type { HeldLock, Lock } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { checkFolder, listFolder, makeFolder, removeFile, removeForgotten, writeWhole } from '../io/files.ts';
import { readOwn, writeNew } from '../io/own-file.ts';
import { type LockHolder, type LockOwner, livingHolder, thisOwner } from './lock-owner.ts';

const LOCKS = 'onceover/locks';
const HEARTBEAT_MS = 10_000;
const LONGEST_WAIT_MS = 50;

/** One holder at a time a working tree; what a dead one left is taken over. */
export function openLock(place: Pick<Place, 'root' | 'commonDir'>): Lock {
  return {
    async take() {
      const folder = makeFolder(place.commonDir, folderOf(place));
      if (!folder.ok) return folder;
      removeForgotten(folder.value, Date.now());
      for (;;) {
        const owner = await thisOwner();
        const name = await tryToTake(folder.value, owner);
        if (!name.ok) return name;
        if (name.value !== null) return done(hold(folder.value, name.value, owner));
        await sleep(Math.random() * LONGEST_WAIT_MS);
      }
    },
  };
}

/** Whether somebody living holds it; nothing is taken. */
export async function isHeld(place: Pick<Place, 'root' | 'commonDir'>): Promise<Result<boolean>> {
  const there = checkFolder(place.commonDir, folderOf(place));
  if (!there.ok) return there;
  const looked = await look(join(place.commonDir, folderOf(place)), null);
  return looked.ok ? done(looked.value.holder !== null) : looked;
}

/** Who else holds a lock in any working tree of the clone; null: nobody. */
export async function heldElsewhere(commonDir: string): Promise<Result<LockHolder | null>> {
  const there = checkFolder(commonDir, LOCKS);
  if (!there.ok) return there;
  const folders = listFolder(join(commonDir, LOCKS));
  if (!folders.ok) return folders;
  for (const { name, isFile } of folders.value) {
    const looked = isFile ? done({ holder: null }) : await look(join(commonDir, LOCKS, name), null);
    if (!looked.ok) return looked;
    const { holder } = looked.value;
    if (holder !== null && !(holder.pid === process.pid && holder.host === hostname())) return done(heldBy(holder));
  }
  return done(null);
}

function folderOf({ root }: Pick<Place, 'root'>): string {
  return `${LOCKS}/${sha256(root).slice(0, 16)}`;
}

/**
 * The name of the file by which the lock is held; null: another came at the same moment, and both stand back. Whoever
 * has put a file there looks again afterwards: of two, at least one sees the other.
 */
async function tryToTake(folder: string, owner: LockOwner): Promise<Result<string | null>> {
  const before = await look(folder, null);
  if (!before.ok) return before;
  if (before.value.holder !== null) return failed({ kind: 'lock-held', ...heldBy(before.value.holder) });
  const name = firstFree(before.value.names);
  const written = writeNew(folder, name, JSON.stringify(owner));
  if (!written.ok) return written;
  if (written.value === 'taken') return done(null);
  const after = await look(folder, name);
  if (!after.ok || after.value.holder !== null) {
    removeFile(join(folder, name));
    return after.ok ? done(null) : after;
  }
  // Only a holder removes what the dead have left: nobody else's new file can have one of their names meanwhile.
  for (const dead of after.value.names) if (dead !== name) removeFile(join(folder, dead));
  return done(name);
}

type Look = { readonly names: ReadonlySet<string>; readonly holder: LockHolder | null };

/** The files of locks, and a living holder of one other than `own`. */
async function look(folder: string, own: string | null): Promise<Result<Look>> {
  const listed = listFolder(folder);
  if (!listed.ok) return listed;
  const names = new Set(listed.value.map(({ name }) => name).filter((name) => /^[1-9]\d{0,8}\.json$/.test(name)));
  for (const name of names) {
    const holder = name === own ? null : await livingHolder(join(folder, name));
    if (holder !== null) return done({ names, holder });
  }
  return done({ names, holder: null });
}

function firstFree(names: ReadonlySet<string>): string {
  let number = 1;
  while (names.has(`${number}.json`)) number++;
  return `${number}.json`;
}

function heldBy({ pid, host, since }: LockHolder): LockHolder {
  return { pid, host, since };
}

/** Renews the heartbeat until the lock is released, or the file is no longer ours. */
function hold(folder: string, name: string, owner: LockOwner): HeldLock {
  const path = join(folder, name);
  let text: string | null = JSON.stringify(owner);
  const remove = () => {
    const found = readOwn(path);
    if (text !== null && found.ok && found.value === text) removeFile(path);
    text = null;
  };
  const renew = () => {
    const found = readOwn(path);
    if (!found.ok) return;
    if (found.value !== text) return clearInterval(timer);
    const next = JSON.stringify({ ...owner, heartbeat: new Date().toISOString() });
    if (writeWhole(folder, name, next).ok) text = next;
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
