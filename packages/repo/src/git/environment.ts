import { spawnSync } from 'node:child_process';
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { gitProgram } from '@onceover/base/platform/program';

/** Environment variables and settings for one git command. */
export type GitSettings = {
  readonly env?: Readonly<Record<string, string>>;
  /** git settings, as `name=value`, that override those of the user. */
  readonly config?: readonly string[];
};

const MOST_BYTES = 256 * 1024 * 1024;

/** Runs git synchronously and returns its output; `null` if git fails or prints more than 256 MiB. */
export function gitSync(
  folder: string,
  args: readonly string[],
  options: GitSettings = {},
): { readonly stdout: Buffer; readonly stderr: Buffer } | null {
  const how = { cwd: folder, env: gitEnvironment(options), maxBuffer: MOST_BYTES } as const;
  const end = spawnSync(gitProgram(), withConfig(args, options), { ...how, stdio: ['ignore', 'pipe', 'pipe'] });
  return end.status === 0 ? end : null;
}

// Ignore git's commit-graph file. git trusts the parents in it, even if the commit itself names other parents.
const ALWAYS = ['core.commitGraph=false'];

/** Returns the arguments for git, with the settings before them as `-c` options. */
export function withConfig(args: readonly string[], { config = [] }: GitSettings): readonly string[] {
  return [...[...ALWAYS, ...config].flatMap((setting) => ['-c', setting]), ...args];
}

// Matches all variables that do not begin with GIT_, and the GIT_ variables with which users choose a repository,
// settings, an identity or programs. Other GIT_ variables are not passed on, because they could make git read another
// history or other attributes.
const KEPT =
  /^(?!GIT_)|^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|(?:ALTERNATE_)?OBJECT_DIRECTOR(?:Y|IES)|QUARANTINE_PATH|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|CONFIG_.+|(?:AUTHOR|COMMITTER)_.+|.*EDITOR|EXEC_PATH|ALLOW_PROTOCOL|ASKPASS|SSH.*|TRACE.*)$/;

/** Returns the environment for git. Of git's own variables, it contains only those that cannot hide a change. */
export function gitEnvironment({ env }: GitSettings): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.test(name))),
    // Without this variable, `git status` and `git diff` rewrite the user's index.
    GIT_OPTIONAL_LOCKS: '0',
    // Without this variable, git gives `*` and `:` in paths a special meaning.
    GIT_LITERAL_PATHSPECS: '1',
    GIT_TERMINAL_PROMPT: '0',
    // `git replace` makes git read other content instead of an object, but reviews need the object itself.
    GIT_NO_REPLACE_OBJECTS: '1',
    // The file `.git/info/grafts` can give commits other parents. Name a file that cannot exist, so that git does not
    // read it.
    GIT_GRAFT_FILE: '/dev/null/none',
    LC_ALL: 'C',
    ...env,
  };
}

/** The setting that keeps git from running hooks in the git folder. git.ts turns off those that settings name. */
export const NO_HOOKS_FOLDER = 'core.hooksPath=/dev/null';

/**
 * Settings that keep git from running hooks and the file system monitor, and from using the untracked cache or a split
 * index.
 */
export const NO_USER_PROGRAMS = [
  NO_HOOKS_FOLDER,
  'core.fsmonitor=',
  'core.untrackedCache=false',
  'core.splitIndex=false',
] as const;

/**
 * The settings in `NO_USER_PROGRAMS`, and settings that make git compare the ctime of files: a user can set back mtime,
 * but not ctime.
 */
export const STRICT_STAT = [...NO_USER_PROGRAMS, 'core.checkStat=default', 'core.trustctime=true'] as const;

/** Returns `STRICT_STAT`, and settings that override every user setting that could make git skip a changed file. */
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
    ...(keepsModes(commonDir) ? ['core.fileMode=true'] : []),
  ];
}

// Whether the file system stores which files are executable. Some file systems show every file as executable, even
// git's own HEAD file. With `core.fileMode=true`, git would report all files there as changed.
function keepsModes(commonDir: string): boolean {
  const mode = lstatOf(commonDir, 'HEAD')?.mode;
  return mode !== undefined && (mode & 0o111) === 0;
}

/** Returns the setting that makes git treat `A` and `a` as two files; none if the file system ignores case. */
export function caseSensitivity(commonDir: string): readonly string[] {
  return isCaseSensitive(commonDir) ? ['core.ignoreCase=false'] : [];
}

function isCaseSensitive(commonDir: string): boolean {
  const inode = lstatOf(commonDir, 'HEAD')?.ino;
  return inode !== undefined && lstatOf(commonDir, 'hEaD')?.ino !== inode;
}

function lstatOf(folder: string, name: string): Stats | undefined {
  try {
    return lstatSync(join(folder, name), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
