import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../domain/change.ts';
import { isRecord } from '../domain/is-record.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { codeOf, listFolder, makeFolder, removeOldest, writeWhole } from '../io/files.ts';
import { lifeOf } from '../io/living.ts';
import { readOwn } from '../io/own-file.ts';
import { checkTrust } from './run.ts';

/** A run that goes on by itself, and how far it is. */
export type StartedRun = {
  readonly id: string;
  readonly state: 'running' | 'done' | 'died';
  /** The last lines that it said. */
  readonly progress: readonly string[];
  /** What it answered: a run's document, or an error's. */
  readonly answer: unknown;
};

const FOLDER = 'onceover/runs';
const MOST_FILES = 60;
const MOST_LINES = 20;
const PAUSE_MS = 200;

/** Starts a run that outlives whoever asked for it. */
export async function startRun(
  place: Place,
  wish: { readonly paths: readonly string[]; readonly gate: string | null },
): Promise<Result<StartedRun>> {
  const trusted = await checkTrust(place);
  if (!trusted.ok) return trusted;
  const folder = makeFolder(place.commonDir, FOLDER);
  if (!folder.ok) return folder;
  // Ids sort by the time at which they were given.
  const id = `run-${Date.now().toString(36).padStart(9, '0')}-${randomBytes(3).toString('hex')}`;
  const started = spawnRun(place, folder.value, id, wish);
  if (!started.ok) return started;
  const life = await lifeOf(started.value);
  const facts = { pid: started.value, startedAt: life?.startedAt ?? null, at: new Date().toISOString() };
  const written = writeWhole(folder.value, `${id}.json`, JSON.stringify(facts));
  if (!written.ok) return written;
  removeOldest(folder.value, MOST_FILES, new Set([`${id}.json`, `${id}.out`, `${id}.log`]));
  return done({ id, state: 'running', progress: [], answer: null });
}

function spawnRun(
  place: Place,
  folder: string,
  id: string,
  wish: { readonly paths: readonly string[]; readonly gate: string | null },
): Result<number> {
  const program = process.argv[1] ?? '';
  const args = [program, 'run', '--json', '--started-by-agent', ...(wish.gate === null ? [] : ['--gate', wish.gate])];
  const files: number[] = [];
  try {
    files.push(openSync(join(folder, `${id}.out`), 'wx', 0o600), openSync(join(folder, `${id}.log`), 'wx', 0o600));
    const [out, log] = files;
    const child = spawn(process.execPath, [...args, '--', ...wish.paths], {
      cwd: place.root,
      detached: true,
      stdio: ['ignore', out, log],
    });
    child.on('error', () => {});
    child.unref();
    if (child.pid === undefined) return failed({ kind: 'disk', action: 'write', path: folder, code: 'not started' });
    return done(child.pid);
  } catch (error) {
    return failed({ kind: 'disk', action: 'write', path: folder, code: codeOf(error) });
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** How far a run is; waits for its end for at most so many seconds. Without an id, the newest. */
export async function getRun(place: Place, id: string | null, waitSeconds: number): Promise<Result<StartedRun>> {
  const folder = join(place.commonDir, FOLDER);
  const wanted = id ?? newest(folder);
  if (wanted === null || !/^run-[0-9a-z]+-[0-9a-f]{6}$/.test(wanted)) return failed({ kind: 'unknown-run', id });
  const until = Date.now() + waitSeconds * 1000;
  for (;;) {
    const now = await look(folder, wanted);
    if (now === null) return failed({ kind: 'unknown-run', id });
    if (now.state !== 'running' || Date.now() >= until) return done(now);
    await sleep(PAUSE_MS);
  }
}

function newest(folder: string): string | null {
  const listed = listFolder(folder);
  const ids = (listed.ok ? listed.value : []).flatMap(({ name }) => /^(run-.+)\.json$/.exec(name)?.[1] ?? []);
  return ids.sort().at(-1) ?? null;
}

async function look(folder: string, id: string): Promise<StartedRun | null> {
  const facts = parse(textOf(folder, `${id}.json`));
  if (!isRecord(facts) || typeof facts['pid'] !== 'number') return null;
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
