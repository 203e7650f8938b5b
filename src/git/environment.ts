import { spawnSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { gitProgram } from '../platform/program.ts';

/** The input and the environment of a git command. */
export type GitSettings = {
  readonly env?: Readonly<Record<string, string>>;
  /** Settings that override the user's, as `name=value`. */
  readonly config?: readonly string[];
};

const MOST_BYTES = 256 * 1024 * 1024;

/** Runs git synchronously; null if it fails or prints more than 256 MiB. */
export function gitSync(
  folder: string,
  args: readonly string[],
  options: GitSettings = {},
): { readonly stdout: Buffer; readonly stderr: Buffer } | null {
  const how = { cwd: folder, env: gitEnvironment(options), maxBuffer: MOST_BYTES } as const;
  const end = spawnSync(gitProgram(), withConfig(args, options), { ...how, stdio: ['ignore', 'pipe', 'pipe'] });
  return end.status === 0 ? end : null;
}

/** Returns the arguments with the settings that override the user's. */
export function withConfig(args: readonly string[], { config = [] }: GitSettings): readonly string[] {
  return [...config.flatMap((setting) => ['-c', setting]), ...args];
}

/** Returns the environment of every git command. */
export function gitEnvironment({ env }: GitSettings): NodeJS.ProcessEnv {
  return {
    ...process.env,
    // Without this, `git status` and `git diff` rewrite the user's index.
    GIT_OPTIONAL_LOCKS: '0',
    // Without this, git expands `*` and `:` in paths as patterns.
    GIT_LITERAL_PATHSPECS: '1',
    GIT_TERMINAL_PROMPT: '0',
    // `git replace` can show other content in place of an object. Reviews need the object itself.
    GIT_NO_REPLACE_OBJECTS: '1',
    LC_ALL: 'C',
    ...env,
  };
}

/** Settings that keep git from running the user's hooks and monitors, and from splitting or extending an index. */
export const NO_USER_PROGRAMS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=',
  'core.untrackedCache=false',
  'core.splitIndex=false',
] as const;

/** Settings that also make git compare ctime, which a user cannot set back. */
export const STRICT_STAT = [...NO_USER_PROGRAMS, 'core.checkStat=default', 'core.trustctime=true'] as const;

/** Settings that also override every user setting that would make git skip a changed file. */
export function withStrictStat(commonDir: string): readonly string[] {
  return [
    ...STRICT_STAT,
    'core.sparseCheckout=false',
    'index.sparse=false',
    'index.skipHash=false',
    'core.ignoreStat=false',
    'core.safecrlf=false',
    'submodule.recurse=false',
    ...caseSensitivity(commonDir),
  ];
}

/** On a case-sensitive file system, keeps git from taking a new file for a known one that differs only in case. */
export function caseSensitivity(commonDir: string): readonly string[] {
  return isCaseSensitive(commonDir) ? ['core.ignoreCase=false'] : [];
}

function isCaseSensitive(commonDir: string): boolean {
  try {
    const inode = (name: string) => lstatSync(join(commonDir, name), { throwIfNoEntry: false })?.ino;
    const known = inode('HEAD');
    return known !== undefined && inode('hEaD') !== known;
  } catch {
    return false;
  }
}
