import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { WorktreePaths } from '../kernel/repository.ts';
import type { Blocks, RememberedVerdict, StopAnswer, StopMemory } from './decide.ts';

/** The build inserts the version here. It is not imported, because the hook must load no other file first. */
declare const ONCEOVER_VERSION: string;

const version = ONCEOVER_VERSION;

const MOST_SESSIONS = 20;
const LARGEST_BYTES = 4 * 1024 * 1024;

const EMPTY: StopMemory = { judged: null, awaited: null, sessions: {} };

/** Reads the memory of a worktree. An unreadable memory counts as empty, so that the gates run. */
export function readMemory(worktree: WorktreePaths): StopMemory {
  try {
    const path = join(folderOf(worktree), fileOf(worktree));
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.size > LARGEST_BYTES) return EMPTY;
    const known: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isMemory(known) && known.root === worktree.root
      ? { judged: known.judged, awaited: known.awaited, sessions: known.sessions }
      : EMPTY;
  } catch {
    return EMPTY;
  }
}

/** Writes the memory and returns whether that worked. If not, blocks cannot be counted, so the agent may stop. */
export function writeMemory(worktree: WorktreePaths, memory: StopMemory): boolean {
  const sessions = Object.fromEntries(Object.entries(memory.sessions).slice(-MOST_SESSIONS));
  const { root } = worktree;
  const whole = JSON.stringify({ version, root, ...memory, sessions });
  const text =
    whole.length <= LARGEST_BYTES ? whole : JSON.stringify({ version, root, ...memory, judged: null, sessions });
  const folder = folderOf(worktree);
  const temporary = join(folder, `.onceover-${process.pid}-${Date.now()}`);
  try {
    makeFolder(join(worktree.commonDir, 'onceover'));
    makeFolder(folder);
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, join(folder, fileOf(worktree)));
    return true;
  } catch {
    tryToRemove(temporary);
    return false;
  }
}

// Fails for a symlink, because its target may lie outside of the clone.
function makeFolder(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) mkdirSync(folder);
  else if (!stats.isDirectory()) throw new Error('not a folder');
}

function tryToRemove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The folder is not writable, so no file was created and there is nothing to remove.
  }
}

/** Returns the memory with the blocks of a session. The session comes last, because only the last sessions are kept. */
export function withSession(memory: StopMemory, session: string, blocks: Blocks | null): StopMemory {
  const { [session]: _, ...others } = memory.sessions;
  return { ...memory, sessions: blocks === null ? others : { ...others, [session]: blocks } };
}

/** Returns the time until which a user snoozed the hook; `null` if the hook is active. */
export function snoozedUntil({ commonDir }: Pick<WorktreePaths, 'commonDir'>, now: number): number | null {
  try {
    const until = Number(readFileSync(join(commonDir, MEMORY_FOLDER, SNOOZED), 'utf8'));
    return Number.isFinite(until) && until > now ? until : null;
  } catch {
    return null;
  }
}

export const MEMORY_FOLDER = 'onceover/hook';

export const SNOOZED = 'snoozed';

function folderOf({ commonDir }: WorktreePaths): string {
  return join(commonDir, MEMORY_FOLDER);
}

// Git has one uniquely named folder for each linked worktree, so use that name.
function fileOf({ gitDir, commonDir }: WorktreePaths): string {
  return gitDir === commonDir ? 'main.json' : `linked-${basename(gitDir)}.json`;
}

type Written = StopMemory & { readonly version: string; readonly root: string };

// Checks the whole shape, so that a file that is damaged or from another version never counts as a verdict.
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
  const verdict = value as Partial<RememberedVerdict> | null;
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

type Decided = { readonly answer: StopAnswer; readonly blocks: Blocks | null };

/** Stores the blocks of a session and returns the answer. If storing fails, the agent may stop (see `writeMemory`). */
export function countBlocks(
  worktree: WorktreePaths,
  memory: StopMemory,
  session: string,
  { answer, blocks }: Decided,
): StopAnswer {
  const written = writeMemory(worktree, withSession(memory, session, blocks));
  if (written || answer.kind === 'let-go') return answer;
  return { kind: 'let-go', why: { kind: 'not-counted', folder: worktree.commonDir } };
}
