import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { settingsMayMatch } from './settings-files.ts';
import { findWorktreePaths } from './worktree-paths.ts';

type GitPlaces = { readonly gitDir: string; readonly commonDir: string };

/**
 * Whether git's settings for a folder may name hooks (`hook.<name>.event`). Only the answer `false` is certain. git
 * 2.54 and later run such hooks even if `core.hooksPath` names no folder.
 */
export function mayConfigureHooks(folder: string, env: Readonly<Record<string, string>>): boolean {
  const places = gitPlaces(folder, env);
  return places === null || settingsMayMatch(places, NAMES_HOOK);
}

// Matches a section of hooks in a settings file, the name of such a setting in a variable, and includes, which may name
// any setting.
const NAMES_HOOK = /\[\s*(?:hook[\s.\]]|include)|\bhook\.|\binclude/i;

/** The command that lists the hooks in git's settings. git exits with 1 if there are none. */
export const LIST_HOOKS = ['config', '--null', '--name-only', '--get-regexp', '^hook\\..'] as const;

/** Returns the names of the hooks in the output of `LIST_HOOKS`. */
export function readHookNames(output: Buffer): readonly string[] {
  const keys = output.toString('utf8').split('\0');
  return [...new Set(keys.flatMap((key) => /^hook\.([\s\S]+)\.[^.]+$/.exec(key)?.[1] ?? []))];
}

// The variable that holds the value `false`. With `--config-env`, the name of a hook may contain `=`.
const OFF = 'ONCEOVER_OFF';

/** Returns the arguments and the environment with which git does not run these hooks. */
export function withoutHooks(names: readonly string[]): {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  if (names.length === 0) return { args: [], env: {} };
  return { args: names.map((name) => `--config-env=hook.${name}.enabled=${OFF}`), env: { [OFF]: 'false' } };
}

// Returns the folders with git's settings; `null` if only git knows them.
function gitPlaces(folder: string, env: Readonly<Record<string, string>>): GitPlaces | null {
  const variables = { ...process.env, ...env };
  const gitDir = variables['GIT_DIR'];
  if (gitDir === undefined) return findWorktreePaths(folder, variables) ?? bareRepository(folder);
  try {
    return withCommonDir(resolve(folder, gitDir), variables['GIT_COMMON_DIR']);
  } catch {
    return null;
  }
}

function withCommonDir(gitDir: string, named: string | undefined): GitPlaces {
  const file = join(gitDir, 'commondir');
  const commonDir = named ?? (existsSync(file) ? readFileSync(file, 'utf8').trim() : '');
  return { gitDir, commonDir: resolve(gitDir, commonDir) };
}

function bareRepository(folder: string): GitPlaces | null {
  return existsSync(join(folder, 'HEAD')) ? withCommonDir(folder, undefined) : null;
}
