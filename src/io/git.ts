import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { done, failed, type Result } from '../domain/result.ts';
import { gitProgram } from './find-program.ts';
import { runProcess } from './process.ts';

/** What git printed and how it ended, where it ended by itself. */
export type GitAnswer = { readonly code: number; readonly stdout: Buffer; readonly stderr: string };

type GitOptions = {
  readonly expected?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
  /** Settings that win over the user's, as `name=value`. */
  readonly config?: readonly string[];
  readonly input?: Buffer;
  readonly onOutput?: (chunk: Buffer) => void;
};

/** Asks git something; an exit code other than those expected (0 unless said) is a failure. */
export async function git(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Result<GitAnswer>> {
  const { input, onOutput } = options;
  const env = options.env === undefined ? gitEnvironment() : { ...gitEnvironment(), ...options.env };
  const config = (options.config ?? []).flatMap((setting) => ['-c', setting]);
  const how = { cwd: folder, env, input, onOutput };
  const found = await runProcess(gitProgram(), [...config, ...args], how);
  // One that was there and cannot be started now may not be the only one.
  const end = found.kind === 'missing' ? await runProcess('git', [...config, ...args], how) : found;
  if (end.kind === 'missing') {
    return failed(existsSync(folder) ? { kind: 'git-missing' } : { kind: 'not-a-repository', folder });
  }
  if (end.code === null || !(options.expected ?? [0]).includes(end.code)) {
    return failed({ kind: 'git-failed', command: `git ${args.join(' ')}`, said: end.stderr.trim() });
  }
  return done({ code: end.code, stdout: end.stdout, stderr: end.stderr });
}

const MOST_BYTES = 64 * 1024 * 1024;

/** Asks git something and waits for it; null where it cannot answer, or has too much to say. */
export function gitNow(folder: string, args: readonly string[]): Buffer | null {
  const how = { cwd: folder, env: gitEnvironment(), maxBuffer: MOST_BYTES } as const;
  const end = spawnSync(gitProgram(), args, { ...how, stdio: ['ignore', 'pipe', 'ignore'] });
  return end.status === 0 ? end.stdout : null;
}

// Optional locks off: asking must not rewrite the user's index. Paths are names and never patterns.
function gitEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_TERMINAL_PROMPT: '0',
    // What is there, and not what git was told to show in its place.
    GIT_NO_REPLACE_OBJECTS: '1',
    LC_ALL: 'C',
  };
}
