import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { WorktreePaths } from '@onceover/base/kernel/repository';
import type { Blocks, StopAnswer, StopMemory } from './decide.ts';

/** The build inserts onceover's version here. An import would make the hook load more files before it answers. */
declare const ONCEOVER_VERSION: string;

const MOST_SESSIONS = 20;
const LARGEST_BYTES = 4 * 1024 * 1024;

const EMPTY: StopMemory = { judged: null, awaited: null, sessions: {} };

/** Reads the data that the hook stored for a worktree. Damaged data, or data of another version, counts as empty. */
export function readMemory(worktree: WorktreePaths): StopMemory {
  try {
    const path = join(folderOf(worktree), fileOf(worktree));
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.size > LARGEST_BYTES) return EMPTY;
    const [sum, ...lines] = readFileSync(path, 'utf8').split('\n');
    const text = lines.join('\n');
    const { version, root, ...memory } = JSON.parse(text) as StopMemory & { version: string; root: string };
    const isOurs = sum === checksum(text) && version === ONCEOVER_VERSION && root === worktree.root;
    return isOurs ? memory : EMPTY;
  } catch {
    return EMPTY;
  }
}

/**
 * Stores the memory and returns whether that worked. If it did not, the hook cannot count how often it blocked, so it
 * must let the agent stop.
 */
export function writeMemory(worktree: WorktreePaths, memory: StopMemory): boolean {
  const sessions = Object.fromEntries(Object.entries(memory.sessions).slice(-MOST_SESSIONS));
  const document = { version: ONCEOVER_VERSION, root: worktree.root, ...memory, sessions };
  const whole = JSON.stringify(document);
  const text = whole.length <= LARGEST_BYTES ? whole : JSON.stringify({ ...document, judged: null });
  const folder = folderOf(worktree);
  const temporary = join(folder, `.onceover-${process.pid}-${Date.now()}`);
  try {
    makeFolder(join(worktree.commonDir, 'onceover'));
    makeFolder(folder);
    writeFileSync(temporary, `${checksum(text)}\n${text}`, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, join(folder, fileOf(worktree)));
    return true;
  } catch {
    tryToRemove(temporary);
    return false;
  }
}

// Creates a folder. Fails if the path is a symlink, because its target may lie outside the clone.
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

/**
 * Returns the memory with new `blocks` of a session. The session moves to the end of the list, because only the last
 * sessions are kept.
 */
export function withSession(memory: StopMemory, session: string, blocks: Blocks | null): StopMemory {
  const { [session]: _, ...otherSessions } = memory.sessions;
  return { ...memory, sessions: blocks === null ? otherSessions : { ...otherSessions, [session]: blocks } };
}

/** Returns the time until which a user turned the hook off; `null` if the hook is active. */
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

// git gives each linked worktree a folder with a unique name, so use that name for the file.
function fileOf({ gitDir, commonDir }: WorktreePaths): string {
  return gitDir === commonDir ? 'main.json' : `linked-${basename(gitDir)}.json`;
}

/**
 * Returns the FNV-1a hash of a text. Loading the crypto module of Node.js would take longer than everything else that
 * the hook does.
 */
export function checksum(text: string): string {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return String(sum);
}

/**
 * Stores how often a session was blocked, and returns the answer. If storing fails, the agent may stop (see
 * `writeMemory`).
 */
export function countBlocks(
  worktree: WorktreePaths,
  memory: StopMemory,
  session: string,
  { answer, blocks }: { readonly answer: StopAnswer; readonly blocks: Blocks | null },
): StopAnswer {
  const isWritten = writeMemory(worktree, withSession(memory, session, blocks));
  if (isWritten || answer.kind === 'let-go') return answer;
  return { kind: 'let-go', why: { kind: 'not-counted', folder: worktree.commonDir } };
}
