import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '../kernel/json.ts';
import type { BackgroundJob, WaitOptions } from '../kernel/ports.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { errorCode, makeFolder, removeOldest, writeAtomically } from './files.ts';
import { processInfo } from './lock.ts';
import { type Folder, openFolder } from './private-files.ts';

/** The folder, inside the git folder, for one kind of background job, and the prefix of the ids of its jobs. */
export type JobKind = { readonly folder: `onceover/${string}`; readonly prefix: string };

const MOST_FILES = 60;

const MOST_LINES = 20;

const PAUSE_MS = 200;

/** Starts an onceover command that continues after this process ends. `input` is its standard input. */
export async function startJob(
  repo: RepositoryPaths,
  kind: JobKind,
  command: { readonly args: readonly string[]; readonly input: string | null },
): Promise<Result<BackgroundJob>> {
  const folder = makeFolder(repo.commonDir, kind.folder);
  if (!folder.ok) return folder;
  const id = newJobId(kind.prefix);
  if (command.input !== null) {
    const inputResult = writeAtomically(folder.value, `${id}.in`, command.input);
    if (!inputResult.ok) return inputResult;
  }
  const spawnResult = spawnJob(repo, join(folder.value, id), command);
  if (!spawnResult.ok) return spawnResult;
  const jobProcess = await processInfo(spawnResult.value);
  const at = new Date().toISOString();
  const facts = { pid: spawnResult.value, startedAt: jobProcess?.startedAt ?? null, at, root: repo.root };
  const factsResult = writeAtomically(folder.value, `${id}.json`, JSON.stringify(facts));
  if (!factsResult.ok) return factsResult;
  removeOldest(folder.value, MOST_FILES, new Set(['json', 'in', 'out', 'log'].map((end) => `${id}.${end}`)));
  return ok({ id, state: 'running', progress: [], answer: null });
}

/** Returns a new job id. Sorted alphabetically, older ids come before newer ones. */
export function newJobId(prefix: string): string {
  return `${prefix}-${Date.now().toString(36).padStart(9, '0')}-${randomBytes(3).toString('hex')}`;
}

/** Whether a string has the form of a job id. */
export function isJobId(prefix: string, id: string): boolean {
  return id.startsWith(`${prefix}-`) && /^[0-9a-z]+-[0-9a-f]{6}$/.test(id.slice(prefix.length + 1));
}

function spawnJob(
  repo: RepositoryPaths,
  files: string,
  { args, input }: { readonly args: readonly string[]; readonly input: string | null },
): Result<number> {
  const program = process.argv[1] ?? '';
  const openFiles: number[] = [];
  const open = (name: string, flags: string) => {
    const file = openSync(name, flags, 0o600);
    openFiles.push(file);
    return file;
  };
  try {
    const out = open(`${files}.out`, 'wx');
    const log = open(`${files}.log`, 'wx');
    const child = spawn(process.execPath, [program, ...args], {
      cwd: repo.root,
      detached: true,
      stdio: [input === null ? 'ignore' : open(`${files}.in`, 'r'), out, log],
    });
    child.on('error', () => {});
    child.unref();
    if (child.pid === undefined) return err({ kind: 'disk', action: 'write', path: files, code: 'not started' });
    return ok(child.pid);
  } catch (error) {
    return err({ kind: 'disk', action: 'write', path: files, code: errorCode(error) });
  } finally {
    for (const file of openFiles) closeSync(file);
  }
}

/** Waits until the job ends or the time is over. Returns the state of the job; `null` if there is no such job. */
export async function waitForJob(
  repo: RepositoryPaths,
  kind: JobKind,
  id: string,
  waiting: WaitOptions,
): Promise<BackgroundJob | null> {
  if (!isJobId(kind.prefix, id)) return null;
  const until = performance.now() + waiting.seconds * 1000;
  for (let last: string | undefined; ; ) {
    const job = await readJob(openFolder(repo.commonDir, kind.folder), id);
    const line = job?.progress.at(-1);
    if (line !== undefined && line !== last) waiting.heard?.(line);
    last = line;
    const waits = performance.now() < until && waiting.stop?.aborted !== true;
    if (job === null || job.state !== 'running' || !waits) return job;
    await sleep(PAUSE_MS);
  }
}

/** Returns the id of the newest job of this working tree; `null` if there is none. */
export function newestJob(repo: RepositoryPaths, kind: JobKind): string | null {
  const folder = openFolder(repo.commonDir, kind.folder);
  const listing = folder.list();
  const ids = (listing.ok ? listing.value : [])
    .filter(({ name }) => name.endsWith('.json'))
    .map(({ name }) => name.slice(0, -'.json'.length))
    .filter((id) => isJobId(kind.prefix, id));
  const isHere = (facts: unknown) => isRecord(facts) && facts['root'] === repo.root;
  return ids.sort().findLast((id) => isHere(folder.json(`${id}.json`))) ?? null;
}

/** Sends a running job the signal of Ctrl-C, so that it stops and reports that. Returns whether the job was running. */
export async function interruptJob(repo: RepositoryPaths, kind: JobKind, id: string): Promise<boolean> {
  const facts = isJobId(kind.prefix, id) ? openFolder(repo.commonDir, kind.folder).json(`${id}.json`) : null;
  if (!isRecord(facts) || typeof facts['pid'] !== 'number' || facts['root'] !== repo.root) return false;
  const jobProcess = await processInfo(facts['pid']);
  // Another process may have got the same pid since, so send the signal only if the start time matches.
  if (jobProcess === null || jobProcess.startedAt === null || jobProcess.startedAt !== facts['startedAt']) return false;
  try {
    return process.kill(facts['pid'], 'SIGINT');
  } catch {
    return false;
  }
}

async function readJob(folder: Folder, id: string): Promise<BackgroundJob | null> {
  const facts = folder.json(`${id}.json`);
  if (!isRecord(facts) || typeof facts['pid'] !== 'number') return null;
  const jobProcess = await processInfo(facts['pid']);
  const runs = jobProcess !== null && (jobProcess.startedAt === null || jobProcess.startedAt === facts['startedAt']);
  const log = folder.text(`${id}.log`);
  const lines = (log.ok ? log.value : null)?.split('\n') ?? [];
  const progress = lines.filter((line) => line !== '').slice(-MOST_LINES);
  if (runs) return { id, state: 'running', progress, answer: null };
  const answer = folder.json(`${id}.out`) ?? null;
  return { id, state: isRecord(answer) ? 'done' : 'died', progress, answer };
}
