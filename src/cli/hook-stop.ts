import { readSync } from 'node:fs';
import { isatty } from 'node:tty';
import { answerStop } from '../app/answer-stop.ts';

const USUAL_DEADLINE_SECONDS = 540;
const LONGEST_DEADLINE_SECONDS = 86_400;

/** Answers an agent's program that tells of a stop on standard input; whatever goes wrong, the agent is not held. */
export async function hookStop(args: readonly string[], cwd: string): Promise<void> {
  try {
    const deadline = readDeadline(args);
    if (deadline === null) throw new Error(`"hook stop" takes --deadline with a number of seconds, and nothing else.`);
    await answerStop(readStop(), cwd, deadline);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const systemMessage = `onceover could not judge this change, so nothing was passed: ${said}`;
    process.stdout.write(`${JSON.stringify({ systemMessage })}\n`);
  }
}

function readDeadline(args: readonly string[]): number | null {
  if (args.length === 0) return USUAL_DEADLINE_SECONDS;
  const [, text] = /^--deadline[ =](\d+)$/.exec(args.join(' ')) ?? [];
  const seconds = Number(text);
  return seconds > 0 && seconds <= LONGEST_DEADLINE_SECONDS ? seconds : null;
}

const LARGEST_BYTES = 64 * 1024 * 1024;
const PAUSE_MS = 10;
const PATIENCE_MS = 5000;

/** What was said of the stop; nothing where that cannot be read. It may be over before the other side closes it. */
function readStop(): string {
  const chunks: Buffer[] = [];
  const until = Date.now() + PATIENCE_MS;
  for (let size = 0; size <= LARGEST_BYTES && !isatty(0); ) {
    const chunk = Buffer.alloc(65_536);
    const read = readSome(chunk);
    if (read === 'nothing yet' && Date.now() < until) continue;
    if (typeof read === 'string' || read === 0) return Buffer.concat(chunks).toString('utf8');
    size += read;
    chunks.push(chunk.subarray(0, read));
    const text = isEnd(chunk.subarray(0, read)) ? Buffer.concat(chunks).toString('utf8') : '';
    if (text !== '' && isJson(text)) return text;
  }
  return '';
}

function readSome(chunk: Buffer): number | 'nothing yet' | 'unreadable' {
  try {
    return readSync(0, chunk, 0, chunk.length, null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return 'unreadable';
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    return 'nothing yet';
  }
}

function isEnd(chunk: Buffer): boolean {
  return chunk.subarray(-3).toString('latin1').trimEnd().endsWith('}');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
