import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * Returns the first program with this name on PATH; `null` if there is none. Relative folders on PATH are skipped,
 * because they may be inside a reviewed repository.
 */
export function findOnPath(name: string, path: string): string | null {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

let git: string | null = null;

/** Returns the path of git. It is looked up only once, because that takes as long as a short git command. */
export function gitProgram(): string {
  git ??= findOnPath('git', process.env['PATH'] ?? '') ?? 'git';
  return git;
}

/** Whether the path is a file that the user may execute. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * How a program ended. `missing`: it was not found or may not be executed. `code: null`: a signal ended it, or the
 * system could not start it, for example because too many processes run.
 */
type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number | null; readonly stdout: Buffer; readonly stderr: string }
  | { readonly kind: 'missing' };

type ProcessOptions = {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Bytes for the program's standard input; `undefined` for no input. */
  readonly input?: Buffer | undefined;
  /** Called with each chunk of standard output. In this case, the result does not contain the output. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
};

/** Runs a program without a shell. Returns its output and exit code. */
export function runProcess(program: string, args: readonly string[], options: ProcessOptions): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    const child = start(program, args, options);
    const notStarted = (message: string) =>
      resolve({ kind: 'exited', code: null, stdout: Buffer.alloc(0), stderr: message });
    if (typeof child === 'string') return notStarted(child);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', options.onOutput ?? ((chunk: Buffer) => out.push(chunk)));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    // Ignore write errors: a program may exit before it has read all its input, and its exit code shows whether that
    // was a mistake.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input);
    child.on('error', (error: NodeJS.ErrnoException) =>
      SYSTEM_LIMITS.has(error.code ?? '') ? notStarted(error.message) : resolve({ kind: 'missing' }),
    );
    child.on('close', (code) =>
      resolve({ kind: 'exited', code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') }),
    );
  });
}

// These error codes do not mean that the program is missing: the system allows no more open files or processes.
const SYSTEM_LIMITS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'EAGAIN']);

// Starts a program. Returns the error message if `spawn` throws, for example because the arguments are too long or
// memory is full.
function start(program: string, args: readonly string[], { cwd, env, input }: ProcessOptions) {
  try {
    return spawn(program, args, { cwd, env, stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
