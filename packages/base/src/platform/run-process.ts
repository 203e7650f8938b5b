import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { ACTIVE, type CheckEnd, type Checks } from '../kernel/ports.ts';
import { errorCode } from './files.ts';
import { withoutSecrets } from './secret-variables.ts';

/** The output of a program. Of very long output, only the beginning and the end are kept. */
type Captured = {
  readonly text: string;
  /** The position in `text` after the note that the middle of the output is missing; `null` if nothing is missing. */
  readonly cut: number | null;
};

const HEAD_BYTES = 1024 * 1024;

const TAIL_BYTES = 8 * 1024 * 1024;

const LONGEST_LINE = 8 * 1024 * 1024;

/**
 * Reads a stream with limited memory. Calls `onActivity` for each chunk, unless `onLine` returned false for all its
 * lines. Returns a function that returns the output.
 */
function capture(stream: Readable, onActivity: () => void, onLine?: (line: string) => boolean): () => Captured {
  const head: Buffer[] = [];
  let tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let bytes = 0;
  const lines = onLine === undefined ? null : lineReader(onLine);
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (lines === null || lines.add(chunk)) onActivity();
    if (tail.length === 0 && headBytes + chunk.length <= HEAD_BYTES) {
      head.push(chunk);
      headBytes += chunk.length;
      return;
    }
    tail.push(chunk);
    tailBytes += chunk.length;
    if (tailBytes > 2 * TAIL_BYTES) {
      const joinedTail = Buffer.concat(tail);
      tail = [joinedTail.subarray(joinedTail.length - TAIL_BYTES)];
      tailBytes = TAIL_BYTES;
    }
  });
  stream.on('end', () => lines?.end());
  stream.on('error', () => {});
  return () => {
    const omittedBytes = bytes - headBytes - tailBytes;
    if (omittedBytes === 0) return { text: Buffer.concat([...head, ...tail]).toString('utf8'), cut: null };
    const before = `${Buffer.concat(head).toString('utf8')}\n[… ${omittedBytes} bytes left out …]\n`;
    return { text: before + Buffer.concat(tail).toString('utf8'), cut: before.length };
  };
}

