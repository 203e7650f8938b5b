import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { type Captured, capture } from './capture.ts';
import { codeOf } from './files.ts';

/** A program to run to its end: what it gets, and how long and how much it may take. */
export type Run = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written to its standard input, which is then closed. */
  readonly input: string;
  readonly timeoutMs: number;
  /** Without any output for so long, it counts as hung; null: it may be silent. */
  readonly idleMs: number | null;
  readonly signal: AbortSignal | null;
  /** Each whole line of its standard output, as it comes. */
  onLine?(line: string): void;
};

/** Why a run came to its end: by itself, or because it was ended. */
type RunEnding = 'by-itself' | 'timeout' | 'idle' | 'cancelled';

/** How a run ended: one shape for success and failure. */
export type RunEnd =
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

/** The longest that a timer counts; it would fire at once on more. */
const LONGEST_MS = 2 ** 31 - 1;
/** From the polite request to end until the end. */
const GRACE_MS = 3000;
/** How long output may still come after the program itself is gone, where another process holds its pipe. */
const LINGER_MS = 500;

/**
 * Runs a program in a process group of its own. When the returned promise settles, no process of that group is left,
 * whether it ended, hung, ignored the request to end or left children behind.
 */
export function run(call: Run): Promise<RunEnd> {
  if (call.signal?.aborted) {
    return Promise.resolve({ ...NOTHING, kind: 'ended', ending: 'cancelled', code: null, signal: null, durationMs: 0 });
  }
  return new Promise((resolve) => {
    const start = performance.now();
    const child = spawnIn(call);
    if ('code' in child) return resolve({ kind: 'not-started', code: child.code });
    child.once('error', (error) => resolve({ kind: 'not-started', code: codeOf(error) }));
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
    const onLine = call.onLine === undefined ? {} : { onLine: call.onLine };
    const stdout = capture(child.stdout, { heard, ...onLine });
    const stderr = capture(child.stderr, { heard });
    // A program that does not want its input may close it; its answer tells whether that was right.
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

// Some failures are thrown at once: arguments that are too long, no memory, a NUL character.
function spawnIn({ program, args, cwd, env }: Run): ChildProcessWithoutNullStreams | { readonly code: string } {
  try {
    return spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' });
  } catch (error) {
    return { code: codeOf(error) };
  }
}

const SILENCE: Captured = { text: '', cut: null };
const NOTHING = { stdout: SILENCE, stderr: SILENCE } as const;

type Group = {
  /** Asks the group to end, and makes it end after the grace. */
  end(): void;
  /** After the program itself has gone: ends whoever is left, then calls back once the output is complete. */
  finish(done: () => void): void;
};

const living = new Set<number>();

function ownGroup(child: ChildProcess, pid: number): Group {
  if (living.size === 0) process.once('exit', endAll);
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
        if (living.size === 0) process.removeListener('exit', endAll);
        done();
      };
      const linger = setTimeout(() => {
        // Somebody outside the group may still hold the pipes: they are ours to let go.
        child.stdout?.destroy();
        child.stderr?.destroy();
        complete();
      }, LINGER_MS);
      child.once('close', complete);
      signalGroup(pid, 'SIGKILL');
    },
  };
}

// Whatever ends this process, what it started ends too.
function endAll(): void {
  for (const pid of living) signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in the group.
  }
}
