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
    if (typeof child === 'string')
      return resolve({ kind: 'exited', code: null, stdout: Buffer.alloc(0), stderr: child });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', options.onOutput ?? ((chunk: Buffer) => out.push(chunk)));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    // A program may end before it has read everything: its exit code tells why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input);
    child.on('error', () => resolve({ kind: 'missing' }));
    child.on('close', (code) =>
      resolve({ kind: 'exited', code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') }),
    );
  });
}

// Some failures to start are thrown at once: arguments that are too long, no memory, too many processes.
function start(program: string, args: readonly string[], { cwd, env, input }: ProcessOptions) {
  try {
    return spawn(program, args, { cwd, env, stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