/** Splits chunks into lines. Leaves out empty lines and lines longer than 8 MiB. */
function lineReader(onLine: (line: string) => boolean): {
  /**
   * Adds a chunk. Returns whether it counts as activity: no line ends in it, or `onLine` returned true for one of its
   * lines.
   */
  add(chunk: Buffer): boolean;
  end(): void;
} {
  let open: Buffer[] = [];
  let length = 0;
  let lines = 0;
  let active = false;
  const close = (last: Buffer) => {
    if (length + last.length <= LONGEST_LINE) {
      const line = Buffer.concat([...open, last])
        .toString('utf8')
        .replace(/\r$/, '');
      if (line !== '') {
        lines++;
        active = onLine(line) || active;
      }
    }
    open = [];
    length = 0;
  };
  return {
    add(chunk) {
      lines = 0;
      active = false;
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        close(chunk.subarray(from, at));
        from = at + 1;
      }
      const remainder = chunk.subarray(from);
      length += remainder.length;
      if (length <= LONGEST_LINE) open.push(remainder);
      else open = [];
      return active || lines === 0;
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
  /** The text for the program's standard input, which is then closed. */
  readonly input: string;
  /**
   * Called with a function that sends more text to standard input. The input then stays open until that function is
   * called with `null`.
   */
  converse?(send: (text: string | null) => void): void;
  readonly timeoutMs: number;
  /** The program is ended if it prints nothing for this time; `null` for no limit. */
  readonly idleMs: number | null;
  readonly signal: AbortSignal | null;
  /**
   * Called for each complete line of standard output. Returns whether the line counts as activity, which restarts
   * `idleMs`.
   */
  onLine?(line: string): boolean;
  /** Like `onLine`, for standard error. Without this function, all error output counts as activity. */
  onErrorLine?(line: string): boolean;
};

/** The reason why a program ended: by itself, or because onceover ended it. */
type RunEnding = 'by-itself' | 'timeout' | 'idle' | 'cancelled';

/** The result of a program, whether it succeeded or not. */
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

/** The longest delay that a Node.js timer supports. A timer with a longer delay would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** How many milliseconds a program may continue after SIGTERM before it gets SIGKILL. */
const GRACE_MS = 3000;

/**
 * How many milliseconds to wait for more output after the program has ended, if another process still has its output
 * pipe open.
 */
const LINGER_MS = 500;

/**
 * Runs a program in a new process group. When the promise resolves, no process of the group is left, even if the
 * program hung, ignored SIGTERM or left child processes behind.
 */
export function runProcessGroup(call: ProcessRun): Promise<ProcessRunEnd> {
  if (call.signal?.aborted) {
    const emptyOutput = { code: null, signal: null, stdout: NO_TEXT, stderr: NO_TEXT, durationMs: 0 };
    return Promise.resolve({ kind: 'ended', ending: 'cancelled', ...emptyOutput });
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

    const refreshIdle = () => idle?.refresh();
    const stdout = capture(child.stdout, refreshIdle, call.onLine);
    const stderr = capture(child.stderr, refreshIdle, call.onErrorLine);
    // Ignore write errors: a program may close its input early, and its exit code shows whether that was a failure.
    child.stdin.on('error', () => {});
    if (call.converse === undefined) child.stdin.end(call.input);
    else {
      child.stdin.write(call.input);
      call.converse((text) => (text === null ? child.stdin.end() : child.stdin.writable && child.stdin.write(text)));
    }

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

// Starts the program. Returns the error code if `spawn` throws, for example because the arguments are too long or
// contain a NUL.
function spawnIn({ program, args, cwd, env }: ProcessRun): ChildProcessWithoutNullStreams | { readonly code: string } {
  try {
    return spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' });
  } catch (error) {
    return { code: errorCode(error) };
  }
}

const NO_TEXT: Captured = { text: '', cut: null };

type Group = {
  /** Sends SIGTERM to all processes of the group, and SIGKILL after `GRACE_MS`. */
  end(): void;
  /** Kills the other processes of the group after the program has ended. Calls `done` when the output is complete. */
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
    finish(onFinished) {
      if (kill !== null) clearTimeout(kill);
      let isClosed = false;
      const complete = () => {
        if (isClosed) return;
        isClosed = true;
        clearTimeout(linger);
        living.delete(pid);
        if (living.size === 0) process.removeListener('exit', killAll);
        onFinished();
      };
      const linger = setTimeout(() => {
        // A process outside the group may still have the pipes open, so close our ends of them.
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
    // The call failed because no process is left in the group.
  }
}

const SHELL = '/bin/sh';

// Sends standard output and error to one stream, which keeps their order. The input is /dev/null, because some programs
// wait for input from a pipe, or read the pipe instead of the files that they should read.
const PREPARE = 'exec </dev/null 2>&1; exec /bin/sh -c "$1"';

/**
 * Returns an object that runs checks in `root`, with `/bin/sh` and the user's environment, but without onceover's own
 * secrets. When a check ends, all processes of its process group are ended too.
 */
export function openChecks(root: string, env: NodeJS.ProcessEnv): Checks {
  return {
    async run(command, options) {
      const end = await runProcessGroup({
        program: SHELL,
        args: ['-c', PREPARE, 'sh', command],
        cwd: root,
        env: { ...definedVariables(withoutSecrets(env)), ...options.env, [ACTIVE]: '1' },
        input: '',
        timeoutMs: options.timeoutSeconds * 1000,
        idleMs: null,
        signal: options.stop,
      });
      return checkEnd(end);
    },
  };
}

// A check gets an exit code only if it ended by itself, because the exit code of a killed check is not a verdict.
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

function definedVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
