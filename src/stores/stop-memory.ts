import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Blocks, KeptVerdict, Spot, StopMemory } from '../domain/stop.ts';

/** Put in when it is built; not imported, so that no other file has to be opened before the answer. */
declare const ONCEOVER_VERSION: string;
const version = ONCEOVER_VERSION;

const MOST_SESSIONS = 20;
const LARGEST_BYTES = 4 * 1024 * 1024;

const EMPTY: StopMemory = { judged: null, awaited: null, sessions: {} };

/** What is known; nothing where it cannot be read: then the gates are asked. */
export function readMemory(spot: Spot): StopMemory {
  try {
    const path = join(folderOf(spot), fileOf(spot));
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.size > LARGEST_BYTES) return EMPTY;
    const known: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isMemory(known) && known.root === spot.root
      ? { judged: known.judged, awaited: known.awaited, sessions: known.sessions }
      : EMPTY;
  } catch {
    return EMPTY;
  }
}

/** Keeps it, and tells whether that worked: who cannot be counted must not be held. */
export function writeMemory(spot: Spot, memory: StopMemory): boolean {
  const sessions = Object.fromEntries(Object.entries(memory.sessions).slice(-MOST_SESSIONS));
  const { root } = spot;
  const whole = JSON.stringify({ version, root, ...memory, sessions });
  const text =
    whole.length <= LARGEST_BYTES ? whole : JSON.stringify({ version, root, ...memory, judged: null, sessions });
  const folder = folderOf(spot);
  const temporary = join(folder, `.onceover-${process.pid}-${Date.now()}`);
  try {
    makeOwn(join(spot.commonDir, 'onceover'));
    makeOwn(folder);
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, join(folder, fileOf(spot)));
    return true;
  } catch {
    tryToRemove(temporary);
    return false;
  }
}

// Never through a symlink.
function makeOwn(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) mkdirSync(folder);
  else if (!stats.isDirectory()) throw new Error('not a folder');
}

function tryToRemove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It lies in a folder that nobody can write to.
  }
}

/** The memory with how often this session was blocked; the newest sessions come last. */
export function withSession(memory: StopMemory, session: string, blocks: Blocks | null): StopMemory {
  const { [session]: _, ...others } = memory.sessions;
  return { ...memory, sessions: blocks === null ? others : { ...others, [session]: blocks } };
}

/** Until when a person has put the hook to sleep; null: it is awake. */
export function snoozedUntil({ commonDir }: Pick<Spot, 'commonDir'>, now: number): number | null {
  try {
    const until = Number(readFileSync(join(commonDir, FOLDER, SNOOZED), 'utf8'));
    return Number.isFinite(until) && until > now ? until : null;
  } catch {
    return null;
  }
}

/** The folder of what the hook keeps, and the file that puts it to sleep. */
export const FOLDER = 'onceover/hook';
export const SNOOZED = 'snoozed';

function folderOf({ commonDir }: Spot): string {
  return join(commonDir, FOLDER);
}

// git gives each linked working tree a folder of its own in the one that all of them share.
function fileOf({ gitDir, commonDir }: Spot): string {
  return gitDir === commonDir ? 'main.json' : `linked-${basename(gitDir)}.json`;
}

type Written = StopMemory & { readonly version: string; readonly root: string };

// Written by us alone; the shape is looked at so that a damaged file, or one of another version, is no verdict.
function isMemory(value: unknown): value is Written {
  const known = value as Partial<Written> | null;
  return (
    known?.version === version &&
    isMap(known.sessions, isBlocks) &&
    (known.awaited === null || (isText(known.awaited?.run) && isText(known.awaited?.print))) &&
    (known.judged === null ||
      (isText(known.judged?.index) &&
        isText(known.judged?.print) &&
        isMap(known.judged?.traces, isText) &&
        isVerdict(known.judged?.verdict)))
  );
}

function isBlocks(value: unknown): boolean {
  const blocks = value as Partial<Blocks> | null;
  return isCount(blocks?.count) && isCount(blocks?.waits) && isList(blocks?.open);
}

function isVerdict(value: unknown): boolean {
  const verdict = value as Partial<KeptVerdict> | null;
  switch (verdict?.kind) {
    case 'holds':
      return true;
    case 'unjudged':
      return isText(verdict.why);
    case 'fails':
      return isText(verdict.reason) && isList(verdict.open);
    case undefined:
      return false;
  }
}

function isMap(value: unknown, isOne: (value: unknown) => boolean): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isOne);
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
