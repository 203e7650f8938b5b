import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../domain/change.ts';
import { isRecord } from '../domain/is-record.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Waiting } from '../domain/waiting.ts';
import { codeOf, listFolder, makeFolder, removeOldest, writeWhole } from '../io/files.ts';
import { lifeOf } from '../io/living.ts';
import { readOwn } from '../io/own-file.ts';

/** A command of ours that goes on by itself, and how far it is. */
export type StartedWork = {
  readonly id: string;
  readonly state: 'running' | 'done' | 'died';
  /** The last lines that it said. */
  readonly progress: readonly string[];
  /** What it answered: its document, or an error's. */
  readonly answer: unknown;
};

/** Where work of one kind is kept, and how its ids begin. */
export type WorkKind = { readonly folder: `onceover/${string}`; readonly prefix: string };

const MOST_FILES = 60;
const MOST_LINES = 20;
const PAUSE_MS = 200;

/** Starts a command that outlives whoever asked for it; `input`: what it reads from standard input. */
export async function startWork(
  place: Place,
  kind: WorkKind,
  command: { readonly args: readonly string[]; readonly input: string | null },
): Promise<Result<StartedWork>> {
  const folder = makeFolder(place.commonDir, kind.folder);
  if (!folder.ok) return folder;
  const id = newWorkId(kind.prefix);
  if (command.input !== null) {
    const written = writeWhole(folder.value, `${id}.in`, command.input);
    if (!written.ok) return written;
  }
  const started = spawnWork(place, join(folder.value, id), command);
  if (!started.ok) return started;
  const life = await lifeOf(started.value);
  const at = new Date().toISOString();
  const facts = { pid: started.value, startedAt: life?.startedAt ?? null, at, root: place.root };
  const written = writeWhole(folder.value, `${id}.json`, JSON.stringify(facts));
  if (!written.ok) return written;
  removeOldest(folder.value, MOST_FILES, new Set(['json', 'in', 'out', 'log'].map((end) => `${id}.${end}`)));
  return done({ id, state: 'running', progress: [], answer: null });
}

/** An id that sorts by the time at which it was given. */
export function newWorkId(prefix: string): string {
  return `${prefix}-${Date.now().toString(36).padStart(9, '0')}-${randomBytes(3).toString('hex')}`;
}

/** Whether a string can be an id of this kind. */
export function isWorkId(prefix: string, id: string): boolean {
  return id.startsWith(`${prefix}-`) && /^[0-9a-z]+-[0-9a-f]{6}$/.test(id.slice(prefix.length + 1));
}

function spawnWork(
  place: Place,
  files: string,
  { args, input }: { readonly args: readonly string[]; readonly input: string | null },
): Result<number> {
  const program = process.argv[1] ?? '';
  const opened: number[] = [];
  const open = (name: string, flags: string) => {
    const file = openSync(name, flags, 0o600);
    opened.push(file);
    return file;
  };
  try {
    const out = open(`${files}.out`, 'wx');
    const log = open(`${files}.log`, 'wx');
    const child = spawn(process.execPath, [program, ...args], {
      cwd: place.root,
      detached: true,
      stdio: [input === null ? 'ignore' : open(`${files}.in`, 'r'), out, log],
    });
    child.on('error', () => {});
    child.unref();
    if (child.pid === undefined) return failed({ kind: 'disk', action: 'write', path: files, code: 'not started' });
    return done(child.pid);
  } catch (error) {
    return failed({ kind: 'disk', action: 'write', path: files, code: codeOf(error) });
  } finally {
    for (const file of opened) closeSync(file);
  }
}

/** How far some work is; waits for its end. Null: there is no such work. */
export async function waitForWork(
  place: Place,
  kind: WorkKind,
  id: string,
  waiting: Waiting,
): Promise<StartedWork | null> {
  if (!isWorkId(kind.prefix, id)) return null;
  const until = performance.now() + waiting.seconds * 1000;
  for (let last: string | undefined; ; ) {
    const now = await look(join(place.commonDir, kind.folder), id);
    const line = now?.progress.at(-1);
    if (line !== undefined && line !== last) waiting.heard?.(line);
    last = line;
    const waits = performance.now() < until && waiting.stop?.aborted !== true;
    if (now === null || now.state !== 'running' || !waits) return now;
    await sleep(PAUSE_MS);
  }
}

/** The id of what was started last in this working tree, whatever goes on in others of the clone; null: nothing was. */
export function newestWork(place: Place, kind: WorkKind): string | null {
  const folder = join(place.commonDir, kind.folder);
  const listed = listFolder(folder);
  const ids = (listed.ok ? listed.value : [])
    .filter(({ name }) => name.endsWith('.json'))
    .map(({ name }) => name.slice(0, -'.json'.length))
    .filter((id) => isWorkId(kind.prefix, id));
  return ids.sort().findLast((id) => factsOf(folder, id)?.['root'] === place.root) ?? null;
}

async function look(folder: string, id: string): Promise<StartedWork | null> {
  const facts = factsOf(folder, id);
  if (facts === null || typeof facts['pid'] !== 'number') return null;
  const life = await lifeOf(facts['pid']);
  const lives = life !== null && (life.startedAt === null || life.startedAt === facts['startedAt']);
  const progress = (textOf(folder, `${id}.log`) ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .slice(-MOST_LINES);
  if (lives) return { id, state: 'running', progress, answer: null };
  const answer = parse(textOf(folder, `${id}.out`));
  return { id, state: isRecord(answer) ? 'done' : 'died', progress, answer };
}

function factsOf(folder: string, id: string): Readonly<Record<string, unknown>> | null {
  const facts = parse(textOf(folder, `${id}.json`));
  return isRecord(facts) ? facts : null;
}

function textOf(folder: string, name: string): string | null {
  const read = readOwn(join(folder, name));
  return read.ok ? read.value : null;
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}
