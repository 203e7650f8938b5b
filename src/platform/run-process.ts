import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { ACTIVE, type CheckEnd, type Checks } from '../kernel/ports.ts';
import { errorCode } from './files.ts';

/** The output of a program. A very long output keeps only its beginning and its end. */
type Captured = {
  readonly text: string;
  /** Position in the text where the end begins, after the omitted part; null if nothing was omitted. */
  readonly cut: number | null;
};

const HEAD_BYTES = 1024 * 1024;

const TAIL_BYTES = 8 * 1024 * 1024;

const LONGEST_LINE = 8 * 1024 * 1024;

/** Reads a stream to its end with bounded memory. The returned function returns the output so far. */
function capture(stream: Readable, heard: () => void, onLine?: (line: string) => void): () => Captured {
  const head: Buffer[] = [];
  let tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let bytes = 0;
  const lines = onLine === undefined ? null : lineReader(onLine);
  stream.on('data', (chunk: Buffer) => {
    heard();
    bytes += chunk.length;
    lines?.add(chunk);
    if (tail.length === 0 && headBytes + chunk.length <= HEAD_BYTES) {
      head.push(chunk);
      headBytes += chunk.length;
      return;
    }
    tail.push(chunk);
    tailBytes += chunk.length;
    if (tailBytes > 2 * TAIL_BYTES) {
      const kept = Buffer.concat(tail);
      tail = [kept.subarray(kept.length - TAIL_BYTES)];
      tailBytes = TAIL_BYTES;
    }
  });
  stream.on('end', () => lines?.end());
  stream.on('error', () => {});
  return () => {
    const left = bytes - headBytes - tailBytes;
    if (left === 0) return { text: Buffer.concat([...head, ...tail]).toString('utf8'), cut: null };
    const before = `${Buffer.concat(head).toString('utf8')}\n[… ${left} bytes left out …]\n`;
    return { text: before + Buffer.concat(tail).toString('utf8'), cut: before.length };
  };
}

/** Splits chunks into lines and drops lines that are too long. */
function lineReader(onLine: (line: string) => void): { add(chunk: Buffer): void; end(): void } {
  let open: Buffer[] = [];
  let length = 0;
  const close = (last: Buffer) => {
    if (length + last.length <= LONGEST_LINE) {
      const line = Buffer.concat([...open, last])
        .toString('utf8')
        .replace(/\r$/, '');
      if (line !== '') onLine(line);
    }
    open = [];
    length = 0;
  };
  return {
    add(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        close(chunk.subarray(from, at));
        from = at + 1;
      }
      const rest = chunk.subarray(from);
      length += rest.length;
      if (length <= LONGEST_LINE) open.push(rest);
      else open = [];
    },
    end() {
      if (length > 0) close(Buffer.alloc(0));
    },
  };
}

/** A program to run, with its input and its time limits. */
export type ProcessRun = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written to its standard input, which is then closed. */
  readonly input: string;
  readonly timeoutMs: number;
  /** The program counts as hung after this long without output; null for no limit. */
  readonly idleMs: number | null;
  readonly signal: AbortSignal | null;
  /** Called for each complete line of standard output. */
  onLine?(line: string): void;
};

/** The reason why a program ended: by itself, or ended by us. */
type RunEnding = 'by-itself' | 'timeout' | 'idle' | 'cancelled';

/** The end of a program, in one shape for success and failure. */
export type ProcessRunEnd =
  | { readonly kind: 'not-started'; readonly code: string }
  | {
      readonly kind: 'ended';
      readonly ending: RunEnding;
      readonly code: number | null;
      readonly signal: string | null;
      readonly stdout: Captured;
      readonly stderr: Captured;
      readonly durationMs: number;
    };

/** The longest delay of a Node timer. A longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 3000;

/** How long to wait for more output after the program has ended, if another process still holds its pipe. */
const LINGER_MS = 500;

/**
 * Runs a program in a new process group. When the promise settles, no process of the group is left, even if the
 * program hung, ignored SIGTERM or left children behind.
 */
