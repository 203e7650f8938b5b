import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../domain/result.ts';
import type { Blocks, Spot, StopMemory, StopVerdict } from '../domain/stop.ts';
import { indexName } from '../io/tree-print.ts';

const FORMAT = 1;
const MOST_SESSIONS = 20;
const LARGEST_BYTES = 4 * 1024 * 1024;

const EMPTY: StopMemory = { judged: null, sessions: {} };

/** What is known; nothing where it cannot be read: then the gates are asked. */
export function readMemory(spot: Spot): StopMemory {
  try {
    const path = join(folderOf(spot), fileOf(spot));
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.size > LARGEST_BYTES) return EMPTY;
    const known: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isMemory(known) ? { judged: known.judged, sessions: known.sessions } : EMPTY;
  } catch {
    return EMPTY;
  }
}

/** Keeps it; whether that worked changes nothing about this stop. */
export function writeMemory(spot: Spot, memory: StopMemory): void {
  const sessions = Object.fromEntries(Object.entries(memory.sessions).slice(-MOST_SESSIONS));
  const text = JSON.stringify({ format: FORMAT, ...memory, sessions });
  const folder = folderOf(spot);
  const temporary = join(folder, `.onceover-${process.pid}-${Date.now()}`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, join(folder, fileOf(spot)));
  } catch {
    rmSync(temporary, { force: true });
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
    const until = Number(readFileSync(snoozeFile(commonDir), 'utf8'));
    return Number.isFinite(until) && until > now ? until : null;
  } catch {
    return null;
  }
}

/** Puts the hook to sleep until then; null wakes it. */
export function snooze(commonDir: string, until: number | null): Result<void> {
  try {
    if (until === null) rmSync(snoozeFile(commonDir), { force: true });
    else {
      mkdirSync(join(commonDir, FOLDER), { recursive: true });
      writeFileSync(snoozeFile(commonDir), `${until}\n`);
    }
    return { ok: true, value: undefined };
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    return { ok: false, failure: { kind: 'disk', action: 'write', path: snoozeFile(commonDir), code } };
  }
}

const FOLDER = 'onceover/hook';

function folderOf({ commonDir }: Spot): string {
  return join(commonDir, FOLDER);
}

function fileOf({ root }: Spot): string {
  return `${indexName(root)}.json`;
}

function snoozeFile(commonDir: string): string {
  return join(commonDir, FOLDER, 'snoozed');
}

type Written = StopMemory & { readonly format: number };

// Written by us alone; the shape is looked at so that a damaged file is no verdict.
function isMemory(value: unknown): value is Written {
  const known = value as Written | null;
  if (typeof known !== 'object' || known === null || known.format !== FORMAT) return false;
  if (typeof known.sessions !== 'object' || known.sessions === null) return false;
  if (!Object.values(known.sessions).every(isBlocks)) return false;
  const { judged } = known;
  if (judged === null) return true;
  return (
    typeof judged === 'object' &&
    typeof judged.print === 'string' &&
    typeof judged.traces === 'object' &&
    judged.traces !== null &&
    isVerdict(judged.verdict)
  );
}

function isBlocks(value: unknown): boolean {
  const blocks = value as Blocks | null;
  return typeof blocks?.count === 'number' && Array.isArray(blocks.open) && blocks.open.every(isText);
}

function isVerdict(value: unknown): boolean {
  const verdict = value as StopVerdict | null;
  if (verdict?.kind === 'holds') return true;
  if (verdict?.kind === 'unjudged') return isText(verdict.why);
  return (
    verdict?.kind === 'fails' && isText(verdict.reason) && Array.isArray(verdict.open) && verdict.open.every(isText)
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
