import { existsSync } from 'node:fs';
import type { Failure } from '@onceover/base/kernel/failure';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { gitProgram, runProcess } from '@onceover/base/platform/program';
import { LIST_HOOKS, mayConfigureHooks, readHookNames, withoutHooks } from './configured-hooks.ts';
import { type GitSettings, gitEnvironment, NO_HOOKS_FOLDER, withConfig } from './environment.ts';

/**
 * An expected failure. Functions in this folder throw it; `asResult` turns it into a `Result` for callers elsewhere.
 */
export class GitError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** Awaits a promise. Returns its value, or the failure with which it was rejected. */
export async function asResult<T>(work: Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work);
  } catch (error) {
    if (error instanceof GitError) return err(error.failure);
    throw error;
  }
}

/** Returns the value of a result, or throws its failure. */
export function orThrow<T>(result: Result<T>): T {
  if (!result.ok) throw new GitError(result.failure);
  return result.value;
}

/**
 * Waits until all promises have ended. Then returns their values, or throws the first failure in the order of the list.
 */
export async function allEnded<T extends readonly unknown[] | []>(work: T) {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** The output and exit code of a git command that ended by itself. */
export type GitAnswer = { readonly code: number; readonly stdout: Buffer; readonly stderr: string };

type GitOptions = GitSettings & {
  /** Exit codes that count as success; default: only 0. */
  readonly expected?: readonly number[];
  readonly input?: Buffer;
  readonly onOutput?: (chunk: Buffer) => void;
};

/** Runs git in a folder. It fails if the exit code is not in `expected`. */
export async function git(folder: string, args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
  const { input, onOutput, config, env } = options;
  const off = withoutHooks(config?.includes(NO_HOOKS_FOLDER) ? await configuredHooks(folder, env) : []);
  const fullArgs = [...off.args, ...withConfig(args, options)];
  const how = { cwd: folder, env: { ...gitEnvironment(options), ...off.env }, input, onOutput };
  const firstEnd = await runProcess(gitProgram(), fullArgs, how);
  // The path of git is looked up only once, and an update of git may have removed that file since, so search PATH
  // again.
  const end = firstEnd.kind === 'missing' ? await runProcess('git', fullArgs, how) : firstEnd;
  if (end.kind === 'missing') {
    throw new GitError(existsSync(folder) ? { kind: 'git-missing' } : { kind: 'not-a-repository', folder });
  }
  if (end.code === null || !(options.expected ?? [0]).includes(end.code)) throw gitFailed(args, end.stderr);
  return { code: end.code, stdout: end.stdout, stderr: end.stderr };
}

// A file that the settings include may change unnoticed, so an answer is used only for this long.
const HOOKS_KNOWN_MS = 2000;

const hooksByFolder = new Map<string, { readonly until: number; readonly names: Promise<readonly string[]> }>();

/** Returns the names of the hooks that git's settings name. Callers that run no hooks have to turn them off by name. */
export function configuredHooks(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  if (!mayConfigureHooks(folder, env)) return Promise.resolve([]);
  const key = JSON.stringify([folder, env['GIT_DIR'], env['GIT_COMMON_DIR']]);
  const known = hooksByFolder.get(key);
  if (known !== undefined && known.until > Date.now()) return known.names;
  const names = git(folder, LIST_HOOKS, { env, expected: [0, 1] }).then(({ stdout }) => readHookNames(stdout));
  hooksByFolder.set(key, { until: Date.now() + HOOKS_KNOWN_MS, names });
  return names;
}

/** Runs git and returns its output as text without surrounding whitespace. */
export async function gitText(folder: string, args: readonly string[], options?: GitOptions): Promise<string> {
  return (await git(folder, args, options)).stdout.toString('utf8').trim();
}

/** Returns a `git-failed` failure with the command and git's error message. */
export function gitFailed(args: readonly string[], message: string): GitError {
  return new GitError({ kind: 'git-failed', command: `git ${args.join(' ')}`, said: message.trim() });
}

/** File names. `names` are valid UTF-8; `unnameable` are not, so each of their bytes is one latin1 character here. */
export type Names = { readonly names: readonly string[]; readonly unnameable: readonly string[] };

/** Splits git's output at the NULs into file names. */
export function readNulList(output: Buffer): Names {
  const text = output.toString('utf8');
  if (!text.includes('\ufffd')) return { names: text.split('\0').filter((name) => name !== ''), unnameable: [] };
  const names: string[] = [];
  const unnameable: string[] = [];
  for (const bytes of output.toString('latin1').split('\0')) {
    const name = utf8Name(bytes);
    if (name === null) unnameable.push(bytes);
    else if (name !== '') names.push(name);
  }
  return { names, unnameable };
}

/**
 * Decodes a file name in which each character stands for one byte (latin1); `null` if the bytes are not valid UTF-8.
 */
export function utf8Name(bytes: string): string | null {
  if (/^[\x20-\x7e]*$/.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  const name = buffer.toString('utf8');
  return Buffer.from(name, 'utf8').equals(buffer) ? name : null;
}

/**
 * Returns `text` if it is a full object id; otherwise throws. git could take other text, for example from an edited
 * record, as an option.
 */
export function objectId(text: string): string {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return text;
  throw gitFailed(['cat-file', '-e', text], 'not the name of an object');
}