export function runProcessGroup(call: ProcessRun): Promise<ProcessRunEnd> {
  if (call.signal?.aborted) {
    const nothing = { code: null, signal: null, stdout: NO_TEXT, stderr: NO_TEXT, durationMs: 0 };
    return Promise.resolve({ kind: 'ended', ending: 'cancelled', ...nothing });
  }
  return new Promise((resolve) => {
    const start = performance.now();
    const child = spawnIn(call);
    if ('code' in child) return resolve({ kind: 'not-started', code: child.code });
    child.once('error', (error) => resolve({ kind: 'not-started', code: errorCode(error) }));
    if (child.pid === undefined) return;
    const group = ownGroup(child, child.pid);
    let ending: RunEnding = 'by-itself';
    const end = (why: RunEnding) => {
      if (ending !== 'by-itself') return;
      ending = why;
      group.end();
    };

    const total = setTimeout(() => end('timeout'), Math.min(call.timeoutMs, LONGEST_MS));
    const idle = call.idleMs === null ? null : setTimeout(() => end('idle'), Math.min(call.idleMs, LONGEST_MS));
    const onAbort = () => end('cancelled');
    call.signal?.addEventListener('abort', onAbort, { once: true });

    const heard = () => idle?.refresh();
    const stdout = capture(child.stdout, heard, call.onLine);
    const stderr = capture(child.stderr, heard);
    // A program may close its input early. Its exit code says whether that was an error.
    child.stdin.on('error', () => {});
    child.stdin.end(call.input);

    child.once('exit', (code, signal) => {
      clearTimeout(total);
      if (idle !== null) clearTimeout(idle);
      call.signal?.removeEventListener('abort', onAbort);
      const durationMs = performance.now() - start;
      group.finish(() =>
        resolve({ kind: 'ended', ending, code, signal, stdout: stdout(), stderr: stderr(), durationMs }),
      );
    });
  });
}

// spawn throws some errors at once: arguments that are too long, no memory, a NUL character.
function spawnIn({ program, args, cwd, env }: ProcessRun): ChildProcessWithoutNullStreams | { readonly code: string } {
  try {
    return spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' });
  } catch (error) {
    return { code: errorCode(error) };
  }
}

const NO_TEXT: Captured = { text: '', cut: null };

type Group = {
  /** Sends SIGTERM to the group, and SIGKILL after the grace period. */
  end(): void;
  /** Kills the rest of the group after the program has ended. Calls `done` when the output is complete. */
  finish(done: () => void): void;
};

const living = new Set<number>();

function ownGroup(child: ChildProcess, pid: number): Group {
  if (living.size === 0) process.once('exit', killAll);
  living.add(pid);
  let kill: NodeJS.Timeout | null = null;
  return {
    end() {
      signalGroup(pid, 'SIGTERM');
      kill = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
    },
    finish(done) {
      if (kill !== null) clearTimeout(kill);
      let closed = false;
      const complete = () => {
        if (closed) return;
        closed = true;
        clearTimeout(linger);
        living.delete(pid);
        if (living.size === 0) process.removeListener('exit', killAll);
        done();
      };
      const linger = setTimeout(() => {
        // A process outside the group may still hold the pipes, so we close our ends.
        child.stdout?.destroy();
        child.stderr?.destroy();
        complete();
      }, LINGER_MS);
      child.once('close', complete);
      signalGroup(pid, 'SIGKILL');
    },
  };
}

function killAll(): void {
  for (const pid of living) signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // No process is left in the group.
  }
}

// One stream for both outputs keeps their order. Input comes from /dev/null, because with a pipe some programs wait for
// input or read it instead of the files. The command is an argument, so it needs no quoting.
const SHELL = '/bin/sh';

const PREPARE = 'exec </dev/null 2>&1; exec /bin/sh -c "$1"';

/** Runs checks in the root with `/bin/sh` and the user's environment. No process of a check's group outlives it. */
export function openChecks(root: string, env: NodeJS.ProcessEnv): Checks {
  return {
    async run(command, options) {
      const end = await runProcessGroup({
        program: SHELL,
        args: ['-c', PREPARE, 'sh', command],
        cwd: root,
        env: { ...defined(env), ...options.env, [ACTIVE]: '1' },
        input: '',
        timeoutMs: options.timeoutSeconds * 1000,
        idleMs: null,
        signal: options.stop,
      });
      return checkEnd(end);
    },
  };
}

// Only a check that ended by itself has an exit code: the code of a killed check is not a verdict.
function checkEnd(end: ProcessRunEnd): CheckEnd {
  if (end.kind === 'not-started') return { ending: 'not-started', exitCode: null, output: end.code, durationMs: 0 };
  const ending = end.ending === 'idle' ? 'timeout' : end.ending;
  const output = [end.stdout.text, end.stderr.text].filter((text) => text !== '').join('\n');
  return {
    ending,
    exitCode: ending === 'by-itself' ? end.code : null,
    output,
    durationMs: Math.round(end.durationMs),
  };
}

function defined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
