import { fstatSync, readSync, writeSync } from 'node:fs';
import { answerStop, type StopEvent } from '@onceover/gates/stop-hook/answer';
import { hasTeamStore } from '@onceover/store/has-store';

const DEFAULT_DEADLINE_SECONDS = 540;
const LONGEST_DEADLINE_SECONDS = 86_400;

/**
 * Reads an agent's stop event from stdin and prints the answer. If there is an error, the agent may stop, and the user
 * gets a warning.
 */
export async function hookStop(args: readonly string[]): Promise<void> {
  if (!ONCEOVER_TEAM && hasTeamStore() && (await (await import('./start-team.ts')).startTeamProgram('hook'))) return;
  const answer = await answerTo(args);
  if (answer !== null) write(`${JSON.stringify(answer)}\n`);
}

async function answerTo(args: readonly string[]): Promise<object | null> {
  try {
    const deadline = readDeadline(args);
    if (deadline !== null) return await answerStop(readStop(), deadline);
    throw new Error('"hook stop" takes only --deadline with a number of seconds.');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { systemMessage: `onceover could not check this change, so no gate passed: ${reason}` };
  }
}

function readDeadline(args: readonly string[]): number | null {
  if (args.length === 0) return DEFAULT_DEADLINE_SECONDS;
  const [, text] = /^--deadline[ =](\d+)$/.exec(args.join(' ')) ?? [];
  const seconds = Number(text);
  return seconds > 0 && seconds <= LONGEST_DEADLINE_SECONDS ? seconds : null;
}

const LARGEST_BYTES = 64 * 1024 * 1024;
const PAUSE_MS = 10;
const PATIENCE_MS = 5000;

/**
 * Returns the stop event from stdin; `null` if none arrives. It does not wait until stdin is closed, because some
 * programs leave it open.
 */
function readStop(): StopEvent | null {
  const chunks: Buffer[] = [];
  const until = performance.now() + PATIENCE_MS;
  for (let size = 0; size <= LARGEST_BYTES && !isDevice(0); ) {
    const chunk = Buffer.alloc(65_536);
    const readResult = readSome(chunk);
    if (readResult === 'nothing yet' && performance.now() < until) continue;
    if (typeof readResult === 'string' || readResult === 0) return parse(chunks);
    size += readResult;
    const part = chunk.subarray(0, readResult);
    chunks.push(part);
    const mayBeEnd = part.subarray(-3).toString('latin1').trimEnd().endsWith('}');
    const event = mayBeEnd ? parse(chunks) : null;
    if (event !== null) return event;
  }
  return null;
}

function parse(chunks: readonly Buffer[]): StopEvent | null {
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as StopEvent | null;
  } catch {
    return null;
  }
}

// Whether stdin is a device such as a terminal. No stop event can come from there, so do not wait for one.
function isDevice(file: number): boolean {
  try {
    return fstatSync(file).isCharacterDevice();
  } catch {
    return true;
  }
}

function readSome(chunk: Buffer): number | 'nothing yet' | 'unreadable' {
  try {
    return readSync(0, chunk, 0, chunk.length, null);
  } catch (error) {
    if (!isBusy(error)) return 'unreadable';
    pause();
    return 'nothing yet';
  }
}

// Writes to stdout without Node's streams, because loading them takes longer than everything else in the hook. Ignores
// a closed pipe.
function write(text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += writeSync(1, bytes, offset);
    } catch (error) {
      if (!isBusy(error)) return;
      pause();
    }
  }
}

function isBusy(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EAGAIN';
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
