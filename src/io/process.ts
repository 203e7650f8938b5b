import { spawn } from 'node:child_process';

/** How a short program of ours ended; `missing` where it could not be started at all. */
export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number | null; readonly stdout: Buffer; readonly stderr: string }
  | { readonly kind: 'missing' };

type ProcessOptions = {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** What it reads; nothing where this is left out. */
  readonly input?: Buffer | undefined;
  /** Gets what it prints as it comes, for outputs that should not be kept whole. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
};

/** Runs a program to its end and gives back all that it printed; arguments are never seen by a shell. */
export function runProcess(program: string, args: readonly string[], options: ProcessOptions): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    const child = start(program, args, options);
    const notStarted = (said: string) => resolve({ kind: 'exited', code: null, stdout: Buffer.alloc(0), stderr: said });
    if (typeof child === 'string') return notStarted(child);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', options.onOutput ?? ((chunk: Buffer) => out.push(chunk)));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    // A program may end before it has read everything: its exit code tells why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input);
    child.on('error', (error: NodeJS.ErrnoException) =>
      NO_MORE.has(error.code ?? '') ? notStarted(error.message) : resolve({ kind: 'missing' }),
    );
    child.on('close', (code) =>
      resolve({ kind: 'exited', code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') }),
    );
  });
}

// It is there, but no more files may be open, or no more processes be started.
const NO_MORE: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'EAGAIN']);

// Some failures to start are thrown at once: arguments that are too long, no memory, too many processes.
function start(program: string, args: readonly string[], { cwd, env, input }: ProcessOptions) {
  try {
    return spawn(program, args, { cwd, env, stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
